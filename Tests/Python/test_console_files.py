"""The files in the console's folders are the ones in the program."""

import re

import console_files

# The page of the contract has these inside it.
INSIDE = {f"RelationConsole/Reference/reference.{kind}" for kind in ("css", "js")}


def test_the_program_embeds_all_files_of_the_console_and_no_other():
    assert console_files.LIST.read_text() == console_files.listed(console_files.found()), (
        "a file of the console came or went: run `make console-files`")
    # A file of another kind would lie there, and never be served.
    there = {path.relative_to(console_files.SOURCES).as_posix()
             for folder, _ in console_files.FOLDERS
             for path in (console_files.SOURCES / folder).rglob("*") if path.is_file()}
    assert there - {source for source, _ in console_files.found()} == INSIDE


def test_scripts_and_styles_fit_in_100_columns():
    wide = [f"{path.relative_to(console_files.SOURCES)}:{number}"
            for kind in ("css", "js")
            for path in (console_files.SOURCES / "RelationConsole").rglob(f"*.{kind}")
            for number, line in enumerate(path.read_text().splitlines(), 1) if len(line) > 100]
    assert wide == []


def test_a_new_file_and_one_that_went_change_the_list(tmp_path):
    pages = tmp_path / "RelationConsole/Files"
    (pages / "user").mkdir(parents=True)
    for name in ("index.html", "user/user.js", "user/.user.js.swp", "notes.md"):
        (pages / name).write_text(name)
    one = console_files.listed(console_files.found(tmp_path))
    assert re.findall(r'#embed "([^"]+)"', one) == [
        "../RelationConsole/Files/index.html", "../RelationConsole/Files/user/user.js"]
    assert '{"user/user.js", user_user, sizeof user_user},' in one
    (pages / "user/user.js").unlink()
    assert "user_user" not in console_files.listed(console_files.found(tmp_path))


def test_no_two_files_share_a_name_in_c():
    names = [console_files.name_of(path) for _, path in console_files.found()]
    assert len(set(names)) == len(names) > 30
