"""The parts of the console's pages stand to each other as `make screens` last wrote it down."""

import pytest
import screens
from console import needs_browser

pytestmark = needs_browser
# Letters as other machines have them: of another family, and larger or smaller.
FONTS = {
    "own": "",
    "serif": "* { font-family: serif !important; } html { font-size: 17px; } "
             "body { font-size: 16px; }",
    "mono": "* { font-family: monospace !important; } html { font-size: 15px; } "
            "body { font-size: 14px; }",
}
RESTYLE = """
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(arguments[0]);
    document.adoptedStyleSheets = [sheet];
"""


@pytest.fixture(scope="module")
def console():
    with screens.sample_console() as address, screens.Screens(address) as browser:
        yield browser


@pytest.mark.parametrize("width", screens.WIDTHS)
@pytest.mark.parametrize("name", screens.SCREENS)
def test_each_part_of_a_page_stands_where_it_stood_with_any_letters(console, name, width):
    before = screens.path_of(name, width).read_text().splitlines()
    screens.open_screen(console, name, width, screens.WIDTHS[width])
    for font, style in FONTS.items():
        console.ask(RESTYLE, style)
        lines, faults = screens.layout(console)
        assert (font, screens.moved(before, lines), faults) == (font, [], [])


@pytest.mark.parametrize("style, told", [
    (".page-user .two { display: block; }",
     "moved: > section Act as user #, now v section Act as user #"),
    (".page-user .face { display: none; }", "gone: · img"),
    ("main { max-width: 40rem; }", "moved: v main 0-100, now 25-75"),
    (".page-user .parts { display: flex; flex-direction: column; align-items: start; }",
     "moved: ~ a Friends #, now v a Friends #"),
])
def test_a_part_that_moves_is_named(console, style, told):
    before = screens.path_of("user", 1280).read_text().splitlines()
    screens.open_screen(console, "user", 1280, "light")
    console.ask(RESTYLE, style)
    lines, _ = screens.layout(console)
    moved = screens.moved(before, lines)
    assert told in moved, moved


@pytest.mark.parametrize("style, fault", [
    (".page-user .acts { margin-top: -10rem; }", "lies over"),
    (".page-user .who { margin-left: -3rem; }", "stands outside of the window: -32 to"),
    (".page-user .who h2 { width: 3rem; overflow: hidden; white-space: nowrap; }", "is cut off"),
    (".page-user .buttons { gap: 0; }", "button Save all data touches button Edit the profile"),
    (".page-user .bar input { width: 50rem; }", "input Find a user is too wide"),
])
def test_a_part_that_cannot_be_read_is_a_fault(console, style, fault):
    screens.open_screen(console, "user", 1280, "light")
    console.ask(RESTYLE, style)
    _, faults = screens.layout(console)
    assert any(fault in each for each in faults), faults


def test_a_changed_tree_says_what_moved_what_came_and_what_went():
    before = ["· main 0-100", "  · h1 Users", "  v button Find"]
    assert screens.moved(before, before) == []
    assert screens.moved(before, ["· main 3-97", *before[1:]]) == []
    assert screens.moved(before, ["· main 0-90", *before[1:]]) == [
        "moved: · main 0-100, now 0-90"]
    assert screens.moved(before, [*before[:2], "  > button Find"]) == [
        "moved: v button Find, now > button Find"]
    assert screens.moved(before, [*before[:2], "  v table: User"]) == [
        "gone: v button Find", "new: v table: User"]


@pytest.mark.parametrize("letters, drawn", [
    ("AB", True), ("éè", True), ("\U000f8f00\U000f8f01", False), ("  ", False)])
def test_letters_without_a_font_are_found_before_a_picture_is_drawn(console, letters, drawn):
    console.go("about:blank")
    assert screens.draws(console, letters) is drawn


@pytest.mark.parametrize("arguments, ends", [(["--documents"], True), (["--name", "events"], False)])
def test_without_a_font_no_picture_of_a_document_is_drawn(
        console, monkeypatch, tmp_path, capsys, arguments, ends):
    monkeypatch.setenv("SCREENS_ADDRESS", console.address)
    monkeypatch.setattr(screens, "HAN", "\U000f8f00\U000f8f01")
    monkeypatch.setattr("sys.argv", ["screens.py", str(tmp_path), *arguments])
    pictures = {path: path.read_bytes() for path in (screens.ROOT / "docs").glob("console-*.png")}
    assert len(pictures) == 4
    if ends:
        with pytest.raises(SystemExit, match="fonts-wqy-microhei"):
            screens.main()
    else:
        screens.main()
        assert "fonts-wqy-microhei" in capsys.readouterr().err
    assert all(path.read_bytes() == kept for path, kept in pictures.items())
    assert bool([*tmp_path.iterdir()]) is not ends


def test_each_tree_belongs_to_a_page():
    kept = {path.name for path in screens.LAYOUTS.iterdir()}
    assert kept == {
        screens.path_of(name, width).name for name in screens.SCREENS for width in screens.WIDTHS}


# What paper would cut: what scrolls has its whole height, nothing stands over the text, and nothing
# is wider than the sheet.
CUT = """
    const seen = [...document.querySelectorAll('body *')].filter(each =>
        each.checkVisibility({visibilityProperty: true}) && !each.closest('svg *'));
    const name = each => `${each.localName}.${each.className} ${each.textContent.slice(0, 30)}`;
    return seen.flatMap(each => {
        const {overflowX, overflowY, position} = getComputedStyle(each);
        const cuts = [[overflowY, each.scrollHeight - each.clientHeight],
            [overflowX, each.scrollWidth - each.clientWidth]];
        return [
            ...cuts.filter(([flows, more]) => flows !== 'visible' && more > 1 &&
                !each.matches('input, select, canvas')).map(() => `${name(each)} is cut`),
            ...['fixed', 'sticky'].includes(position) ? [`${name(each)} stands over others`] : [],
            ...each.getBoundingClientRect().right > innerWidth + 1 ? [`${name(each)} is too wide`]
                : [],
        ];
    });
"""
# A sheet of A4 between its margins, in pixels of CSS.
SHEET = 718
LONG = {
    "explorer-call": """
        for (const name of ['pre', 'ol']) {
            const made = document.createElement(name);
            made.className = name === 'ol' ? 'answers' : '';
            made.textContent = 'word\\n'.repeat(200);
            document.querySelector('.answer').append(made);
        }
        const field = document.querySelector('label.wide textarea');
        field.value = '{}\\n'.repeat(80);
    """,
}


@pytest.mark.parametrize("name", screens.SCREENS)
def test_each_page_is_whole_on_paper(console, name):
    screens.open_screen(console, name, SHEET, "light")
    console.ask(LONG.get(name, ""))
    console.send("Emulation.setEmulatedMedia", media="print")
    try:
        _, faults = screens.layout(console)
        assert (faults, console.ask(CUT)) == ([], [])
        # It has something to read, and none of what one presses.
        assert console.ask("return document.querySelector('main').innerText.length > 20")
        assert console.ask("return [...document.querySelectorAll('button')]"
                           ".every(each => !each.checkVisibility())")
    finally:
        console.send("Emulation.setEmulatedMedia", media="")
