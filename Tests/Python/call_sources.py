"""Adds to the page of all calls a table for each service: the handler and the rule of each call.

    relationctl methods --markdown | python call_sources.py > proto/CALLS.md

The links are found in the sources. A registration in Sources/RelationService names the handler, and
the handler names the functions of Sources/RelationCore that it runs.
"""

import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HANDLERS = ("RelationService", "RelationChanges")
RULES = ("RelationCore",)
# How many functions may stand between a handler and its rule.
DEPTH = 4
# Literals and comments, in which a brace or a name means nothing.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"', re.DOTALL)
TYPE = re.compile(r"\b(struct|class|enum|extension|protocol)\s+([A-Z]\w*)")
FUNCTION = re.compile(r"(\bstatic\s+)?\bfunc\s+(\w+)|(?<!\.)\b(init)[?!]?\(")
REGISTRATION = re.compile(r"\brouter\.(read|write|batches|rows|watch)\(\s*(\w+)Methods\.(\w+)")


@dataclasses.dataclass(frozen=True)
class Function:
    """A function of a type, or the whole type if it has no name."""

    type: str
    name: str
    path: str
    body: str
    is_static: bool = True

    def link(self):
        shown = f"{self.type}.{self.name}" if self.name else self.type
        return f"[`{shown}`](../{self.path})"


class Sources:
    """The types and functions of some targets, by name."""

    def __init__(self, targets):
        self.functions, self.types, self.registrations = {}, {}, []
        for target in targets:
            for path in sorted((ROOT / "Sources" / target).rglob("*.swift")):
                self._read(path.relative_to(ROOT).as_posix(), path.read_text())

    def _read(self, path, text):
        code = NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
        types = [(*found.groups(), *block(code, found.end())) for found in TYPE.finditer(code)]
        for kind, name, start, end in types:
            if kind != "extension":
                self.types.setdefault(name, []).append(Function(name, "", path, code[start:end]))
        for found in FUNCTION.finditer(code):
            if around := self._around(found, types):
                name = "" if found[3] else found[2]
                # The last character of an initialiser is the bracket of its parameters.
                start = found.end() - bool(found[3])
                _, end = block(code, start)
                function = Function(
                    around, name, path, code[start:end], bool(found[1] or found[3])
                )
                self.functions.setdefault((around, name), []).append(function)
        for found in REGISTRATION.finditer(code):
            end = closing(code, code.index("(", found.start()), "()")
            if follows := re.match(r"\s*\{", code[end:]):
                end = closing(code, end + follows.end() - 1, "{}")
            self.registrations.append(
                (self._around(found, types), *found.groups(), code[found.end():end])
            )

    @staticmethod
    def _around(found, types):
        """The innermost type in which something was found."""
        names = [name for _, name, first, last in types if first < found.start() < last]
        return names[-1] if names else ""


def closing(code, start, pair):
    """The end of what the bracket at `start` opens."""
    depth = 0
    for index in range(start, len(code)):
        depth += (code[index] == pair[0]) - (code[index] == pair[1])
        if depth == 0:
            return index + 1
    raise ValueError(f"no {pair[1]}")


def block(code, start):
    """The braces that a declaration opens, which may stand after a list of parameters."""
    parens = 0
    for index in range(start, len(code)):
        parens += (code[index] == "(") - (code[index] == ")")
        if code[index] == "{" and parens == 0:
            return index, closing(code, index, "{}")
        if code[index] == "}" and parens == 0:
            break
    return start, start


class CallSources:
    """The handlers and the rules of every call, by its service's noun and its Swift name."""

    def __init__(self):
        self.handlers, self.rules = Sources(HANDLERS), Sources(RULES)
        self.calls = {
            (noun, method.removesuffix("View")): self._places(type_name, kind, rest)
            for type_name, kind, noun, method, rest in self.handlers.registrations
        }

    def _places(self, type_name, kind, rest):
        """The handlers of a registration, and their rules."""
        if kind == "watch":
            (route,) = self.handlers.functions["Router", "watch"]
            handlers = self._called("", route.body)
        elif "{" in rest:
            handlers = self._called(type_name, rest)
            # The handler is the closure itself, unless it calls another function.
            (register,) = self.handlers.functions[type_name, "register"]
            handlers = handlers or [dataclasses.replace(register, body=rest)]
        else:
            words = re.sub(r"\b(?:validating|missing):\s*[\w.]+", "", rest)
            handlers = self._called(type_name, re.sub(r"(?=[,)])", "(", words))
        return handlers, self._rules(handlers, writes=kind in ("write", "rows"))

    def _called(self, type_name, body):
        """The functions and the types of the handlers' targets that a text calls."""
        found = []
        for owner, name in re.findall(r"(?:\b([A-Z]\w*)\.(?!self)|(?<![.\w]))(\w+)(?=\(|\.self)", body):
            if name[0].isupper():
                found += self.handlers.types.get(name, [])[:1]
            else:
                found += self.handlers.functions.get((owner or type_name, name), [])[:1]
        return list(dict.fromkeys(found))

    def _rules(self, handlers, writes):
        """The functions over a transaction that the handlers run: the nearest ones only."""
        level, seen = handlers, set(handlers)
        for _ in range(DEPTH):
            rules = [rule for at in level for rule in self._run(at) if is_rule(rule, writes)]
            if rules:
                # Of several forms of a rule the first one leads to the others.
                firsts = {}
                for rule in rules:
                    firsts.setdefault((rule.type, rule.name), rule)
                return list(firsts.values())
            level = [
                called
                for function in level
                for called in self._called(function.type, function.body)
                if called not in seen
            ]
            seen |= set(level)
        return []

    def _run(self, function):
        """The functions of the rules' targets that a function calls, of a type or of a value."""
        types = dict.fromkeys(re.findall(r"\b[A-Z]\w*", function.body))
        calls = re.findall(r"(\w+|\))[?!]?\s*\.(\w+)\(|\b([A-Z]\w*)\(", function.body)
        for owner, name, made in calls:
            is_static = bool(made) or owner[0].isupper()
            owners = [made or owner] if is_static else types
            for rule in [
                rule
                for one in owners
                for rule in self.rules.functions.get((one, name), [])
                if rule.is_static == is_static
            ]:
                yield rule


def is_rule(function, writes):
    """Whether a function is over a transaction, and not a list of the keys that another reads."""
    head = function.body.split("{")[0]
    return bool(re.search(r"\bLedger\b" if writes else r"Transaction\b|\bAdjacencyCache\b", head))


# The column of each service's table that this script adds, and a row of such a table.
HEADS = "| call | handler · rule |\n|---|---|\n"
ROW = re.compile(r"^\| \[`(\w+)`\]\(#\w+\) \| (.*) · (.*) \|$", re.MULTILINE)


def without_sources(page):
    """The page as `relationctl` writes it, which knows no sources."""
    return re.sub(re.escape(HEADS) + r"(\|.*\n)+\n", "", page)


def with_sources(page):
    """The page with a table for each service, which links the handler and the rule of each call."""
    calls = CallSources().calls
    before, *services = re.split(r"^(?=### \w+Service$)", page, flags=re.MULTILINE)
    made = [before]
    for service in services:
        title, blank, rest = service.split("\n", 2)
        noun = title.removeprefix("### ").removesuffix("Service")
        noun = {"FriendGroup": "Group", "FriendApplication": "Application"}.get(noun, noun)
        rows = [row(name, *calls[noun, swift(name)])
                for name in re.findall(r"^#### (\w+)$", rest, re.MULTILINE)]
        made.append("\n".join([title, blank, HEADS + "\n".join(rows), blank, rest]))
    return "".join(made)


def swift(name):
    """The name of a call's method in Swift."""
    return re.sub(r"Id$", "ID", name[0].lower() + name[1:])


def row(name, handlers, rules):
    """The row of a call: links to its handlers, and to its rules if it has one."""
    return f"| [`{name}`](#{name.lower()}) | {links(handlers)} · {links(rules) or 'no rule'} |"


def links(functions):
    return ", ".join(dict.fromkeys(function.link() for function in functions))


if __name__ == "__main__":
    sys.stdout.write(with_sources(sys.stdin.read()))
