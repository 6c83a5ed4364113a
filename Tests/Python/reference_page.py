"""Writes the reference of the contract: one page of HTML that needs nothing else.

    python reference_page.py > docs/reference.html

Style and script are those of `Sources/RelationConsole/Reference`, and stand in the page. All other
text comes from the contract, from `proto/CALLS.md`, and from the cases of the contract.
"""

import base64
import hashlib
import html
import json
import re
import sys

from contract_examples import Examples
from contract_model import PACKAGE, ROOT, contract
from contract_prose import paragraphs
from openapi_document import VERSION

PARTS = ROOT / "Sources/RelationConsole/Reference"
#: A name in code, or a word that may be the name of a part of the contract.
NAMES = re.compile(r"`([^`]+)`|\b((?:[A-Z][a-z]+){2,}[A-Za-z]*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b")
REASONS = ("Reason", "ErrorReason")
GUIDE = """\
A call is a `POST` of its request to its path, or a call of gRPC. A call that only reads may be a
`GET`. The outcome of an item is in the answer, as `code` and `reason`. An error means that the call
as a whole was not understood or not allowed: its reason is one of `ErrorReason`.

In JSON the names of fields are in lowerCamelCase: `user_id` is `userId`. Numbers of 64 bits are
texts, enums are names, bytes are base64. A field that is `optional`, or of a message, may be not
set; any other field then has its default. "TIM", "RongCloud" and "Facebook" name the counterpart of
a part in those systems, and "(ours)" is a rule that goes beyond them."""


class Page:
    """The page of a contract."""

    def __init__(self, contract, version):
        self.contract, self.version = contract, version
        self.examples = Examples(contract)
        self.of_calls = {
            name for call in contract.calls for name in (call.request, call.answer)}
        self.ids = self._ids()

    def _ids(self):
        """The places of all parts of the contract, by the names that comments use."""
        ids = {}
        for enum in self.contract.enums.values():
            for value in enum.values:
                ids[value.name] = f"{PACKAGE}.{enum.name}.{value.name}"
        for service in self.contract.services:
            ids[service.name] = f"{PACKAGE}.{service.name}"
            for call in service.calls:
                ids[call.name] = f"{PACKAGE}.{service.name}.{call.name}"
        for name in [*self.contract.messages, *self.contract.enums]:
            ids[name] = f"{PACKAGE}.{name}"
        return ids

    def made(self):
        style, script = (
            (PARTS / f"reference.{kind}").read_text() for kind in ("css", "js"))
        # The text between the tags is what a policy has the hash of.
        return f"""\
<!doctype html>
<html lang=en>
<meta charset=utf-8>
<meta name=viewport content="width=device-width, initial-scale=1">
<meta name=color-scheme content="light dark">
<meta name=referrer content=no-referrer>
<title>The contract of the relation chain</title>
<link rel=icon href=data:,>
<style>{style}</style>
<a class=skip href=#main>To the contract</a>
<header>
<h1>The contract</h1>
<p>Every call of <code>{PACKAGE}</code>, with its messages, codes and reasons. Version \
{text(self.version)}. The same as <a href=openapi.json>OpenAPI</a>.
</header>
<div id=search role=search hidden>
<label>Search <input type=search name=q autocomplete=off spellcheck=false \
placeholder="a call, field, reason or word"></label>
<output></output>
</div>
{self._contents()}
<main id=main tabindex=-1>
{self._main()}
</main>
<script type=module>{script}</script>
"""

    # The list of contents

    def _contents(self):
        groups = [
            (service.name, self.ids[service.name], [call.name for call in service.calls])
            for service in self.contract.services]
        groups += [(title, title.lower(), names) for title, names in self._shared()]
        lists = []
        for title, place, names in groups:
            links = "\n".join(f"<li>{self._link(name)}" for name in names)
            lists.append(
                f"<details><summary>{title}</summary><ul>\n<li><a href=#{place}>About</a>\n{links}"
                "</ul></details>")
        return "<nav aria-label=Contents>\n" + "\n".join(lists) + "\n</nav>"

    def _shared(self):
        """The parts that stand after the calls, by their titles."""
        enums = [name for name in self.contract.enums if name not in REASONS]
        messages = [name for name in self.contract.messages if name not in self.of_calls]
        return [("Messages", sorted(messages)), ("Enums", sorted(enums)), ("Reasons", REASONS)]

    # The parts

    def _main(self):
        parts = [self._prose(GUIDE)]
        for service in self.contract.services:
            parts.append(
                f"<section class=part id={self.ids[service.name]}>\n{self._head(2, service.name)}"
                f"{self._prose(service.comment)}")
            parts += [self._call(call) for call in service.calls]
            parts.append("</section>")
        for title, names in self._shared():
            parts.append(f"<section class=part id={title.lower()}>\n<h2>{title}</h2>")
            for name in names:
                is_message = name in self.contract.messages
                parts.append(self._message(name, 3) if is_message else self._enum(name))
            parts.append("</section>")
        return "\n".join(parts)

    def _head(self, level, name):
        return f"<h{level}><a href=#{self.ids[name]}>{name}</a></h{level}>\n"

    def _call(self, call):
        sends = "stream of " if call.sends_stream else ""
        gives = "stream of " if call.gives_stream else ""
        verbs = "POST, GET" if call.is_safe and not call.is_stream else "POST"
        lines = [
            f"<section class=part id={self.ids[call.name]}>\n{self._head(3, call.name)}"
            f"<p class=soft><code>{verbs} {call.path}</code><br>{text(call.kind)}, scope"
            f" <code>{call.scope}</code>",
            self._prose(call.comment),
            f"<p>{sends}{self._link(call.request)} → {gives}{self._link(call.answer)}"]
        if call.limits:
            limits = ", ".join(
                f"<code>{text(limit.field)}</code> "
                + (f"{limit.most:,} {limit.unit}" if limit.most else "as a setting of the app says")
                for limit in call.limits)
            lines.append(f"<p class=soft>At most: {limits}")
        sources = [f"<code>{text(name)}</code> in {text(path)}"
                   for name, path in call.handlers + call.rules]
        lines.append("<p class=soft>In the sources: " + "; ".join(sources))
        lines.append(self._codes(call))
        if found := self.examples.answered(call):
            _, request, answer = found
            lines.append(
                "<details><summary>Example</summary>"
                f"<pre>{shown(request)}</pre><pre>{shown(answer)}</pre></details>")
        lines += [self._message(call.request, 4), self._message(call.answer, 4), "</section>"]
        return "\n".join(lines)

    def _codes(self, call):
        own = [self._code(code) for code in call.codes]
        shared = ", ".join(self._link(code.name, code.short) for code in call.shared)
        return (
            f"<details><summary>Codes and errors</summary><ul>{''.join(own)}\n"
            f"<li>As every call of its kind: {shared}</ul></details>")

    def _code(self, code):
        number = "" if code.is_error else f"{code.number} "
        return f"\n<li>{number}{self._link(code.name)} {self._inline(code.meaning)}"

    def _message(self, name, level):
        message = self.contract.messages[name]
        rows = []
        for field in message.fields:
            kind = self._type(field)
            oneof = f", one of <code>{field.oneof}</code>" if field.oneof else ""
            rows.append(
                f"\n<li id={PACKAGE}.{name}.{field.name}><code>{field.name}</code> {kind}{oneof}"
                f" <small>{field.number}</small>{self._prose(field.comment)}")
        return self._part(name, level, message.comment, rows)

    def _enum(self, name):
        enum = self.contract.enums[name]
        rows = [
            f"\n<li id={PACKAGE}.{name}.{value.name}><code>{value.name}</code>"
            f" <small>{value.number}</small>{self._prose(value.comment)}"
            for value in enum.values]
        return self._part(name, 3, enum.comment, rows)

    def _part(self, name, level, comment, rows):
        fields = f"<ul>{''.join(rows)}</ul>" if rows else "<p class=soft>No fields."
        return (
            f"<section class=part id={self.ids[name]}>\n{self._head(level, name)}"
            f"{self._prose(comment)}{fields}</section>")

    def _type(self, field):
        label, _, name = field.shown.rpartition(" ")
        if field.key:
            return f"<code>map&lt;{field.key}, {field.type}&gt;</code>"
        return (f"{label} " if label else "") + self._link(name)

    # Words

    def _link(self, name, shown=None):
        place = self.ids.get(name)
        shown = f"<code>{text(shown or name)}</code>"
        return f"<a href=#{place}>{shown}</a>" if place else shown

    def _prose(self, comment):
        made = []
        for part in paragraphs(comment):
            if isinstance(part, list):
                items = "".join(f"<div>{self._inline(each)}</div>" for each in part)
                made.append(f"<div class=points>{items}</div>")
            else:
                made.append(f"<p>{self._inline(part)}")
        return "\n".join(made)

    def _inline(self, words):
        made, end = [], 0
        for found in NAMES.finditer(words):
            made.append(text(words[end:found.start()]))
            name = found[1] or found[2]
            is_known = name in self.ids
            made.append(self._link(name) if found[1] or is_known else text(name))
            end = found.end()
        return "".join(made) + text(words[end:])


def text(words):
    return html.escape(words, quote=False)


def shown(value):
    return text(json.dumps(value, ensure_ascii=False, indent=1))


def policy(page):
    """What a browser lets the page do: its own style and script, and nothing else."""
    style, script = (
        base64.b64encode(hashlib.sha256(
            re.search(pattern, page, re.S)[1].encode()).digest()).decode()
        for pattern in (r"<style>(.*?)</style>", r"<script type=module>(.*?)</script>"))
    return (
        f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}';"
        " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
        " require-trusted-types-for 'script'; trusted-types 'none'")


def page():
    """The text of the page, as the sources say it today."""
    version = VERSION.search((ROOT / "Package.swift").read_text())[1]
    return Page(contract(), version).made()


if __name__ == "__main__":
    sys.stdout.write(page())
