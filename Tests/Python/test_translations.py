"""The pages in Chinese have the commands, the links and the tables of those in English."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [
    (ROOT / "README.md", ROOT / "README.zh-CN.md"),
    *((page.parents[1] / page.name, page) for page in sorted(ROOT.glob("docs/zh-CN/*.md"))),
]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|<(https?://[^>]+)>")
IN_ENGLISH = {chinese: english for english, chinese in PAGES}
# Numbers that only one language writes in digits.
SPELLED = {"1", "2", "3", "8"}
CODE = re.compile(r"`[^`]+`")
CHINESE = re.compile(r"[\u4e00-\u9fff]")


class Page:
    def __init__(self, path):
        self.path = path
        self.text = path.read_text()
        self.prose = FENCE.sub("", self.text)

    def commands(self):
        """The blocks of code, without comments, which are in each page's language."""
        return [
            (language, [re.sub(r"\s+# .*", "", line) for line in block.splitlines()])
            for language, block in FENCE.findall(self.text)]

    def sections(self):
        """The depth of each heading, and the text below it until the next one."""
        parts = re.split(r"^(#+) .*$", self.prose, flags=re.MULTILINE)
        return list(zip(map(len, parts[1::2]), parts[2::2], strict=True))

    def links(self):
        """The targets of links, by section in their order.

        Those between a page and its translation are left out.
        """
        own = IN_ENGLISH.get(self.path, self.path)
        return [
            [target for link, address in LINK.findall(text)
             if (target := self.target(link or address)) != own]
            for _, text in self.sections()]

    def target(self, link):
        """A link as a path; a page with a translation stands for both, whatever its headings."""
        if link.startswith("http"):
            return link
        name, _, heading = link.partition("#")
        path = (self.path.parent / name).resolve() if name else self.path
        path = IN_ENGLISH.get(path, path)
        return (path, heading) if heading and path not in IN_ENGLISH.values() else path

    def tables(self):
        """The number of cells in each line of a table, by section."""
        return [
            [len(CODE.sub("", line).split("|")) for line in text.splitlines()
             if line.startswith("|")]
            for _, text in self.sections()]

    def lists(self):
        """The depths of the sections, with the number of points in each."""
        return [
            (depth, len(re.findall(r"^(?:-|[0-9]+\.) ", text, re.MULTILINE)))
            for depth, text in self.sections()]

    def codes(self):
        """What is set as code, by section."""
        return [
            sorted(" ".join(code.split()) for code in CODE.findall(text))
            for _, text in self.sections()]

    def numbers(self):
        """The numbers in digits, by section, without those that a language may spell."""
        return [
            sorted(number for number in re.findall(r"[0-9][0-9,./:]*[0-9]|[0-9]", bare(text))
                   if number not in SPELLED)
            for _, text in self.sections()]


def bare(text):
    """A text without code and the targets of links; ten thousands are thousands again."""
    text = re.sub(r"([0-9]+)\.([0-9]) 万", r"\1\2", text)
    return CODE.sub("", re.sub(r"\]\([^)]*\)", "]", text))


@pytest.fixture(params=PAGES, ids=lambda pair: f"{pair[1].parent.name}-{pair[1].name}")
def pair(request):
    return [Page(path) for path in request.param]


@pytest.mark.parametrize("part", ["commands", "links", "tables", "lists", "codes", "numbers"])
def test_both_languages_have_the_same(pair, part):
    english, chinese = (getattr(page, part)() for page in pair)
    assert english and chinese == english


def test_each_paragraph_is_in_its_language(pair):
    english, chinese = pair
    assert not CHINESE.search(re.sub(r"\[[^]]*\]\([^)]*zh-CN[^)]*\)", "", english.prose))
    heads = re.findall(r"^#+ (.*)$", chinese.prose, re.MULTILINE)
    assert len(heads) == len(re.findall(r"^#+ ", english.prose, re.MULTILINE))
    assert all(CHINESE.search(head) for head in heads), heads
    for paragraph in chinese.prose.split("\n\n"):
        words = CODE.sub("", re.sub(r"\]\([^)]*\)", "]", paragraph))
        if len(words) > 40 and not paragraph.startswith("`"):
            assert len(CHINESE.findall(words)) * 6 > len(words), paragraph


def test_a_link_to_a_heading_leads_to_one(pair):
    _, page = pair
    for link, _ in LINK.findall(page.prose):
        name, _, heading = link.partition("#")
        if not heading or link.startswith("http"):
            continue
        target = Page((page.path.parent / name).resolve() if name else page.path)
        heads = re.findall(r"^#+ (.*)$", target.prose, re.MULTILINE)
        # An anchor, as a forge makes it.
        anchors = [re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads]
        assert heading in anchors, (link, anchors)
