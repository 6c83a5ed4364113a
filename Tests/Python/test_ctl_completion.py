"""Completion in the shells themselves: each is given the script of the program, and asked for the
words that fit a half-typed line."""

import fcntl
import json
import os
import pty
import select
import shutil
import struct
import subprocess
import termios
import time

import pytest
from relationd import executable

BASH = r"""
source "$SCRIPT"
COMP_LINE=$LINE COMP_POINT=${#LINE} COMP_TYPE=9
# As readline splits a line: at blanks, and around a colon and an equals sign.
read -ra COMP_WORDS <<< "$(sed -E 's/([:=])/ \1 /g' <<< "$LINE")"
[[ $LINE == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
COMPREPLY=()
_relationctl relationctl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""

FISH = r"""
source "$SCRIPT"
complete -C "$LINE"
"""


@pytest.fixture
def ctl(tmp_path):
    """The command line of a person with a home of its own."""

    def run(*arguments, **variables):
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("RELATION_")}
        environment |= {"XDG_CONFIG_HOME": str(tmp_path / "home"), **variables}
        return subprocess.run(
            [*map(str, arguments)], capture_output=True, text=True, timeout=60,
            stdin=subprocess.DEVNULL, env=environment)

    return run


@pytest.fixture
def complete(ctl, tmp_path):
    """Asks bash for the words that fit a line: `complete("relationctl st")`."""
    program = executable("relationctl")
    script, test = tmp_path / "script", tmp_path / "test"
    made = ctl(program, "--generate-completion-script", "bash")
    assert made.returncode == 0, made.stderr
    script.write_text(made.stdout)
    test.write_text(BASH)
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "relationctl").symlink_to(os.path.abspath(program))

    def run(line, **variables):
        done = ctl(
            "bash", "--norc", test, SCRIPT=str(script), LINE=line,
            PATH=f"{folder}:{os.environ['PATH']}", **variables)
        assert done.returncode == 0 and done.stderr == "", (done.stdout, done.stderr)
        return done.stdout.split()

    return run


@pytest.fixture
def profiles(ctl):
    """Two profiles of names that no prompt has, without a server that is there."""
    for name in ("walnut", "hazel"):
        done = ctl(executable("relationctl"), "login", "--unchecked", name, "--server",
                   "127.0.0.1:1")
        assert done.returncode == 0, done.stderr


def test_bash_completes_commands_and_options(complete):
    assert complete("relationctl st") == ["status"]
    assert "list" in complete("relationctl hooks ")
    assert "--output" in complete("relationctl user alice --out")
    assert complete("relationctl hooks list --output ") == ["json", "pretty", "table", "yaml"]


@pytest.mark.parametrize("command", ["call", "describe"])
def test_bash_completes_calls(complete, command):
    assert complete(f"relationctl {command} CheckFr") == ["CheckFriends"]


@pytest.mark.parametrize("line", [
    "relationctl --profile ", "relationctl call --profile ", "relationctl hooks list --profile ",
    "relationctl top --profile ", "relationctl login ",
])  # fmt: skip
def test_bash_completes_profiles(complete, profiles, line):
    assert complete(line) == ["hazel", "walnut"]
    assert complete(line + "w") == ["walnut"]


@pytest.mark.parametrize("line, words", [
    # An equals sign and a colon divide words for readline, but not for the program.
    ("--profile=w", ["walnut"]), ("--profile=", ["hazel", "walnut"]), ("--profile=de", []),
    ("call --profile=h", ["hazel"]), ("--output=y", ["yaml"]), ("hooks list --output=y", ["yaml"]),
    ("--server 127.0.0.1:1 hooks l", ["list"]), ("--server=127.0.0.1:1 hooks l", ["list"]),
    ("call --metadata a=b CheckFr", ["CheckFriends"]), ("call --metadata a=", []),
    # Options stand before the name of a command too.
    ("--output yaml hooks l", ["list"]), ("--output=yaml hooks l", ["list"]),
    ("-o json user ", []), ("hooks --key x l", ["list"]), ("--tls st", ["status"]),
    ("--output y", ["yaml"]), ("hooks -o y", ["yaml"]), ("--timeout ", []), ("hooks --rows ", []),
    ("-o json call CheckFr", ["CheckFriends"]), ("-o json hooks list --serv", ["--server"]),
    # Commands alone come after help.
    ("help ho", ["hooks"]), ("help hooks l", ["list"]), ("help call ", []), ("help --s", []),
    ("hooks help l", ["list"]),
    # Calls are taken in any case, with signs between their words or without.
    ("call checkfr", ["CheckFriends"]), ("call check-fr", ["CheckFriends"]),
    ("describe CHECK_FR", ["CheckFriends"]), ("call GetStats {", []),
    # The code is a word of the usual command of explain.
    ("explain 30525 -o y", ["yaml"]), ("explain 30525 --o", ["--output"]), ("explain p", ["profile"]),
])  # fmt: skip
def test_bash_takes_words_as_the_program_does(complete, profiles, line, words):
    assert sorted(complete(f"relationctl {line}")) == words


def test_bash_completes_each_call_of_a_beginning_in_any_case(complete):
    assert sorted(complete("relationctl call add")) == sorted(complete("relationctl call Add"))
    assert "AddFriends" in complete("relationctl call add")


def test_bash_completes_the_apps_of_the_server_of_the_line(complete, server, relation):
    numbers = {str(relation("CreateApp").app.app_id) for _ in range(2)}
    for line in [
        f"relationctl call --server {server.address} --app ",
        f"relationctl --server {server.address} --app ",
        f"relationctl keys list --server={server.address} --app ",
    ]:
        found = complete(line)
        assert numbers <= set(found) and all(word.isdigit() for word in found), (line, found)
    # The variable names a server too.
    assert numbers <= set(complete("relationctl call --app ", RELATION_SERVER=server.address))


def test_no_apps_are_offered_without_a_server(complete, profiles):
    assert complete("relationctl --server 127.0.0.1:1 --app ") == []
    assert complete("relationctl --profile walnut --app ") == []
    assert complete("relationctl --server no:port:at:all --app ") == []
    assert complete("relationctl --profile none --app ") == []


needs_fish = pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
needs_zsh = pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")


@pytest.fixture
def fish(ctl, tmp_path):
    """Asks fish for the words that fit a line."""
    script, test = tmp_path / "script", tmp_path / "test"
    script.write_text(
        ctl(executable("relationctl"), "--generate-completion-script", "fish").stdout)
    test.write_text(FISH)

    def run(line):
        done = ctl("fish", "--no-config", test, SCRIPT=str(script), LINE=line, HOME=str(tmp_path))
        return [word.split("\t")[0] for word in done.stdout.splitlines()]

    return run


@needs_fish
@pytest.mark.parametrize("line, words", [
    ("stat", ["status"]), ("call CheckFr", ["CheckFriends"]), ("call checkfr", ["CheckFriends"]),
    ("call --output y", ["yaml"]), ("call --output=y", ["--output=yaml"]),
    ("hooks list -o y", ["yaml"]), ("--server 127.0.0.1:1 hooks l", ["list"]),
    ("--server=127.0.0.1:1 hooks l", ["list"]), ("--tls st", ["status"]),
    ("--output yaml hooks l", ["list"]), ("-o json call CheckFr", ["CheckFriends"]),
    ("-o y", ["yaml"]), ("--output=y", ["--output=yaml"]), ("help hook", ["hooks"]),
    ("call --metadata a=b CheckFr", ["CheckFriends"]), ("call --tls --ser", ["--server"]),
    # The code is a word of the usual command of explain.
    ("explain 30525 -o y", ["yaml"]), ("explain 30525 --o", ["--output"]), ("explain 30525 ", []),
    ("explain 30525 --output=y", ["--output=yaml"]), ("explain -o y", ["yaml"]),
    ("explain -o yaml 30525 --v", ["--version"]), ("explain p", ["profile"]),
    ("explain ", ["code", "event", "profile", "update"]),
    # A value is wanted, and no command, behind an option that takes one.
    ("--timeout ", []), ("hooks --rows ", []), ("hooks -o y", ["yaml"]),
    ("hooks --output=y", ["--output=yaml"]), ("-o json hooks --key x l", ["list"]),
    ("help hooks l", ["list"]), ("help call ", []), ("help hooks list ", []),
    ("hooks help l", ["list"]),
    ("call check-fr", ["check-friends"]), ("describe CHECK_FR", ["check_friends"]),
])  # fmt: skip
def test_fish_takes_words_as_the_program_does(fish, line, words):
    assert fish(f"relationctl {line}") == words


@needs_fish
def test_fish_completes_files(fish, tmp_path):
    (tmp_path / "friends.csv").touch()
    assert fish(f"relationctl import {tmp_path}/fri") == [f"{tmp_path}/friends.csv"]
    assert fish(f"relationctl call --tls-ca {tmp_path}/fri") == [f"{tmp_path}/friends.csv"]


# What each shell is told first: to load the script, and to say that it has.
LOADS = {
    "zsh": (["zsh", "-f", "-i"],
            "autoload -Uz compinit && compinit -u -D && source {} && echo re''ady"),
    "fish": (["fish", "--no-config", "-i"],
             "set -g fish_autosuggestion_enabled 0; source {}; and echo re''ady"),
}  # fmt: skip


def press_tab(ctl, folder, name, line, whole):
    """Types a line in a shell, presses Tab, and waits until the shell shows the whole word."""
    command, load = LOADS[name]
    script = folder / "_relationctl"
    script.write_text(
        ctl(executable("relationctl"), "--generate-completion-script", name).stdout)
    reading, writing = pty.openpty()
    # A window that is wide enough for each line, of no terminal that is asked what it can do.
    fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    shell = subprocess.Popen(
        ["setsid", "--ctty", *command], stdin=writing, stdout=writing, stderr=writing, cwd=folder,
        env=os.environ | {
            "XDG_CONFIG_HOME": str(folder / "home"), "HOME": str(folder), "TERM": "dumb",
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PROMPT": "> "})
    output = ""

    def wait_for(text):
        nonlocal output
        end = time.monotonic() + 60
        while text not in output:
            assert time.monotonic() < end, output
            if select.select([reading], [], [], 0.1)[0]:
                output += os.read(reading, 65_536).decode(errors="replace")

    try:
        os.write(reading, f"{load.format(script)}\n".encode())
        wait_for("ready\r\n")
        output = ""
        os.write(reading, f"relationctl {line}\t".encode())
        wait_for(whole)
    finally:
        shell.kill()
        shell.wait()
        os.close(reading)
        os.close(writing)


@needs_zsh
@pytest.mark.parametrize("line, whole", [
    ("stat", "status"), ("call CheckFr", "CheckFriends"), ("call --output y", "yaml"),
    ("login ha", "hazel"), ("--profile wa", "walnut"), ("call --profile wa", "walnut"),
    ("--profile=wa", "walnut"), ("call --output=y", "yaml"), ("-o y", "yaml"),
    ("--output yaml hooks l", "list"), ("-o json call CheckFr", "CheckFriends"),
    ("call check-fr", "CheckFriends"), ("help hook", "hooks"), ("explain 30525 -o y", "yaml"),
    ("import frien", "friends.csv"), ("call --tls-ca=frien", "friends.csv"),
])  # fmt: skip
def test_zsh_completes_a_word_when_tab_is_pressed(ctl, complete, profiles, tmp_path, line, whole):
    (tmp_path / "friends.csv").touch()
    press_tab(ctl, tmp_path, "zsh", line, whole)


@needs_fish
@pytest.mark.parametrize("line, whole", [
    ("login ha", "hazel"), ("--profile wa", "walnut"), ("call --profile wa", "walnut"),
    ("--profile=wa", "walnut"),
])  # fmt: skip
def test_fish_completes_a_profile_when_tab_is_pressed(
        ctl, complete, profiles, tmp_path, line, whole):
    press_tab(ctl, tmp_path, "fish", line, whole)


def test_the_script_of_zsh_and_of_fish_ask_for_profiles_and_apps(ctl):
    """Their words are asked for by the same hidden command."""
    program = executable("relationctl")
    for shell in ("zsh", "fish"):
        script = ctl(program, "--generate-completion-script", shell).stdout
        for name in ("--profile", "--app"):
            assert f"---completion call -- {name} " in script, (shell, name)
        assert "CheckFriends" in script


def test_the_hidden_command_answers_a_number_a_line(ctl, server, relation):
    number = relation("CreateApp").app.app_id
    done = ctl(executable("relationctl"), "---completion", "call", "--", "--app", "4", "0",
               "relationctl", "call", "--server", server.address, "--app", "")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert str(number) in done.stdout.split()
    assert json.loads(f"[{','.join(done.stdout.split())}]"), "numbers alone"
