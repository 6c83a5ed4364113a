"""The Debian packages, proved in a clean Debian: install, run, upgrade, remove.

They are built twice, under the version of the sources and under an earlier one; the second build
compiles one file. What was built stays in `.build-deb`.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from clean_root import clean_root, run
from installed import DATA, SETTINGS, UNIT, Service
from made import BUILD, EARLIER, package
from relationd import ROOT
from spdx_tools.spdx.model import RelationshipType
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

GRAPH = ROOT / "Tests" / "Data"
BACKUP = "/tmp/relation.tar"
# What would show that the root is not clean.
TOOLCHAIN = ("swift", "clang", "gcc", "cc", "ld", "make", "python3")
# The most that `systemd-analyze security` may find, in tenths.
EXPOSURE = 20
# The friends of two users in the graph, as its own file has them.
FRIENDS = {"0": 347, "1912": 755}


@pytest.fixture(scope="module")
def unpacked(packages, tmp_path_factory):
    """What the package of this version holds."""
    folder = tmp_path_factory.mktemp("unpacked")
    run("dpkg-deb", "--extract", packages[1], folder)
    return folder


@pytest.fixture
def root(packages):
    with clean_root() as made:
        yield made


@pytest.fixture
def service(root):
    """The service of a root, ended in any case."""
    made = Service(root)
    yield made
    made.end()


def friends(service):
    """The whole friend lists of some users."""
    lists = {}
    for user in FRIENDS:
        rows, token = [], ""
        while True:
            page = service.call("ListFriends", user_id=user, page_size=100, page_token=token)
            rows += [friend["userId"] for friend in page["friends"]]
            token = page.get("nextPageToken")
            if not token:
                break
        lists[user] = rows
    return lists


def as_service(root, *words):
    """Runs relationd as the user of the unit."""
    return root.run("runuser", "-u", "relationd", "--", "relationd", *words)


def test_a_graph_survives_the_upgrade_the_loss_of_its_folder_and_the_removal(
        root, service, packages, version):
    before, now = packages
    for name in TOOLCHAIN:
        assert not root.has(f"/usr/bin/{name}")
    said = root.install(before)
    assert "relationd init" in said and "systemctl enable --now relationd" in said
    service.settle()
    service.begin()
    word = service.start()
    assert word["STATUS"] == f"serving on 127.0.0.1:{service.ports[0]}"
    assert json.loads(service.page("/version"))["version"] == EARLIER
    assert service.page("/readyz") == "ready\n"
    service.app = service.call("CreateApp", name="graph")["app"]["appId"]
    for file in ("facebook_edges.txt", "facebook_circles.tsv"):
        shutil.copy(GRAPH / file, root.inside("/tmp"))
    service.control(
        "import", "/tmp/facebook_edges.txt", "--circles", "/tmp/facebook_circles.tsv")
    lists = friends(service)
    assert {user: len(rows) for user, rows in lists.items()} == FRIENDS
    service.stop()

    root.install(now)
    assert f"127.0.0.1:{service.ports[0]}" in root.inside(SETTINGS).read_text()
    service.start()
    assert json.loads(service.page("/version"))["version"] == version
    assert root.run("relationctl", "--version") == f"relationctl {version}\n"
    assert friends(service) == lists
    service.control("backup", "--to", BACKUP)
    assert f"relationd {version}: serving" in service.stop()

    # The folder is lost, and the backup makes it anew.
    shutil.rmtree(root.inside(DATA))
    root.run("install", "-d", "-o", "relationd", "-g", "relationd", "-m", "700", DATA)
    # The archive is root's, as relationctl wrote it.
    root.run("install", "-o", "relationd", "-m", "600", BACKUP, "/var/tmp/relation.tar")
    as_service(root, "restore", "--config", SETTINGS, "--from", "/var/tmp/relation.tar")
    as_service(root, "verify", DATA)
    service.start()
    assert friends(service) == lists
    service.stop()

    root.run("apt-get", "remove", "--yes", "relationd")
    assert not root.has("/usr/bin/relationd") and root.has(SETTINGS)
    said = root.run("apt-get", "purge", "--yes", "relationd")
    assert f"The data stay in {DATA}" in said
    assert not root.has(SETTINGS) and root.has(DATA)
    assert "relationd" in root.run("getent", "passwd", "relationd")

    # A package that is installed again goes on with the data.
    root.install(now)
    service.settle()
    service.start()
    assert friends(service) == lists
    service.stop()
    for name in TOOLCHAIN:
        assert not root.has(f"/usr/bin/{name}")


def test_a_package_without_data_leaves_nothing_behind(root, packages):
    root.install(packages[1])
    assert root.run("stat", "--format=%U:%G %a", DATA) == "relationd:relationd 700\n"
    root.run("apt-get", "purge", "--yes", "relationd")
    left = [name for name in (DATA, SETTINGS, "/usr/bin/relationd", UNIT) if root.has(name)]
    assert not left
    assert "relationd" not in root.inside("/etc/passwd").read_text()


# What systemd is asked for, in place of which this notes it. A unit is enabled by its link.
SYSTEMCTL = """#!/bin/sh
echo "$*" >> /run/asked
link=/etc/systemd/system/multi-user.target.wants/relationd.service
case "$*" in
*is-enabled*)
    if [ -L /etc/systemd/system/relationd.service ]; then echo masked; exit 1; fi
    if [ -L $link ]; then echo enabled; else echo disabled; exit 1; fi ;;
enable*) mkdir -p "${link%/*}"; ln -s /usr/lib/systemd/system/relationd.service $link ;;
*is-active*) exit 3 ;;
esac
"""
LINK = "/etc/systemd/system/multi-user.target.wants/relationd.service"
MASK = "/etc/systemd/system/relationd.service"


class Asked:
    """A root with a systemd that only notes what it is asked for."""

    def __init__(self, root):
        self.root = root
        root.inside("/run/systemd/system").mkdir(parents=True)
        systemctl = root.inside("/usr/bin/systemctl")
        systemctl.write_text(SYSTEMCTL)
        systemctl.chmod(0o755)
        self.log = root.inside("/run/asked")

    def by(self, act, *arguments):
        """What an act says, and which of the calls that it makes begin or end the service."""
        self.log.write_text("")
        said = act(*arguments)
        acts = ("start", "restart", "try-restart", "stop", "enable", "disable")
        calls = [line.replace("--quiet --system ", "") for line in self.log.read_text().splitlines()]
        return said, [line for line in calls if line.split()[0] in acts]


def test_the_service_is_started_again_where_it_was_enabled(root, packages):
    asked, unit = Asked(root), "relationd.service"
    said, calls = asked.by(root.install, packages[0])
    assert not calls and "relationd init" in said
    root.run("systemctl", "enable", unit)
    said, calls = asked.by(root.install, packages[1])
    assert calls == [f"try-restart {unit}"] and "not started" not in said
    said, calls = asked.by(root.run, "apt-get", "remove", "--yes", "relationd")
    assert calls == [f"stop {unit}"]
    # Nothing starts a unit whose program is gone, and it stays enabled.
    assert root.has(LINK) and os.readlink(root.inside(MASK)) == "/dev/null"
    said, calls = asked.by(root.install, packages[1])
    assert calls == [f"start {unit}"] and "not started" not in said
    assert root.has(LINK) and not root.has(MASK)
    root.run("apt-get", "purge", "--yes", "relationd")
    assert not root.has(LINK) and not root.has(MASK)


def test_the_service_stays_off_where_it_was_off_and_says_so(root, packages):
    asked, unit = Asked(root), "relationd.service"
    asked.by(root.install, packages[1])
    root.run("apt-get", "remove", "--yes", "relationd")
    said, calls = asked.by(root.install, packages[1])
    assert not calls and not root.has(LINK) and not root.has(MASK)
    assert "is installed again, and not started: systemctl enable --now relationd" in said
    # A unit that an operator has masked stays so.
    root.inside(MASK).symlink_to("/dev/null")
    root.run("apt-get", "remove", "--yes", "relationd")
    said, calls = asked.by(root.install, packages[1])
    # This does nothing to a unit that does not run.
    assert calls == [f"try-restart {unit}"] and root.has(MASK)


def test_the_system_calls_of_the_service_pass_the_filter_of_its_unit(
        root, service, packages, tmp_path):
    root.install(packages[1])
    service.settle()
    service.begin()
    trace = tmp_path / "trace"
    service.start(wrapper=["strace", "-f", "--quiet=all", "--summary-only", "-o", str(trace)])
    service.app = service.call("CreateApp", name="graph")["app"]["appId"]
    shutil.copy(GRAPH / "facebook_edges.txt", root.inside("/tmp"))
    service.control("import", "/tmp/facebook_edges.txt")
    service.control("backup", "--to", BACKUP)
    service.page("/metrics")
    tracer, service.process = service.process, None
    children = pathlib.Path(f"/proc/{tracer.pid}/task/{tracer.pid}/children").read_text().split()
    os.kill(int(children[0]), 15)
    tracer.communicate(timeout=60)
    used = set(re.findall(r"(\w+)$", trace.read_text(), flags=re.MULTILINE)) - {"total", "syscall"}
    assert {"openat", "write", "fdatasync", "epoll_wait"} <= used
    allowed = calls("@system-service") - calls("@privileged")
    # `chroot` and what gives its rights away stand before the unit's own program.
    of_the_test = {"chroot", "setuid", "setgid", "setgroups"}
    assert used - of_the_test <= allowed


def calls(group):
    """The system calls of a group of systemd, with those of the groups in it."""
    lines = run("systemd-analyze", "syscall-filter", group).splitlines()
    words = {line.strip() for line in lines if line.startswith("    ")}
    words -= {word for word in words if word.startswith("#")}
    return set().union(*(calls(word) if word[0] == "@" else {word} for word in words))


def test_the_steps_of_the_image_make_a_server_that_serves(root, packages, tmp_path):
    text = (ROOT / "Packaging" / "container" / "Dockerfile").read_text()
    stage = text[text.rindex("FROM "):].replace("\\\n", "").splitlines()
    settings, variables = {}, {}
    for line in stage:
        word, _, rest = line.partition(" ")
        if word == "COPY" and rest.startswith("--from=build"):
            root.inside("/packages").mkdir()
            shutil.copy(packages[1], root.inside("/packages"))
        elif word == "COPY":
            *sources, place = rest.split()
            for source in sources:
                shutil.copy(ROOT / source, root.inside(place))
        elif word == "RUN":
            root.run("sh", "-c", rest)
        elif word == "ENV":
            name, _, value = rest.partition("=")
            variables[name] = value
        elif word:
            settings[word] = rest
    assert not root.has("/packages")
    assert settings["VOLUME"] == DATA
    entry = json.loads(settings["ENTRYPOINT"])
    variables["PATH"] = "/usr/bin"
    key = root.run(*entry, "init", user=settings["USER"], variables=variables)
    assert key.splitlines()[-1].startswith("0.")
    process = subprocess.Popen(
        root.command(*entry, *json.loads(settings["CMD"]), user=settings["USER"]),
        env=variables | {
            "RELATIOND_LISTEN": "127.0.0.1:0", "RELATIOND_METRICS_LISTEN": "127.0.0.1:0"},
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        assert any(line.startswith("listening on 127.0.0.1:") for line in process.stdout)
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 0


# What the package holds


def test_debians_own_judge_of_packages_finds_nothing(packages, version):
    found = run("lintian", "--allow-root", "--tag-display-limit", "0", packages[1],
                package(version, "relationd-dbgsym"))
    assert found == ""


def test_the_unit_is_sound_and_shows_little(unpacked, tmp_path):
    unit = unpacked / UNIT.lstrip("/")
    # The man pages and the program of the unit are looked for on this machine.
    text = unit.read_text().replace("/usr/bin/relationd", f"{unpacked}/usr/bin/relationd")
    (tmp_path / "relationd.service").write_text(text)
    pages = {**os.environ, "MANPATH": f"{unpacked}/usr/share/man"}
    path = tmp_path / "relationd.service"
    assert run("systemd-analyze", "verify", path, env=pages) == ""
    run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", path)
    assert "\nType=notify\n" in text and "\nRestart=always\n" in text


def test_the_settings_of_the_package_are_good(unpacked):
    program = unpacked / "usr/bin/relationd"
    done = run(program, "config", "check", unpacked / SETTINGS.lstrip("/"))
    assert done.endswith("is good\n")


def test_every_command_has_its_place_in_a_man_page(unpacked):
    folder = unpacked / "usr/share/man"
    pages = {"man1/relationd.1.gz": "serve", "man1/relationctl.1.gz": "import",
             "man5/relationd.yaml.5.gz": "app-rate"}
    for name, word in pages.items():
        done = subprocess.run(
            ["man", "--warnings", "--encoding=UTF-8", "--local-file", folder / name],
            env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"}, capture_output=True,
            text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert word in done.stdout


def test_every_shell_gets_a_completion_of_every_command(unpacked):
    share = unpacked / "usr/share"
    for program, word in {"relationd": "serve", "relationctl": "import"}.items():
        bash = share / "bash-completion/completions" / program
        run("bash", "-n", bash)
        zsh = share / "zsh/vendor-completions" / f"_{program}"
        assert zsh.read_text().startswith(f"#compdef {program}")
        fish = share / "fish/vendor_completions.d" / f"{program}.fish"
        for file in (bash, zsh, fish):
            assert word in file.read_text()


def test_the_programs_are_stripped_and_find_their_symbols(unpacked, packages, version, tmp_path):
    run("dpkg-deb", "--extract", package(version, "relationd-dbgsym"), tmp_path)
    for program in ("relationd", "relationctl"):
        installed = unpacked / "usr/bin" / program
        sections = run("readelf", "--section-headers", "--wide", installed)
        assert ".debug_info" not in sections and ".symtab" not in sections
        id = re.search(r"Build ID: (\w+)", run("readelf", "--notes", installed))[1]
        symbols = tmp_path / f"usr/lib/debug/.build-id/{id[:2]}/{id[2:]}.debug"
        assert ".debug_info" in run("readelf", "--section-headers", "--wide", symbols)


def test_the_programs_hold_no_path_of_their_build(unpacked):
    for program in ("relationd", "relationctl"):
        for file in (BUILD / program, unpacked / "usr/bin" / program):
            assert str(ROOT).encode() not in file.read_bytes(), file


def test_the_package_needs_no_runtime_of_swift(packages):
    depends = run("dpkg-deb", "--field", packages[1], "Depends")
    assert "swift" not in depends.lower()
    for library in (
            "librocksdb", "libpq5", "libnghttp2", "libprotobuf-c", "libssl3", "libicu", "zlib1g",
            "libc6"):
        assert library in depends


def test_make_install_installs_below_a_prefix(packages, tmp_path):
    run("make", "install", "PREFIX=/usr/local", f"DESTDIR={tmp_path}", cwd=ROOT)
    program = tmp_path / "usr/local/bin/relationd"
    assert run(program, "--version").startswith("relationd ")
    unit = (tmp_path / "usr/local/lib/systemd/system/relationd.service").read_text()
    assert "ExecStart=/usr/local/bin/relationd serve" in unit
    # Settings that are there are an operator's.
    settings = tmp_path / SETTINGS.lstrip("/")
    settings.write_text("data: /srv\n")
    run("make", "install", "PREFIX=/usr/local", f"DESTDIR={tmp_path}", cwd=ROOT)
    assert settings.read_text() == "data: /srv\n"


# The bill of materials


@pytest.fixture(scope="module")
def document(unpacked):
    return parse_file(str(unpacked / "usr/share/doc/relationd/sbom.spdx.json"))


def test_the_bill_of_materials_is_valid(document, version):
    assert [found.validation_message for found in validate_full_spdx_document(document)] == []
    described = [
        relation.related_spdx_element_id for relation in document.relationships
        if relation.relationship_type == RelationshipType.DESCRIBES]
    main = next(package for package in document.packages if package.spdx_id in described)
    assert (main.name, main.version) == ("relationd", version)
    assert str(main.license_concluded) == "Apache-2.0"


def test_the_bill_names_every_pinned_package_that_is_linked(document):
    names = {package.name: package.version for package in document.packages}
    listed = "".join(
        (BUILD / f"{program}.product/Objects.LinkFileList").read_text()
        for program in ("relationd", "relationctl"))
    modules = set(re.findall(r"/([^/\n]+)\.build/", listed))
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    checkouts = ROOT / ".build-deb/checkouts"
    for pin in pins:
        folder = next(one for one in checkouts.iterdir() if one.name.lower() == pin["identity"])
        own = {path.name for path in (folder / "Sources").iterdir() if path.is_dir()}
        is_linked = bool(own & modules)
        assert is_linked == (pin["identity"] in names), pin["identity"]
        if is_linked:
            assert names[pin["identity"]] == pin["state"]["version"]


def test_the_bill_names_the_debian_package_of_every_library(document, unpacked):
    names = {package.name: package.version for package in document.packages}
    for program in ("relationd", "relationctl"):
        needed = run("readelf", "--dynamic", unpacked / "usr/bin" / program)
        for library in re.findall(r"Shared library: \[(.*)\]", needed):
            owners = run("dpkg", "--search", f"*/{library}").splitlines()
            owner = {line.split(": ")[0].split(":")[0] for line in owners if "x86_64" in line}
            assert owner & set(names), library
    for name in ("librocksdb7.8", "libpq5", "libnghttp2-14", "libprotobuf-c1", "libssl3", "libicu72",
                 "zlib1g"):
        form = "--showformat=${Version}"
        assert names[name] == run("dpkg-query", "--show", form, name)


def test_every_part_of_the_bill_has_a_license_and_a_way_in(document):
    related = {relation.related_spdx_element_id for relation in document.relationships}
    for part in document.packages:
        assert part.spdx_id in related
        assert part.license_concluded not in (None, "NOASSERTION")
    held = {package.name for package in document.packages}
    assert {"boringssl", "llhttp", "libyaml", "swift-runtime"} <= held
