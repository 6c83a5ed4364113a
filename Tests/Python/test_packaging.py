"""What packages are made with, as far as it can be tried without a package: see Tests/Packages."""

import importlib.util
import json
import re
import subprocess

import pytest
from relationd import ROOT, executable

PACKAGING = ROOT / "Packaging"


def loaded(name):
    """A script of `Packaging` as a module."""
    spec = importlib.util.spec_from_file_location(name, PACKAGING / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sbom = loaded("sbom")


def test_the_settings_that_a_package_brings_are_good():
    done = subprocess.run(
        [executable("relationd"), "config", "check", PACKAGING / "relationd.yaml"],
        capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("program", ["relationd", "relationctl"])
def test_a_man_page_has_every_command_with_every_option(program, tmp_path):
    manual = loaded("manual")
    manual.main("1.2.0", tmp_path, executable(program))
    page = (tmp_path / f"{program}.1").read_text().replace("\\-", "-")
    assert page.startswith(f'.TH {program.upper()} 1 "" "{program} 1.2.0"')
    help = json.loads(manual.said(executable(program), "--experimental-dump-help"))["command"]
    for command, path in manual.commands(help, [program]):
        section = re.search(
            rf"^\.SS {' '.join(path[1:])}\n(.*?)(?=^\.S[SH] )", page, re.MULTILINE | re.DOTALL)
        for argument in manual.shown(command["arguments"]):
            for name in argument.get("names") or []:
                if not manual.is_common(argument) and not name["name"].startswith("no-"):
                    assert f"--{name['name']}" in section[1]


def test_the_page_of_settings_has_every_setting(tmp_path):
    loaded("manual").main("1.2.0", tmp_path, executable("relationd"))
    page = (tmp_path / "relationd.yaml.5").read_text().replace("\\-", "-")
    settings = re.findall(r"^## (.+)$", (ROOT / "docs/settings.md").read_text(), re.MULTILINE)
    assert len(settings) > 30
    for name in settings:
        assert f"\n.SS {name}\n" in page


# The bill of materials


@pytest.fixture
def build(tmp_path):
    """A release build of which only the lists of objects are there."""

    def made(*modules):
        folder = tmp_path / "scratch" / "machine" / "release"
        for program in sbom.PROGRAMS:
            product = folder / f"{program}.product"
            product.mkdir(parents=True, exist_ok=True)
            lines = [f"/made/release/{module}.build/a.o" for module in (program, *modules)]
            (product / "Objects.LinkFileList").write_text("\n".join(lines) + "\n")
        return folder

    return made


def has(tmp_path, package, module):
    """Makes the sources of a package, and returns the folder of all packages."""
    checkouts = tmp_path / "checkouts"
    (checkouts / package / "Sources" / module).mkdir(parents=True)
    return checkouts


def pin(name):
    state = {"version": "1.0.0", "revision": "0" * 40}
    return {name: {"identity": name, "location": f"https://git.example/{name}", "state": state}}


def test_a_module_without_a_package_is_an_error(build, tmp_path):
    with pytest.raises(sbom.Unknown, match="Stranger is linked, and 0 packages have a source of"):
        sbom.swift_parts(build("Stranger"), tmp_path, {})


def test_a_package_that_is_not_pinned_is_an_error(build, tmp_path):
    checkouts = has(tmp_path, "Yams", "Yams")
    with pytest.raises(sbom.Unknown, match="Yams is linked, and is not in Package.resolved"):
        sbom.swift_parts(build("Yams"), checkouts, {})


def test_a_package_whose_license_is_unknown_is_an_error(build, tmp_path):
    checkouts = has(tmp_path, "swift-strange", "Strange")
    with pytest.raises(sbom.Unknown, match="swift-strange is linked: add its licence"):
        sbom.swift_parts(build("Strange"), checkouts, pin("swift-strange"))


def test_a_package_brings_what_it_holds_of_others(build, tmp_path):
    checkouts = has(tmp_path, "Yams", "CYaml")
    yams, held = sbom.swift_parts(build("CYaml"), checkouts, pin("yams"))
    assert (yams.name, yams.link, yams.license) == ("yams", "STATIC_LINK", "MIT")
    assert (held.name, held.link, held.holder) == ("libyaml", "CONTAINS", "yams")


def test_the_same_parts_make_the_same_bill():
    part = sbom.Part("yams", "6.2.2", "MIT", "STATIC_LINK")
    first, again = (sbom.bill("1.2.0", [part], 1_000_000_000) for _ in range(2))
    assert first == again
    other = sbom.bill("1.2.1", [part], 1_000_000_000)
    assert first["documentNamespace"] != other["documentNamespace"]
    assert first["creationInfo"]["created"] == "2001-09-09T01:46:40Z"
