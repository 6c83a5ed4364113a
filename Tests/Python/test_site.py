"""The site of the project: it opens from the disk, its links lead somewhere, and it can be read on
a telephone."""

import html.parser
import json
import os
import pathlib
import random
import subprocess
import sys
import urllib.parse

import pytest
from browser import Browser
from console import needs_browser
from guide import convert, toolchain
from hands import Hands
from relationd import ROOT

ADDRESS = (ROOT / "Packaging/address.txt").read_text().strip()
# Pages with a wide table, a wide diagram, long lines of code, Chinese, and types of the client.
LOOKED_AT = [
    "index.html", "README.zh-CN.html", "ARCHITECTURE.html", "docs/calling.html", "proto/CALLS.html",
    "docs/settings.html", "docs/decisions/0001-one-process-of-layered-targets.html",
    "client/index.html", "client/RelationClient/Client.html"]
# The diagrams of ARCHITECTURE.md, of which a run draws one, each time another.
DIAGRAMS = 5


class Links(html.parser.HTMLParser):
    """The anchors of a page, its links, and what it loads by itself."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.add(values["href"])
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev"):
            self.loads.add(values["href"])
        if tag in ("img", "script", "iframe", "source") and values.get("src"):
            self.loads.add(values["src"])


pytestmark = pytest.mark.skipif(
    toolchain("docc") is None, reason="this toolchain has no docc")


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    archive = tmp_path_factory.mktemp("docc") / "archive"
    done = convert(archive)
    assert done.returncode == 0, done.stdout
    return archive


@pytest.fixture(scope="module")
def site(archive, tmp_path_factory, seed):
    folder = tmp_path_factory.mktemp("site")
    # The messages have many pages, all made in the same way, a dark picture takes as long as a light
    # one, and each takes seconds: `SITE=whole`, as `make whole-site` has it, makes all.
    diagram = random.Random(f"{seed} diagram").randrange(DIAGRAMS) + 1
    some = [] if os.environ.get("SITE") == "whole" else [
        "--module", "RelationClient", "--dark", "docs/read-cache.md", "--diagram", str(diagram)]
    done = subprocess.run(
        [sys.executable, ROOT / "Packaging/site/site.py", folder, "--docc", archive, *some],
        capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site):
    return {path: Links(path.read_text()) for path in site.rglob("*.html")
            if path.relative_to(site) != pathlib.Path("docs/reference.html")}


def test_docc_makes_the_documentation_without_a_warning(archive):
    assert (archive / "data/documentation/relationclient.json").exists()


def test_each_page_of_the_repository_is_in_the_site(site):
    done = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in done.stdout.split():
        if name.startswith((".github/", "Sources/")):
            continue
        page = name.removesuffix("README.md") + "index.html" if name.endswith("/README.md") else (
            "index.html" if name == "README.md" else name.removesuffix("md") + "html")
        assert (site / page).exists(), page


def test_each_link_leads_to_a_file_and_an_anchor(site, pages):
    lost = []
    for path, page in pages.items():
        for link in page.links | page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme:
                # Of the project's own files each was looked up when the site was made.
                continue
            target = path if not parts.path else (
                path.parent / urllib.parse.unquote(parts.path)).resolve()
            if path.name == "404.html":
                target = site / parts.path.lstrip("/")
            if not target.exists():
                lost.append((str(path.relative_to(site)), link))
            elif parts.fragment and target in pages and urllib.parse.unquote(
                    parts.fragment) not in pages[target].anchors:
                lost.append((str(path.relative_to(site)), link))
    assert not lost, lost[:20]
    assert sum(len(page.links) for page in pages.values()) > 5000


def test_no_page_loads_anything_from_elsewhere(site, pages):
    for path, page in pages.items():
        assert not [load for load in page.loads if urllib.parse.urlsplit(load).scheme], path
    for path in [*site.rglob("*.css"), *site.rglob("*.svg")]:
        assert "@import url(http" not in path.read_text() and "url(http" not in path.read_text()


def test_each_diagram_is_a_picture_in_light_and_dark(site):
    architecture = (site / "ARCHITECTURE.html").read_text()
    source = (ROOT / "ARCHITECTURE.md").read_text()
    count = source.count("```mermaid")
    assert count == DIAGRAMS and "sequenceDiagram" not in architecture
    for number in range(1, count + 1):
        for scheme in ("light", "dark"):
            assert f"ARCHITECTURE-{number}-{scheme}.svg" in architecture
            picture = (site / f"ARCHITECTURE-{number}-{scheme}.svg").read_text()
            assert "RelationService" in picture or "GRPC" in picture
    page, drawn = ("ARCHITECTURE", "") if os.environ.get("SITE") == "whole" else (
        "read-cache", "docs")
    light, dark = (
        (site / drawn / f"{page}-1-{scheme}.svg").read_text() for scheme in ("light", "dark"))
    assert light != dark


def test_a_type_of_the_client_has_its_members_with_their_words(site):
    page = (site / "client/RelationClient/Client.html").read_text()
    assert "suggestedFriends" in page and "because friends of the user know them" in page
    if os.environ.get("SITE") == "whole":
        message = (site / "client/RelationAPI/AddFriendsRequest.html").read_text()
        assert "addType" in message and '="../RelationClient/' in message


@needs_browser
def test_it_opens_from_the_disk_and_finds_words_in_both_languages(site):
    with Browser("--window-size=1300,900") as browser:
        for word, page in (("addFriends", "proto/CALLS.html"), ("好友", "README.zh-CN.html")):
            browser.go((site / "docs/calling.html").as_uri())
            Hands(browser).type("Search", word)
            browser.until("""[...document.querySelectorAll(".md-search-result__link")]
                .some((link) => link.href.includes(args[0]))""", page)


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_telephone_shows_each_page_without_scrolling_sideways(site, scheme):
    with Browser("--window-size=1300,900") as browser:
        browser.look(360, scheme)
        for page in LOOKED_AT:
            browser.go((site / page).as_uri())
            width, shown = browser.ask("""
                return [document.documentElement.scrollWidth, document.body.dataset.mdColorScheme];
            """)
            assert width <= 360, page
            assert shown == ("slate" if scheme == "dark" else "default"), page


def test_the_index_of_search_has_each_page(site):
    index = json.loads((site / "search/search_index.json").read_text())
    places = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {page for page in LOOKED_AT if page != "index.html"} <= places
