"""Writes the man pages of a program, from what the program says of itself.

    manual.py VERSION FOLDER PROGRAM…

Each PROGRAM gets PROGRAM.1, from the help that its `--experimental-dump-help` prints. `relationd`
gets relationd.yaml.5 too, from its page of settings.
"""

import json
import pathlib
import re
import subprocess
import sys

SERVER = "relationd"
FILES = {
    SERVER: [
        ("/etc/relationd.yaml", "The settings of the service: relationd.yaml(5)."),
        ("/var/lib/relationd", "The data of the service."),
    ],
}
SEE_ALSO = {
    SERVER: "relationctl(1), relationd.yaml(5)",
    "relationctl": "relationd(1)",
}


def roff(text):
    """A text as roff, in which no character is a command."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def marked(text):
    """A text with `names` of Markdown, which become bold; a link becomes its words."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"`([^`]*)`", r"\\fB\1\\fR", roff(text))


def title(name, section, version):
    program = name.split(".")[0]
    return f'.TH {name.upper()} {section} "" "{program} {roff(version)}" "Relation chain"\n'


def paragraphs(text):
    """Paragraphs; lines that are set in, and commands, stay as they are."""
    lines = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if all(re.match(r"\s|relation(d|ctl) ", line) for line in block.splitlines()):
            lines += [".PP", ".nf", ".RS", roff(block), ".RE", ".fi"]
        else:
            lines += [".PP", marked(block)]
    return "\n".join(lines)


# Commands


def spelled(name):
    return ("-" if name["kind"] == "short" else "--") + name["name"]


def value(argument):
    return argument.get("valueName", "value")


def synopsis(argument):
    """An argument as the first line of its entry."""
    if argument["kind"] == "positional":
        return f"\\fI{roff(value(argument))}\\fR" + (" …" if argument["isRepeating"] else "")
    spellings = [spelled(name) for name in argument["names"]]
    names = ", ".join(f"\\fB{roff(spelling)}\\fR" for spelling in spellings)
    return names + (f" \\fI{roff(value(argument))}\\fR" if argument["kind"] == "option" else "")


def shown(things):
    return [thing for thing in things or [] if thing.get("shouldDisplay", True)]


def entries(arguments):
    arguments = list(arguments)
    flags = {name["name"] for argument in arguments for name in argument.get("names") or []}
    lines = []
    for argument in arguments:
        name = (argument.get("preferredName") or {}).get("name", "")
        if name.startswith("no-") and name.removeprefix("no-") in flags:
            continue
        words = argument.get("abstract", "")
        if argument.get("defaultValue"):
            words += f" Default: {argument['defaultValue']}."
        lines += [".TP", synopsis(argument), marked(words.strip()) or "\\&"]
    return lines


def is_common(argument):
    """Whether every command has it."""
    names = {name["name"] for name in argument.get("names") or []}
    return bool(names & {"help", "version"})


def call(command, path):
    """The words that begin a command, with its arguments."""
    parts = [f"\\fB{roff(' '.join(path))}\\fR"]
    arguments = [one for one in shown(command.get("arguments")) if not is_common(one)]
    if any(one["kind"] != "positional" for one in arguments):
        parts.append("[\\fIoptions\\fR]")
    for one in arguments:
        if one["kind"] == "positional":
            parts.append(f"[{synopsis(one)}]" if one["isOptional"] else synopsis(one))
    return " ".join(parts)


def commands(command, path):
    """The commands that do something, with the words that begin them."""
    below = [one for one in shown(command.get("subcommands")) if one["commandName"] != "help"]
    if not below:
        return [(command, path)]
    return [each for one in below for each in commands(one, [*path, one["commandName"]])]


def page_of_commands(root, version):
    name = root["commandName"]
    leaves = commands(root, [name])
    lines = [".SH NAME", f"{name} \\- {marked(root.get('abstract', '').rstrip('.'))}"]
    lines += [".SH SYNOPSIS"]
    for command, path in leaves:
        lines += [call(command, path), ".br"]
    lines += [".SH DESCRIPTION", paragraphs(root.get("discussion", ""))]
    lines += [".SH COMMANDS"]
    for command, path in leaves:
        lines += [f".SS {roff(' '.join(path[1:]))}", marked(command.get("abstract", ""))]
        if command.get("discussion"):
            lines.append(paragraphs(command["discussion"]))
        lines += entries(
            one for one in shown(command.get("arguments")) if not is_common(one))
    lines += [".SH OPTIONS OF EVERY COMMAND"]
    lines += entries(one for one in shown(root.get("arguments")) if is_common(one))
    if name in FILES:
        lines += [".SH FILES"]
        for path, words in FILES[name]:
            lines += [".TP", f"\\fB{roff(path)}\\fR", roff(words)]
    lines += [".SH SEE ALSO", roff(SEE_ALSO[name])]
    return title(name, 1, version) + "\n".join(lines) + "\n"


# Settings


def page_of_settings(text, version):
    """The page of settings in Markdown as a page of section 5."""
    intro, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    rows = {}
    for row in re.findall(r"^\| \[`([^`]+)`\]\S* \|(.*)\|$", intro, flags=re.MULTILINE):
        rows[row[0]] = [cell.strip() for cell in row[1].split("|")]
    # The first paragraph tells who wrote the page in Markdown.
    about = [block for block in intro.split("\n\n")[2:] if not block.startswith("|")]
    lines = [".SH NAME", "relationd.yaml \\- the settings of relationd(1)", ".SH DESCRIPTION"]
    lines += [f".PP\n{marked(block.strip())}" for block in about if block.strip()]
    lines += [".SH SETTINGS"]
    for section in sections:
        name, _, words = section.partition("\n")
        values, usual, effect = rows[name.strip()]
        lines += [f".SS {roff(name.strip())}", paragraphs(words.strip())]
        lines += [".PP", f"Values: {marked(values)}. Default: {marked(usual)}."]
        if effect:
            lines.append("SIGHUP changes it.")
    lines += [".SH SEE ALSO", "relationd(1)"]
    return title("relationd.yaml", 5, version) + "\n".join(lines) + "\n"


def said(program, *arguments):
    return subprocess.run(
        [program, *arguments], check=True, capture_output=True, text=True).stdout


def main(version, folder, *programs):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for program in programs:
        help = json.loads(said(program, "--experimental-dump-help"))["command"]
        name = help["commandName"]
        (folder / f"{name}.1").write_text(page_of_commands(help, version))
        if name == SERVER:
            page = page_of_settings(said(program, "config", "page"), version)
            (folder / "relationd.yaml.5").write_text(page)


if __name__ == "__main__":
    main(*sys.argv[1:])
