"""Pictures of the console's pages, and how their parts stand to each other.

    python screens.py FOLDER [--layouts] [--documents] [--name NAME]

Each page is drawn in light, in dark, and as wide as a phone, on a server of its own with the sample
graph; `FOLDER/index.html` is a sheet of all pictures. `--layouts` writes the trees anew with which
`test_console_screens.py` compares the pages, and `--documents` draws the pictures in `docs`.
"""

import argparse
import base64
import contextlib
import difflib
import html
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

import sample
from console import Console, call
from hands import Hands
from relationd import ROOT, Relationd, executable
from web import envelope

LAYOUTS = ROOT / "Tests/Screens"
# Each page in the states that a person sees first: its name, its parameters, and what is clicked.
SCREENS = {
    "overview": ("overview", {}),
    "graph": ("graph", {"id": 0}),
    "users": ("user", {}),
    "user": ("user", {"id": 0}),
    "user-friends": ("user", {"id": 0, "part": "friends"}),
    "user-log": ("user", {"id": 0, "part": "log"}),
    "user-seen": ("user", {"id": 0, "part": "seen"}),
    "user-history": ("user", {"id": 0, "part": "history"}),
    "user-why": ("user", {"id": 0, "why": 2}),
    "events": ("events", {"user": 0}),
    "explorer": ("explorer", {}),
    "explorer-call": ("explorer", {"call": "FriendService/CheckFriends"}),
    **{f"apps-{part}": ("apps", {"app": 1, "part": part}) for part in
       ("overview", "settings", "keys", "moderation", "hooks", "consumers", "audit",
        "server")},
}
# What a page shows last, where no call of its own tells that more is to come: the events from
# before are asked for once the stream has told its state.
LAST = {"events": "document.querySelector('.page .events li') !== null"}
CHANGES = (
    ("DeleteFriends", {"user_id": "0", "user_ids": ["1"], "delete_type": "DELETE_TYPE_BOTH"}),
    ("AddToBlacklist", {"user_id": "2", "user_ids": ["0"]}),
    ("UpdateProfile", {"user_id": "0", "profile": {"location": "Y2FiaW4="}}),
)
LOOKS = {"light": (1280, "light"), "dark": (1280, "dark"), "phone": (360, "light")}
WIDTHS = {1280: "light", 360: "light"}
# For so long calls are made before the overview is drawn: its plots have a reading in ten seconds.
USED_SECONDS = 90
# A picture shows no more of a long page.
MOST_HEIGHT = 3_000
# How far a box may stand from where it stood, in hundredths of the window's width: boxes whose
# width is some letters are wider with a larger font.
TOLERANCE = 6
# Counts the calls of a page that have no answer yet, or of a stream no beginning.
COUNTING = """
    window.awaited = 0;
    // A page that asks again would show the calls that ended since, on a slow machine.
    const repeated = window.setInterval;
    window.setInterval = (work, period) => period < 1000 ? repeated(work, period) : 0;
    const plain = window.fetch;
    window.fetch = async (...asked) => {
        awaited++;
        try {
            const answer = await plain(...asked);
            if (asked[1]?.headers?.['content-type'] === 'application/json') {
                await answer.clone().arrayBuffer();
            }
            return answer;
        } finally {
            awaited--;
        }
    };
"""
# Waits until a page has drawn what it has to draw at first.
SETTLED = """
    let same = 0, before = '';
    for (let tries = 0; tries < 800 && same < 6; tries++) {
        await new Promise(done => setTimeout(done, 25));
        const page = document.querySelector('.page');
        const now = `${page?.querySelectorAll('*').length} ${page?.textContent.length}`;
        same = now === before && page?.children.length && awaited === 0 &&
            !/^Loading/.test(page.textContent) ? same + 1 : 0;
        before = now;
    }
    scrollTo(0, 0);
    return same;
"""
# Gives the tree of a page's landmarks, headings, tables and controls as lines, and what is wrong
# with their places. A line has its depth as blanks, then how the element stands to the one before:
# `v` below it, `>` right of it, `~` behind it in a row that may break. Boxes that are as wide as
# their page lets them have their left and right edge in hundredths of the window's width.
LAYOUT = r"""
    const BOXES = 'header, nav, main, aside, section, form, fieldset, dialog, canvas, pre,' +
        '[role=region], [role=img], [role=listbox], .plot, .who, .card';
    const LEAVES = 'h1, h2, h3, h4, h5, h6, button, input, select, textarea, summary, meter,' +
        'img, svg';
    const LISTS = 'ul, ol, dl, table, [role=listbox]';
    const faults = [], lines = [], width = document.documentElement.clientWidth;
    const seen = element => element.checkVisibility({visibilityProperty: true}) &&
        element.getBoundingClientRect().width > 1 && !element.closest('.skip');
    const told = text => (text ?? '').trim().replace(/\s+/g, ' ').replace(/\d[\d.,:]*/g, '#')
        .slice(0, 40);
    const nameOf = element => told(element.getAttribute('aria-label') ||
        [...element.labels ?? []].map(label => label.firstChild?.textContent).join(' ') ||
        (element.matches(`${LEAVES}, a`) && !element.matches('input, select, textarea, svg')
            ? element.textContent : '') || (element.matches('section, aside, fieldset')
            ? element.querySelector('h2, h3, legend')?.textContent : ''));
    const kindOf = element => element.getAttribute('role') || element.localName;
    // The name of a picture goes on with what it shows.
    const title = element => `${kindOf(element)} ${nameOf(element)}`.trim()
        .replace(/^(img .*?)(?: now|[:;,]).*/, '$1');
    const wanted = element => element.matches(`${BOXES}, ${LEAVES}, table, ul, ol, dl`) ||
        element.matches('nav a') && !element.closest(LISTS);
    /** The path from an element up to a parent, without both ends. */
    const between = (element, parent) => {
        const path = [];
        for (let each = element; each !== parent; each = each.parentElement) path.unshift(each);
        return path;
    };
    /** Whether a container begins a new row where one is full. */
    const breaks = container => {
        const {display, flexFlow} = getComputedStyle(container);
        return display.includes('flex') ? flexFlow === 'row wrap' : display.includes('grid') &&
            /auto-fi/.test(container.computedStyleMap().get('grid-template-columns'));
    };
    /** Whether two elements stand in such a row, or in one of letters. */
    const flow = (one, other) => {
        let shared = one.parentElement;
        while (!shared.contains(other)) shared = shared.parentElement;
        const firsts = [between(one, shared)[0], between(other, shared)[0]];
        return breaks(shared) || getComputedStyle(shared).display === 'block' &&
            firsts.every(each => getComputedStyle(each).display.startsWith('inline'));
    };
    const isFree = element => {
        for (let each = element.parentElement; each !== document.body; each = each.parentElement) {
            if (breaks(each)) return false;
        }
        return true;
    };
    const relation = (one, other) => {
        const [a, b] = [one, other].map(each => each.getBoundingClientRect());
        if (b.top >= a.bottom - 2) return 'v';
        if (b.left >= a.right - 2) return '>';
        // A column beside that is scrolled by itself, or one that a row's end goes below.
        if (b.right <= a.left + 2) return '<';
        return 'x';
    };
    const isBox = element => element.matches(BOXES) &&
        !/inline|contents/.test(getComputedStyle(element).display);
    const edgesOf = ({left, right}) =>
        ` ${Math.round(100 * left / width)}-${Math.round(100 * right / width)}`;
    const visit = (parent, element, depth, listed, state) => {
        for (const each of element.children) {
            if (!seen(each)) continue;
            if (!wanted(each)) { visit(parent, each, depth, listed, state); continue; }
            if (each.matches('svg') && each.closest('[aria-hidden=true]')) continue;
            // The bar that stays at the window's end lies over whatever is there.
            const stands = !state.before ? '' : each.closest('.save') ? 'v'
                : relation(state.before, each);
            if (stands === 'x') faults.push(`${title(each)} lies over ${title(state.before)}`);
            const flows = state.before && flow(state.before, each);
            const edges = isBox(each) && !listed && isFree(each)
                ? edgesOf(each.getBoundingClientRect()) : '';
            const columns = each.matches('table') ? `: ${[...each.querySelectorAll('thead th')]
                .map(head => told(head.textContent)).join(', ')}` : '';
            const name = listed ? kindOf(each) : title(each);
            const mark = state.before ? (flows && stands !== 'x' ? '~' : stands) : '·';
            const line = `${' '.repeat(2 * depth)}${listed ? '*' : mark} ${name}${columns}${edges}`;
            if (!listed || !state.told.has(line)) lines.push(line);
            state.told.add(line);
            state.before = each;
            if (each.matches('table')) {
                visit(each, each.tBodies[0] ?? each, depth + 1, true, {told: new Set()});
            } else if (!each.matches(LEAVES)) {
                const inner = {told: listed ? state.told : new Set()};
                visit(each, each, depth + 1, listed || each.matches(LISTS), inner);
            }
        }
    };
    visit(document.body, document.body, 0, false, {told: new Set()});
    const scrolls = element => {
        for (let each = element.parentElement; each; each = each.parentElement) {
            if (/auto|scroll/.test(getComputedStyle(each).overflowX)) return true;
        }
        return false;
    };
    for (const each of document.querySelectorAll('body *')) {
        if (!seen(each) || each.closest('svg *, option')) continue;
        const box = each.getBoundingClientRect(), style = getComputedStyle(each);
        if ((box.left < -0.5 || box.right > width + 0.5) && !scrolls(each)) {
            faults.push(`${title(each)} stands outside of the window: ${
                Math.round(box.left)} to ${Math.round(box.right)}`);
        }
        const cuts = /hidden|clip/.test(style.overflowX) && style.textOverflow !== 'ellipsis';
        const isControl = each.matches('button, summary, h1, h2, h3, h4, th, label, legend');
        if ((cuts || isControl) && !each.matches('input, select, textarea, img') &&
            each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0) {
            faults.push(`${title(each)} is cut off: ${each.scrollWidth} of ${each.clientWidth}`);
        }
    }
    // What one can press lies over no other such thing.
    const pressed = [...document.querySelectorAll(
        'main :is(button, input, select, textarea, summary, a)')].filter(each => seen(each) &&
        !each.closest('.scroll, [role=listbox], .save, .calls, svg'));
    for (const [at, one] of pressed.entries()) {
        const a = one.getBoundingClientRect();
        for (const other of pressed.slice(at + 1)) {
            if (one.contains(other) || other.contains(one)) continue;
            for (const b of other.getClientRects()) {
                const [wide, high] = [Math.min(a.right, b.right) - Math.max(a.left, b.left),
                    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
                if (wide > 3 && high > 3 && one.getClientRects().length === 1) {
                    faults.push(`${title(other)} lies over ${title(one)}`);
                }
            }
        }
    }
    // Buttons have room between them, times two lines at most, and fields no more than a reader.
    const buttons = pressed.filter(each => each.matches('button'));
    for (const [at, one] of buttons.entries()) {
        const a = one.getBoundingClientRect();
        for (const other of buttons.slice(at + 1)) {
            const b = other.getBoundingClientRect();
            const [wide, high] = [Math.max(a.left, b.left) - Math.min(a.right, b.right),
                Math.max(a.top, b.top) - Math.min(a.bottom, b.bottom)];
            if (Math.max(wide, high) >= 0 && Math.max(wide, high) < 2) {
                faults.push(`${title(other)} touches ${title(one)}`);
            }
        }
    }
    const times = matchMedia('print').matches ? [] : document.querySelectorAll('td > time');
    for (const each of times) {
        if (each.getClientRects().length > 2) faults.push('a time is in more than two lines');
    }
    for (const each of document.querySelectorAll('main :is(input, select)')) {
        // A narrow window has nothing beside them.
        if (width > 1100 && seen(each) && each.offsetWidth > 620) {
            faults.push(`${title(each)} is too wide`);
        }
    }
    return {lines, faults: [...new Set(faults)]};
"""
# Two letters that a machine cannot draw look the same: each is an empty box. Blanks do too.
DRAWN = """
    const [one, other] = [...arguments[0]].map(letter => {
        const canvas = document.createElement('canvas');
        canvas.width = canvas.height = 48;
        const brush = canvas.getContext('2d');
        brush.font = '32px system-ui, sans-serif';
        brush.fillText(letter, 4, 36);
        return canvas.toDataURL();
    });
    return one !== other;
"""
# Names of the sample have letters of this kind.
HAN = "王李"
FONT = ("this machine has no font with Han characters, and would draw boxes in their place: "
        "install one, such as Debian's fonts-wqy-microhei")
EDGES = re.compile(r" (\d+)-(\d+)$")


class Screens(Console):
    """A browser that knows when a page waits for no answer any more."""

    def __init__(self, address, in_memory=True):
        super().__init__(address, in_memory)
        self.send("Page.addScriptToEvaluateOnNewDocument", source=COUNTING)


@contextlib.contextmanager
def sample_console():
    """Where the console of a server is that has the sample of `make run` and nothing else.

    `SCREENS_ADDRESS` names one that runs already.
    """
    if "SCREENS_ADDRESS" in os.environ:
        yield os.environ["SCREENS_ADDRESS"]
        return
    with tempfile.TemporaryDirectory() as folder, \
            Relationd(folder, "--audit-days", "30") as server:
        relationctl = [executable("relationctl"), "--server", server.address]
        sample.load(*relationctl)
        # A history with a deletion and a block in it.
        for name, request in CHANGES:
            subprocess.run([*relationctl, "call", name, json.dumps(request)], check=True,
                           stdout=subprocess.DEVNULL)
        # The overview has tables of failed calls from here on, whatever a page does.
        failed = subprocess.run(
            [*relationctl, "call", "CheckFriends", "{}"], capture_output=True, check=False)
        assert failed.returncode != 0
        yield server.pages


def path_of(name, width):
    """Where the tree of a page stands."""
    return LAYOUTS / f"{name}.{width}.txt"


def open_screen(console, name, width, scheme):
    """Shows a page as wide and as light as asked, once it has drawn itself."""
    page, parameters = SCREENS[name]
    console.look(width, scheme)
    # They take room on some machines, and lie over the page on others.
    console.send("Emulation.setScrollbarsHidden", hidden=True)
    console.show(page, **parameters)
    if page in LAST:
        console.until(LAST[page])
    assert console.ask(SETTLED), f"{name} does not settle"


def layout(console):
    """The tree of the page that is shown as lines, and the faults of its places."""
    found = console.ask(LAYOUT)
    assert isinstance(found, dict), found
    return found["lines"], found["faults"]


def moved(before, after):
    """What stands elsewhere than before, as one line for each element."""
    def plain(lines):
        return [EDGES.sub("", line) for line in lines]

    told = [f"{change}: {line.strip()}" for change, line in changes(plain(before), plain(after))]
    if told:
        return told
    for one, other in zip(before, after, strict=True):
        edges = [tuple(map(int, found.groups())) if (found := EDGES.search(line)) else ()
                 for line in (one, other)]
        if len(edges[0]) != len(edges[1]) or any(
                abs(a - b) > TOLERANCE for a, b in zip(*edges, strict=True)):
            told.append(f"moved: {one.strip()}, now {'-'.join(map(str, edges[1]))}")
    return told


def changes(before, after):
    """The lines that went and that came, in order; one that did both stands elsewhere now."""
    gone, new = [], []
    for line in difflib.ndiff(before, after):
        if line.startswith("- "):
            gone.append(line[2:])
        elif line.startswith("+ "):
            new.append(line[2:])
    name = {line: line.strip().partition(" ")[2] for line in gone + new}
    for line in gone:
        same = next((each for each in new if name[each] == name[line]), None)
        if same:
            new.remove(same)
            yield "moved", f"{line.strip()}, now {same.strip()}"
        else:
            yield "gone", line
    for line in new:
        yield "new", line


def picture(console, most=MOST_HEIGHT):
    """The whole page as a PNG: the window is as high as the page, up to `most` pixels."""
    width, height, scheme = console.ask(
        "return [innerWidth, Math.max(innerHeight, document.documentElement.scrollHeight),"
        " matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light']")
    console.look(width, scheme, min(height, most))
    console.ask(SETTLED)
    path = f"/session/{console.session}/screenshot"
    return base64.b64decode(console._say("GET", path))


def use(address, seconds=USED_SECONDS):
    """Makes calls as an app does, now more and now fewer, beside some streams that stay open."""
    streams = [urllib.request.urlopen(urllib.request.Request(
        f"{address}/relation.v1.ChangeService/Watch",
        envelope(json.dumps({"userId": user}).encode()),
        {"content-type": "application/connect+json"}), timeout=20) for user in "123"]
    begin = time.monotonic()
    for number in itertools.count():
        passed = time.monotonic() - begin
        if passed > seconds:
            break
        user, other = str(number % 4_000), str(number * 7 % 4_000)
        call(address, "FriendService/ListFriends", userId=user, pageSize=100)
        call(address, "FriendService/CheckFriends", userId=user, userIds=[other])
        if number % 3 == 0:
            call(address, "FriendService/UpdateFriends", userId="0", items=[
                {"userId": "3", "updateMask": "remark", "remark": f"remark {number}"}])
        time.sleep(0.02 * (2 + math.sin(passed / 9)))
    for stream in streams:
        stream.close()


def for_documents(console):
    """The pictures of README and of the console's document, each as a window shows it."""
    def shown(name, page, **parameters):
        console.look(1280, "light")
        console.send("Emulation.setScrollbarsHidden", hidden=True)
        console.show(page, **parameters)
        assert console.ask(SETTLED), f"{name} does not settle"
        return Hands(console)

    use(console.address)
    shown("overview", "overview")
    yield "overview", picture(console, 900)
    # The first friend shows its friends in common with the user, as if one pointed at it.
    shown("graph", "graph", id=0)
    console.ask("document.querySelector('[role=listbox]').focus()")
    Hands(console).press("\ue015" * 12)
    yield "graph", picture(console, 900)
    shown("user", "user", id=0, part="friends")
    yield "user", picture(console, 900)
    hands = shown("explorer", "explorer", call="FriendService/CheckFriends")
    hands.type("user_id", "0")
    hands.type("user_ids", "1\n4038")
    hands.click("Python")
    hands.click("Send")
    console.until("document.querySelector('.outcome')?.textContent.includes('ms')")
    console.ask("document.activeElement.blur()")
    yield "explorer", picture(console, 900)


def draws(console, letters):
    """Whether the machine has a font for two letters that look different."""
    return console.ask(DRAWN, letters) is True


def sheet(names):
    """A page of all pictures, a row for each page."""
    rows = "".join(
        f"<section><h2>{html.escape(name)}</h2><div>" + "".join(
            f'<a href="{name}.{look}.png"><img loading="lazy" src="{name}.{look}.png" '
            f'alt="{html.escape(name)}, {look}"></a>' for look in LOOKS) + "</div></section>"
        for name in names)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>The console's pages</title>
<style>
body {{ font: 15px system-ui, sans-serif; margin: 1rem; background: #888; }}
div {{ display: flex; gap: 1rem; align-items: start; }}
img {{ max-width: 100%; border: 1px solid #444; }}
a:not(:last-child) {{ flex: 0 1 40%; }}
a:last-child {{ flex: 0 1 12%; }}
</style>
<h1>The console's pages</h1>
{rows}
</html>
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--layouts", action="store_true", help="write the trees anew")
    parser.add_argument("--name", choices=SCREENS, action="append", help="this page alone")
    parser.add_argument(
        "--documents", action="store_true", help="draw the pictures of the documents alone")
    asked = parser.parse_args()
    names = asked.name or list(SCREENS)
    asked.folder.mkdir(parents=True, exist_ok=True)
    LAYOUTS.mkdir(exist_ok=True)
    with sample_console() as address, Screens(address) as console:
        if not draws(console, HAN):
            if asked.documents:
                sys.exit(FONT)
            print(FONT, file=sys.stderr)
        if asked.documents:
            for name, drawn in for_documents(console):
                (ROOT / f"docs/console-{name}.png").write_bytes(drawn)
            return
        for name in names:
            for look, (width, scheme) in LOOKS.items():
                open_screen(console, name, width, scheme)
                if asked.layouts and scheme == WIDTHS[width]:
                    path_of(name, width).write_text("\n".join([*layout(console)[0], ""]))
                (asked.folder / f"{name}.{look}.png").write_bytes(picture(console))
    (asked.folder / "index.html").write_text(sheet(names))
    print(f"the sheet of all pictures is {asked.folder / 'index.html'}")


if __name__ == "__main__":
    main()
