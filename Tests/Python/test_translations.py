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
CODE = re.compile(r"`[^`\n]+`")
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

    def links(self):
        """The targets of links, in order; those to the other language are left out."""
        others = {page for pair in PAGES for page in pair}
        targets = [link or address for link, address in LINK.findall(self.prose)]
        targets = [self.target(target) for target in targets]
        return [target for target in targets if target not in others]

    def target(self, link):
        """A link as a path; a page in Chinese may lie in another folder."""
        if link.startswith("http"):
            return link
        name, _, heading = link.partition("#")
        path = (self.path.parent / name).resolve()
        return (path, heading) if heading else path

    def tables(self):
        """The number of cells in each line of a table."""
        lines = self.prose.splitlines()
        return [len(CODE.sub("", line).split("|")) for line in lines if line.startswith("|")]

    def codes(self):
        return sorted(CODE.findall(self.prose))


@pytest.fixture(params=PAGES, ids=lambda pair: f"{pair[1].parent.name}-{pair[1].name}")
def pair(request):
    return [Page(path) for path in request.param]


@pytest.mark.parametrize("part", ["commands", "links", "tables", "codes"])
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
