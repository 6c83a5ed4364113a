"""The words of the console's dialogs: those of people, and no names of the contract."""

import re

from console import console, console_address, needs_browser  # noqa: F401

pytestmark = needs_browser
# The texts of the dialog of each call: its help, labels, helps, choices with their meanings, and
# buttons; lists with an item each, and parts that are opened, as deep as a person goes.
DIALOGS = """
    const {contract, help, plainly} = await import('/console/shared/contract.js');
    const {Form} = await import('/console/shared/form.js');
    const all = await contract(), texts = [];
    for (const call of all.calls.values()) {
        const form = new Form(all, new Map(), new Set(), new Set(['options']), true);
        let request = {};
        const holder = {keeps: true, get: () => request, set: value => { request = value; }};
        const place = document.createElement('div');
        const made = [help(call.lines, undefined, all), form.fields(call.request, holder, '')];
        place.append(...made.flat(9).filter(Boolean));
        document.body.append(place);
        for (let depth = 0; depth < 3; depth++) {
            for (const part of place.querySelectorAll('details.field:not([open])')) {
                part.open = true;
                part.dispatchEvent(new Event('toggle'));
            }
            for (const add of [...place.querySelectorAll('.add')].slice(0, 4)) add.click();
        }
        for (const control of place.querySelectorAll('select:not([multiple])')) {
            for (const option of control.options) {
                control.value = option.value;
                control.dispatchEvent(new Event('change'));
                texts.push(...[...control.closest('.field').querySelectorAll('.hint')].map(
                    each => [call.path, each.textContent]));
            }
        }
        const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) texts.push([call.path, walker.currentNode.textContent]);
        for (const each of place.querySelectorAll('[placeholder], [aria-label]')) {
            texts.push([call.path, each.getAttribute('aria-label') ?? each.placeholder]);
        }
        place.remove();
    }
    // What explanations and answers are made of.
    for (const name of ['RungKind', 'SendStatus', 'FriendStatus', 'FollowStatus', 'ProfileStatus']) {
        for (const {lines} of all.enums.get(name).values) {
            texts.push([name, plainly(all, lines.join(' '))]);
        }
    }
    return texts;
"""
# Names with underscores, types, names in capitals, names whose words only capitals part.
RAW = re.compile(
    r"\w_\w|\b(?:u?int(?:32|64)|bool|bytes=|UNSPECIFIED|FieldMask|protobuf)\b|\b[A-Z]{4,}[A-Z]*\b"
    r"|\b[a-z]+[a-z0-9]*[A-Z][a-z]\w*\b|\b[A-Z][a-z]+[A-Z][a-z]\w*\b")
# Names of products, norms and units, and words that people write so.
KNOWN = {
    "HTTP", "HTTPS", "JSON", "ASCII", "HMAC", "TIM", "REST", "UTF", "GiB", "MiB", "KiB", "ProtoJSON",
    "RongCloud", "OpenIM", "PostgreSQL", "CloudEvents", "BACKUP", "WebSocket", "UserSig",
}  # fmt: skip


def test_no_dialog_has_a_name_of_the_contract(console):  # noqa: F811
    console.show("explorer")
    texts = console.ask(DIALOGS)
    assert len(texts) > 3_000
    left = {}
    for path, text in texts:
        for name in RAW.findall(text):
            if name not in KNOWN:
                left.setdefault(name, (path, text[:160]))
    assert left == {}, "\n".join(f"{name}: {where}" for name, where in left.items())


def test_a_field_has_one_label_with_a_unit_and_without(console):  # noqa: F811
    console.show("overview")
    assert console.ask("""
        const {label} = await import('/console/shared/labels.js');
        return ['location', 'location_bytes', 'add_time_ms', 'ask_timeout_ms', 'nick'].map(label);
    """) == ["Place", "Place", "Since", "Ask timeout", "Nickname"]
