"""Builds the project's site:
`site.py FOLDER [--docc ARCHIVE [--module NAME]…] [--dark PAGE] [--diagram NUMBER]`.

It copies the pages of the repository, in their places, so that links between them hold. Links to
other files lead to the project's address. Diagrams become pictures, light and dark. DocC's archive
of the client becomes pages too. MkDocs makes HTML of all that, and fails at any warning.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import mermaidx
import yaml
from docc import Archive

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
ADDRESS = (ROOT / "Packaging/address.txt").read_text().strip()

# The pages that are not parts of the project's documents: what a forge shows in its forms.
LEFT_OUT = (".github/", "Sources/")
# Files beside the pages that pages show or link.
BESIDE = re.compile(r"docs/[^/]+\.(png|svg|json|html)")

# The parts of the navigation and their pages; a part takes what follows a pattern in its order.
NAVIGATION = {
    "Start": [
        "README.md", "docs/first-hour.md", "docs/testing.md", "Examples/*", "README.zh-CN.md",
        "docs/zh-CN/*"],
    "Calls": [
        "docs/calling.md", "proto/CALLS.md", "docs/clients.md", "Packaging/clients/*",
        "docs/compatibility.md", "docs/web.md", "docs/commands.md",
        "docs/follow.md", "docs/finding.md", "docs/suggestions.md", "docs/invitations.md",
        "docs/friend-marks.md", "docs/status.md", "docs/visibility.md", "docs/abuse.md",
        "docs/moderation.md", "docs/explain.md", "docs/dry-runs.md", "docs/history.md",
        "docs/erasure.md",
        "docs/webhooks.md",
        "docs/consumers.md", "docs/tim.md", "docs/tim-rest.md", "docs/migrate-tim.md",
        "docs/migrate-rongcloud.md", "docs/migrate-openim.md", "docs/migrate-nakama.md", "proto/*"],
    "Swift client": [
        "client/index.md", "client/FirstCall.md", "client/ErrorsAndRetries.md", "client/*.md",
        "client/*"],
    "Operation": [
        "docs/operating.md", "docs/settings.md", "docs/credentials.md", "docs/postgresql.md",
        "docs/kubernetes.md", "docs/platforms.md", "docs/proxies.md", "docs/console.md", "docs/upgrade.md",
        "docs/troubleshooting.md", "docs/runbooks/*"],
    "Design": [
        "ARCHITECTURE.md", "docs/performance.md", "docs/read-cache.md", "docs/foundationdb.md",
        "docs/wire.md", "docs/reliability.md", "docs/known-limits.md", "docs/glossary.md",
        "docs/decisions/*"],
    "Project": ["CHANGELOG.md", "CONTRIBUTING.md", "docs/add-a-call.md", "*"],
}
# Parts whose pages are so many that a reader opens them by folder.
FOLDERS = {
    "docs/decisions": "Decisions", "docs/runbooks": "Runbooks", "client/RelationClient": "Types",
    "client/RelationAPI": "Messages and methods", "client/RelationModel": "Codes and values",
    "client/Protobuf": "Protobuf",
}


def tracked():
    """The files of the repository, without those that git ignores."""
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT,
        capture_output=True, check=True)
    names = done.stdout.decode().rstrip("\0").split("\0")
    return {name for name in names if (ROOT / name).is_file()}


class Site:
    """The copies of the pages, on their way to HTML."""

    def __init__(self, folder, dark=None, diagram=None):
        self.pages_folder = folder / "pages"
        self.dark = dark
        self.diagram = diagram
        self.files = tracked()
        self.folders = {str(parent) for name in self.files for parent in pathlib.Path(name).parents}
        self.pages = sorted(
            name for name in self.files
            if name.endswith(".md") and not name.startswith(LEFT_OUT))
        self.beside = sorted(filter(BESIDE.fullmatch, self.files))
        shutil.rmtree(self.pages_folder, ignore_errors=True)

    def copy(self):
        """Copies the pages, with links and diagrams that a site can show, and the files beside."""
        for name in self.pages:
            text = (ROOT / name).read_text()
            text = self.with_links(name, without_badges(text))
            self.write(name, self.with_diagrams(name, text))
        for name in self.beside:
            self.pages_folder.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.pages_folder / name)

    def write(self, name, text):
        path = self.pages_folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def with_links(self, page, text):
        """The text with links to the project's address where the site has no page."""
        def replaced(found):
            target, hash_, anchor = found[2].partition("#")
            if not target or "://" in target or target.startswith("mailto:"):
                return found[0]
            path = os.path.normpath(os.path.join(os.path.dirname(page), target))
            if path in self.pages or path in self.beside:
                return found[0]
            if f"{path}/README.md" in self.pages:
                return f"{found[1]}{target.rstrip('/')}/README.md{hash_}{anchor})"
            if path in self.files:
                return f"{found[1]}{ADDRESS}/blob/main/{path}{hash_}{anchor})"
            if path in self.folders:
                return f"{found[1]}{ADDRESS}/tree/main/{path})"
            raise SystemExit(f"{page}: there is no {target}")
        return outside_code(text, lambda part: re.sub(r"(\]\()([^()\s]+)\)", replaced, part))

    def with_diagrams(self, page, text):
        """The text with a picture in place of each diagram."""
        pattern = re.compile(r"^```mermaid\n(.*?)^```\n", flags=re.DOTALL | re.MULTILINE)
        sources = pattern.findall(text)
        drawn = {}

        def picture(source, theme):
            if (source, theme) not in drawn:
                drawn[source, theme] = mermaidx.render(source, theme=theme).svg()
            return drawn[source, theme]

        def replaced(found):
            number = text.count("```mermaid", 0, found.start()) + 1
            stem = f"{pathlib.PurePosixPath(page).stem}-{number}"
            lines = []
            # Without a number each diagram is drawn; with one it stands for all of its page.
            source = found[1] if self.diagram is None else sources[
                (self.diagram - 1) % len(sources)]
            for scheme in ("light", "dark"):
                is_dark = scheme == "dark" and self.dark in (None, page)
                drawing = picture(source, "dark" if is_dark else "neutral")
                name = f"{stem}-{scheme}.svg"
                self.write(os.path.join(os.path.dirname(page), name), drawing)
                lines.append(f"![Diagram {number}]({name}#only-{scheme})")
            return "\n".join(lines) + "\n"
        return pattern.sub(replaced, text)

    def add_client(self, archive, modules):
        """Adds the pages of the Swift client, of some modules or of all."""
        pages = Archive(archive, modules).write(self.pages_folder / "client")
        self.pages += [f"client/{page}" for page in pages]

    def navigation(self):
        """The pages by part; each page stands in one."""
        left = list(self.pages)
        parts = []
        for title, patterns in NAVIGATION.items():
            pages = []
            for pattern in patterns:
                found = [page for page in left if matches(page, pattern)]
                left = [page for page in left if page not in found]
                pages += found
            if pages:
                parts.append({title: folded(pages)})
        return parts


def matches(page, pattern):
    """Whether a page is the one of a pattern; a star at the end stands for all below a folder."""
    if pattern == "*" or page == pattern:
        return True
    if pattern.endswith("/*.md"):
        return pathlib.PurePosixPath(page).match(pattern)
    return pattern.endswith("/*") and page.startswith(pattern[:-1])


def folded(pages):
    """The pages with those of a large folder under a title of their own."""
    entries, groups = [], {}
    for page in pages:
        folder = os.path.dirname(page)
        if folder not in FOLDERS:
            entries.append(page)
            continue
        if folder not in groups:
            groups[folder] = []
            entries.append({FOLDERS[folder]: groups[folder]})
        groups[folder].append(page)
    for group in groups.values():
        # The page of the folder itself comes first.
        group.sort(key=lambda page: not page.endswith(("README.md", "index.md")))
    return entries


def outside_code(text, change):
    """The text with a change of all that is not a block of code."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else change(part) for part in parts)


def without_badges(text):
    """The text with a plain link in place of each badge, which a page would load from the forge."""
    return re.sub(r"\[!\[([^]]+)\]\(https://[^)]+/badge\.svg\)\]", r"[\1]", text)


def load_nothing_from_elsewhere(folder):
    """Puts a script of our own in the place of the one script that the theme has elsewhere."""
    script = "assets/javascripts/file-worker.js"
    shutil.copy(HERE / "file-worker.js", folder / script)
    for page in folder.rglob("*.html"):
        here = os.path.relpath(folder / script, page.parent)
        text = page.read_text()
        page.write_text(text.replace("https://unpkg.com/iframe-worker/shim", here))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("folder", type=pathlib.Path, help="where the site is made: FOLDER/site")
    parser.add_argument("--docc", type=pathlib.Path, help="DocC's archive of the client")
    parser.add_argument("--module", action="append", default=[], help="one of its modules alone")
    parser.add_argument(
        "--dark", metavar="PAGE",
        help="the one page whose diagrams are drawn in dark too, for a site that is only looked at")
    parser.add_argument(
        "--diagram", metavar="NUMBER", type=int,
        help="the one diagram of each page that is drawn, in place of all, for such a site")
    options = parser.parse_args()
    folder = options.folder.resolve()
    site = Site(folder, options.dark, options.diagram)
    site.copy()
    if options.docc:
        site.add_client(options.docc, options.module)
    settings = {
        "INHERIT": str(HERE / "mkdocs.yml"), "docs_dir": str(folder / "pages"),
        "site_dir": str(folder / "site"), "repo_url": ADDRESS, "edit_uri": "",
        "nav": site.navigation()}
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings, allow_unicode=True))
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file",
         folder / "mkdocs.yml"], env={**os.environ, "NO_MKDOCS_2_WARNING": "true"},
        check=False).returncode
    if built == 0:
        load_nothing_from_elsewhere(folder / "site")
    return built


if __name__ == "__main__":
    sys.exit(main())
