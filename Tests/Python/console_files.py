"""Lists the console's files for the C compiler, which puts them into the program.

python console_files.py

The folders of the console are the list; `Sources/CConsole/console.c` is made from them, and is
written only if it differs, since a file that is changed is compiled again.
"""

import pathlib
import re

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "Sources"
LIST = SOURCES / "CConsole/console.c"
# The pages and, behind them, the contract as `make docs` writes it: what is served of each folder.
FOLDERS = (
    ("RelationConsole/Files", r".+\.(js|css|html)"),
    ("RelationConsole/Reference", r".+\.(gz|txt)"))
HEAD = """\
#include "CConsole.h"

// `make console-files` makes this list from the folders of the console.
//
// The compiler of C copies a file into the program as it is. As numbers between commas, the same
// bytes cost the compiler of Swift one and a half minutes and 1.4 GB. A file that is changed
// compiles this one again.
#pragma clang diagnostic ignored "-Wc23-extensions"
"""
TAIL = """
size_t console_file_count(void) { return sizeof files / sizeof files[0]; }

struct console_file console_file_at(size_t index) { return files[index]; }
"""


def found(sources=SOURCES):
    """The files of each folder in their order: the path from `sources`, and the one below it."""
    return [
        (path.relative_to(sources).as_posix(), path.relative_to(sources / folder).as_posix())
        for folder, kind in FOLDERS
        for path in sorted((sources / folder).rglob("*"), key=lambda path: path.as_posix())
        if path.is_file() and re.fullmatch(kind, path.name)]


def name_of(path):
    """The name of a file's bytes in C; a script needs no ending."""
    return re.sub(r"\W", "_", path.removesuffix(".js"))


def listed(files):
    """The source in C that embeds these files."""
    arrays = "".join(
        f'static const unsigned char {name_of(path)}[] = {{\n#embed "../{source}"\n}};\n'
        for source, path in files)
    rows = "".join(
        f'    {{"{path}", {name_of(path)}, sizeof {name_of(path)}}},\n' for _, path in files)
    return f"{HEAD}\n{arrays}\nstatic const struct console_file files[] = {{\n{rows}}};\n{TAIL}"


def main():
    made = listed(found())
    if LIST.read_text() != made:
        LIST.write_text(made)


if __name__ == "__main__":
    main()
