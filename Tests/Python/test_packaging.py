"""What packages are made with, as far as it can be tried without a package: see Tests/Packages."""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

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


def pin(name, version="1.0.0", revision="0" * 40):
    state = {"version": version, "revision": revision}
    return {name: {"identity": name, "location": f"https://git.example/{name}", "state": state}}


def test_a_module_without_a_package_is_an_error(build, tmp_path):
    with pytest.raises(sbom.Unknown, match="Unlisted is linked, and 0 packages have a source of"):
        sbom.swift_parts(build("Unlisted"), tmp_path, {})


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


def test_the_sources_are_built_with_the_versions_of_a_release():
    resolved = ROOT / "Package.resolved"
    if not resolved.exists():
        pytest.skip("the packages are not resolved yet")
    sbom.check_pins(sbom.read_pins(resolved), sbom.read_pins(sbom.RELEASED))


OF_TESTS = "1.0.0 of 000000000000"


@pytest.mark.parametrize("released, words", [
    (pin("yams", "1.0.1"), f"yams is {OF_TESTS}, and a release has 1.0.1 of 000000000000. Run cp"),
    (pin("yams", revision="1" * 40), f"is {OF_TESTS}, and a release has 1.0.0 of 111111111111. "),
    ({}, f"yams is {OF_TESTS}, and a release has missing. "),
    (pin("yams", "2.0.0") | pin("x"),
     f"x is missing, and a release has {OF_TESTS}; yams is {OF_TESTS}, and a release has 2.0.0")])
def test_a_release_is_made_from_the_packages_of_its_list(released, words):
    sbom.check_pins(pin("yams"), pin("yams"))
    with pytest.raises(sbom.Unknown, match=re.escape(words)):
        sbom.check_pins(pin("yams"), released)


def copied(folder, released):
    """A folder with the Makefile and the list of a release, where `swift` notes what it is told."""
    (folder / "Packaging").mkdir()
    for name in ("Makefile", "Package.swift", "Packaging/sbom.py"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "Packaging/Package.resolved").write_text(json.dumps({"pins": [*released.values()]}))
    swift = folder / "swift"
    swift.write_text('#!/bin/sh\necho "$@" >> told\nexit 1\n')
    swift.chmod(0o755)
    return folder


def made(folder, *words):
    return subprocess.run(
        ["make", *words, "DEB_PACKAGES=", "SWIFT=./swift"], cwd=folder, capture_output=True,
        text=True, check=False)


def test_a_clone_is_built_with_the_packages_of_a_release(tmp_path):
    folder = copied(tmp_path, pin("yams"))
    assert made(folder, "programs").returncode == 2
    assert sbom.read_pins(folder / "Package.resolved") == pin("yams")
    assert "--product relationd" in (folder / "told").read_text()


def test_other_packages_are_refused_before_the_build(tmp_path):
    folder = copied(tmp_path, pin("yams"))
    own = json.dumps({"pins": [*pin("yams", "1.1.0").values()]})
    (folder / "Package.resolved").write_text(own)
    done = made(folder, "programs")
    assert done.returncode == 2 and "sbom.py: yams is 1.1.0 of " in done.stderr
    assert not (folder / "told").exists() and (folder / "Package.resolved").read_text() == own


def test_the_notices_say_who_wrote_the_programs_and_where_the_licence_is(tmp_path):
    text = sbom.notices([], tmp_path)
    assert re.search(r"Copyright \d{4} ", text) and "/usr/share/common-licenses/Apache-2.0" in text


def test_the_same_parts_make_the_same_bill():
    part = sbom.Part("yams", "6.2.2", "MIT", "STATIC_LINK")
    first, again = (sbom.bill("1.2.0", [part], 1_000_000_000) for _ in range(2))
    assert first == again
    other = sbom.bill("1.2.1", [part], 1_000_000_000)
    assert first["documentNamespace"] != other["documentNamespace"]
    assert first["creationInfo"]["created"] == "2001-09-09T01:46:40Z"


# The image


class Image:
    """What the last stage of the Dockerfile says of a container, with the program of this build."""

    def __init__(self, folder):
        text = (PACKAGING / "container" / "Dockerfile").read_text()
        self.comment = re.match(r"(?:#.*\n)+", text)[0]
        stage = text[text.rindex("\nFROM "):].replace("\\\n", "")
        self.lines = re.findall(r"^([A-Z]+) (.*)$", stage, re.MULTILINE)
        # A folder of the data, and ports of its own, in place of those of an image.
        settings = (PACKAGING / "container" / "relationd.yaml").read_text()
        settings = settings.replace("/var/lib/relationd", str(folder / "data"))
        self.settings = folder / "relationd.yaml"
        self.settings.write_text(re.sub(r":745[01]\b", ":0", settings))
        self.place = dict(
            rest.split() for word, rest in self.lines
            if word == "COPY" and "--from" not in rest)["Packaging/container/relationd.yaml"]

    def said(self, word):
        """What is said behind a word, the last time."""
        return [rest for found, rest in self.lines if found == word][-1]

    def variables(self, given):
        made = dict(rest.split("=", 1) for word, rest in self.lines if word == "ENV")
        variables = {"PATH": os.environ["PATH"], **made, **given}
        return {name: value.replace(self.place, str(self.settings))
                for name, value in variables.items()}

    def words(self, arguments):
        entry = json.loads(self.said("ENTRYPOINT"))
        assert entry == ["relationd"]
        return [executable("relationd"), *(arguments or json.loads(self.said("CMD")))]

    def runs(self):
        """The lines of the comment that run it: their variables, and what stands behind its name."""
        text = self.comment.replace("\\\n#", "")
        found = re.findall(r"^# +docker run (.*?) relationd( \w+)?$", text, re.MULTILINE)
        return [(dict(re.findall(r"--env (\w+)=(\S+)", options)), rest.split())
                for options, rest in found]


@pytest.fixture
def image(tmp_path):
    return Image(tmp_path)


def test_each_line_that_runs_the_image_does_what_it_is_for(image, tmp_path, certificate):
    runs = image.runs()
    assert [rest for _, rest in runs] == [["init"], [], []]
    for given, rest in runs:
        given = {name: value.replace("/tls/server.pem", str(certificate.path))
                 .replace("/tls/server.key", str(certificate.key_path))
                 for name, value in given.items()}
        process = subprocess.Popen(
            image.words(rest), env=image.variables(given), cwd=tmp_path, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = process.stdout.readline()
        if rest == ["init"]:
            _, complained = process.communicate(timeout=60)
            assert process.returncode == 0 and said.startswith("0."), complained
            continue
        pages = process.stdout.readline()
        # An address that others reach, as the ports that the image shows must have.
        assert said.startswith("listening on 0.0.0.0:"), process.communicate()[1]
        port = re.fullmatch(r"metrics on http://0\.0\.0\.0:(\d+)/metrics\n", pages)[1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10) as answer:
            assert answer.read() == b"ready\n"
        process.terminate()
        process.communicate(timeout=60)
        assert process.returncode == 0


def test_the_image_has_a_demo_and_tells_its_health(image, tmp_path):
    """As the comment and HEALTHCHECK say, with free ports in place of the image's."""
    run = image.comment.replace("\\\n#", "")
    rest = re.search(r"^# +docker run .* relationd (demo .*)$", run, re.MULTILINE)[1].split()
    process = subprocess.Popen(
        [*image.words(rest), "--port", "0"], env=image.variables({}), cwd=tmp_path, text=True,
        stdout=subprocess.PIPE)
    lines = []
    while not lines or lines[-1] not in ("ready\n", ""):
        lines.append(process.stdout.readline())
    assert lines[-1] == "ready\n", lines
    assert lines[0].startswith("listening on 0.0.0.0:")
    assert any(line.startswith("key ") for line in lines)
    port = re.search(r":(\d+)/metrics$", lines[1].strip())[1]
    check = json.loads(image.said("HEALTHCHECK").partition(" CMD ")[2])
    check[-1] = check[-1].replace("/7451 ", f"/{port} ")
    assert port in check[-1]
    subprocess.run(check, check=True, timeout=10)
    process.terminate()
    assert process.wait(60) == 0
    process.stdout.close()
    assert subprocess.run(
        check, check=False, timeout=10, stderr=subprocess.DEVNULL).returncode != 0


def test_the_ports_that_the_image_shows_are_those_that_it_listens_on(image):
    text = (PACKAGING / "container" / "relationd.yaml").read_text()
    listened = re.findall(r"^(?:metrics-)?listen: 0\.0\.0\.0:(\d+)$", text, re.MULTILINE)
    assert image.said("EXPOSE").split() == listened == ["7450", "7451"]


def test_an_image_without_tls_says_what_it_needs(image, tmp_path):
    done = subprocess.run(
        image.words([]), env=image.variables({}), cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 64
    assert "other machines can reach 0.0.0.0:0" in done.stderr
    assert "--allow-plaintext" in done.stderr
    assert not (tmp_path / "data").exists()


def test_a_database_takes_the_place_of_the_folder_of_an_image(image, tmp_path):
    address = "postgresql://db.example/relation"
    done = subprocess.run(
        image.words(["config", "show"]), env=image.variables({"RELATIOND_STORE": address}),
        cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 64 and "--allow-plaintext" in done.stderr
    done = subprocess.run(
        image.words(["config", "show", "--allow-plaintext"]),
        env=image.variables({"RELATIOND_STORE": address}), cwd=tmp_path, capture_output=True,
        text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(rf"^store: '{address}' +# RELATIOND_STORE$", done.stdout, re.MULTILINE)
    assert re.search(r"^# data:", done.stdout, re.MULTILINE)


# What `make install` copies


# The path that sudo gives, which has no toolchain of Swift.
PATH_OF_SUDO = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """What `make programs` leaves."""
    folder = tmp_path_factory.mktemp("build")
    for name in ("relationd", "relationctl"):
        (folder / name).symlink_to(executable(name))
    (folder / "relationd.spdx.json").write_text("{}")
    (folder / "relationd.notices").write_text("Apache-2.0")
    return folder


@pytest.fixture(scope="module")
def version():
    said = subprocess.run([executable("relationd"), "--version"], capture_output=True, text=True)
    return said.stdout.split()[1]


@pytest.fixture(scope="module")
def without_swift(tmp_path_factory):
    """The usual tools, and strip, which takes long for a debug build; and no swift."""
    bin = tmp_path_factory.mktemp("bin")
    strip = bin / "strip"
    strip.write_text("#!/bin/sh\nexit 0\n")
    strip.chmod(0o755)
    python = pathlib.Path(sys.executable).resolve()
    (bin / "python3").symlink_to(python)
    path = f"{bin}:{PATH_OF_SUDO}"
    assert shutil.which("swift", path=path) is None
    return {"PATH": path, "LC_ALL": "C.UTF-8"}


def install(environment, *arguments):
    return subprocess.run(
        [PACKAGING / "install", *map(str, arguments)], capture_output=True, text=True,
        env=environment)


@pytest.mark.parametrize("prefix, zsh", [
    ("/usr", "vendor-completions"), ("/usr/local", "site-functions"),
    ("/opt/relation", "site-functions")])
def test_an_install_needs_no_swift_and_puts_all_in_its_place(
    programs, version, without_swift, tmp_path, prefix, zsh
):
    done = install(without_swift, programs, version, prefix, tmp_path / "root")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    below = tmp_path / "root" / prefix.lstrip("/")
    for name in ["bin/relationd", "bin/relationctl", "lib/sysusers.d/relationd.conf",
                 "share/man/man1/relationd.1.gz", "share/man/man5/relationd.yaml.5.gz",
                 "share/doc/relationd/sbom.spdx.json", "share/doc/relationd/copyright",
                 "share/bash-completion/completions/relationctl", f"share/zsh/{zsh}/_relationd",
                 "share/fish/vendor_completions.d/relationctl.fish"]:
        assert (below / name).is_file(), name
    assert (below / "bin/relationd").stat().st_mode & 0o777 == 0o755
    unit = (below / "lib/systemd/system/relationd.service").read_text()
    assert f"ExecStart={prefix}/bin/relationd serve" in unit and "@" not in re.sub(
        r"@(system-service|privileged)", "", unit)
    assert (tmp_path / "root/etc/relationd.yaml").is_file()


def test_the_next_steps_of_an_install_are_named(programs, version, without_swift, tmp_path):
    """They are told to who installs, and not to who packs."""
    if subprocess.run(["getent", "passwd", "relationd"], capture_output=True).returncode == 0:
        pytest.skip("this machine has the service")
    prefix, settings = tmp_path / "prefix", tmp_path / "etc"
    done = install(without_swift | {"SYSCONFDIR": str(settings)}, programs, version, prefix)
    assert done.returncode == 0, done.stderr
    assert (settings / "relationd.yaml").is_file()
    steps = ["systemd-sysusers", "systemctl link", "systemctl enable --now relationd",
             f"runuser -u relationd -- {prefix}/bin/relationd init --config {settings}/relationd.yaml"]
    places = [done.stdout.index(step) for step in steps]
    assert places == sorted(places)


@pytest.mark.parametrize("missing", [
    "relationd", "relationctl", "relationd.spdx.json", "relationd.notices"])
def test_an_install_copies_nothing_if_anything_is_missing(
    programs, version, without_swift, tmp_path, missing
):
    build = tmp_path / "build"
    shutil.copytree(programs, build, symlinks=True)
    (build / missing).unlink()
    done = install(without_swift, build, version, "/usr/local", tmp_path / "root")
    assert done.returncode == 1
    assert f"there is no {build}/{missing}: run make programs first" in done.stderr
    assert not (tmp_path / "root").exists()


def test_an_install_of_another_version_copies_nothing(programs, without_swift, tmp_path):
    done = install(without_swift, programs, "99.0.0", "/usr/local", tmp_path / "root")
    assert done.returncode == 1 and "and not version 99.0.0: run make programs" in done.stderr
    assert not (tmp_path / "root").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_an_install_into_a_folder_of_others_copies_nothing(without_swift):
    with tempfile.TemporaryDirectory(prefix="install") as folder:
        # Others may look into it, which they may not into pytest's own folders.
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        for name in ("relationd", "relationctl"):
            (folder / name).write_text(f"#!/bin/sh\necho {name} 1.0.0\n")
            (folder / name).chmod(0o755)
        for name in ("relationd.spdx.json", "relationd.notices"):
            (folder / name).touch()
        done = subprocess.run(
            [PACKAGING / "install", folder, "1.0.0", "/usr/local", folder / "root"],
            capture_output=True, text=True, env={"PATH": PATH_OF_SUDO}, user=65534, group=65534,
            extra_groups=[])
        assert done.returncode == 1, done
        assert f"{folder} cannot be written: run this as root" in done.stderr
        assert not (folder / "root").exists()


def test_an_engine_that_loads_the_image_finds_its_name(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(PACKAGING / "container")
    described = importlib.util.spec_from_file_location(
        "image", PACKAGING / "container" / "image.py")
    image = importlib.util.module_from_spec(described)
    described.loader.exec_module(image)
    index = tmp_path / "index.json"
    manifest = {"digest": "sha256:0", "annotations": {"org.opencontainers.image.ref.name": "1.2.0"}}
    for given in (manifest, {"digest": "sha256:0"}):
        index.write_text(json.dumps({"schemaVersion": 2, "manifests": [given]}))
        image.give_name(index, "1.2.0")
        [named] = json.loads(index.read_text())["manifests"]
        assert named["annotations"]["io.containerd.image.name"] == (
            "docker.io/library/relationd:1.2.0")
        assert given["digest"] == named["digest"]
        assert given.get("annotations", {}).items() <= named["annotations"].items()
