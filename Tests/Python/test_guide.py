"""The documentation of the Swift client: each block of code compiles."""

import subprocess

from guide import CATALOGUE, blocks, blocks_of, manifest_and_program, toolchain
from public_interface import compiler_options, documentation, name, symbols_of
from relationd import ROOT

PAGES = [ROOT / "README.md", *sorted(CATALOGUE.glob("*.md"))]
# The imports that a page's code may have beside the client's own.
IMPORTS = {"import RelationClient", "import RelationClientTesting", "import Foundation"}


# The values that the code of a doc comment uses, beside a client, and does not make.
GIVEN = {
    "CallOptions": "_ request: CheckFriendsRequest",
    "CallStream": "_ rows: [AccountRow]",
    "ChangesOptions": "_ request: WatchRequest",
    "ClientOptions": "_ key: String",
    "LoggingInterceptor": "_ options: inout ClientOptions",
    "MetricsInterceptor": "_ options: inout ClientOptions",
    "ProfileCache.apply(_:)": "_ cache: ProfileCache",
    "TracingInterceptor": "_ options: inout ClientOptions",
}


def function(number, block):
    """The source of a function that has a block of code as its body, with the block's own lines.

    A block may use `client`, unless it makes one.
    """
    lines = block.text.splitlines()
    imports = {line for line in lines if line.startswith("import ")}
    assert imports <= IMPORTS, f"{block.file}:{block.line}: {imports - IMPORTS}"
    body = "\n".join("" if line in imports else line for line in lines)
    parameters = ", ".join(["_ client: Client", *filter(None, [GIVEN.get(block.file)])])
    return (f"func block{number}({parameters}) async throws {{\n"
            f'#sourceLocation(file: "{block.file}", line: {block.line})\n{body}\n'
            "#sourceLocation()\n_ = client\n}\n")


def assert_it_compiles(source, code, *options):
    source.write_text("import Foundation\nimport Logging\nimport RelationClient\nimport RelationClientTesting\n\n" + "\n".join(
        function(number, block) for number, block in enumerate(code)))
    done = subprocess.run(
        [toolchain("swiftc"), "-typecheck", "-parse-as-library", "-swift-version", "6",
         "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature",
         "MemberImportVisibility", *options, *compiler_options(), source],
        capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_every_block_of_swift_in_a_page_compiles(tmp_path):
    found = [block for page in PAGES for block in blocks_of(page)]
    code = [block for block in found if not block.is_manifest]
    assert len(code) > 10
    assert_it_compiles(tmp_path / "Blocks.swift", code, "-warnings-as-errors")


def test_every_block_of_swift_in_a_comment_of_the_client_compiles(tmp_path):
    """A comment may make a value that it does not use, which is only a warning."""
    code = [block for symbol in symbols_of("RelationClient")
            for block in blocks(documentation(symbol), name(symbol))]
    assert len(code) > 10
    assert set(GIVEN) <= {block.file for block in code}
    assert_it_compiles(tmp_path / "Blocks.swift", code)


def test_the_readme_shows_the_lines_of_the_manifest():
    manifest, _ = manifest_and_program()
    [lines] = [block for block in blocks_of(ROOT / "README.md") if block.is_manifest]
    assert [line for line in lines.text.splitlines() if line not in manifest.text] == []


def test_every_article_stands_on_the_first_page():
    first = (CATALOGUE / "RelationClient.md").read_text()
    articles = {page.stem for page in CATALOGUE.glob("*.md")} - {"RelationClient"}
    assert articles and [name for name in articles if f"- <doc:{name}>" not in first] == []
