"""Makes the image of relationd as an archive in the form of OCI, without an engine.

    python3 image.py PACKAGE VERSION FOLDER [--base ARCHIVE]

It does what the last stage of the Dockerfile says, with umoci in place of an engine, over a minimal
Debian that debootstrap makes. It needs the rights of root, since a root file system has owners. The
layers are two: the system, and what the package adds to it. An engine reads the archive:
`docker load`, `podman load`, `skopeo copy oci-archive:FILE …`.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shlex
import shutil
import sys
import tempfile

from base import base, run

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SUITE = "bookworm"
# What Debian keeps of an installation, and no container reads. Folders stay.
LEFT_OVER = (
    "var/cache/apt", "var/cache/debconf", "var/cache/ldconfig", "var/lib/apt/lists", "var/log")
# A word of a Dockerfile that has no place in OCI's form is a label of the image.
LABEL_OF_HEALTH = "org.relation-chain.healthcheck"
# The annotation by which docker, podman and containerd name an image that they load.
ENGINE_NAME = "io.containerd.image.name"


class Wrong(Exception):
    """The image cannot be made; the text says why."""


def stage(text):
    """The lines of the last stage of a Dockerfile, as pairs of a word and the rest."""
    text = re.sub(r"^#.*\n", "", text[text.rindex("\nFROM "):], flags=re.MULTILINE)
    return re.findall(r"^([A-Z]+) (.+)$", text.replace("\\\n", " "), re.MULTILINE)


def options(lines, version, created):
    """The options of `umoci config` for these lines."""
    made = [
        "--created", created, "--architecture", architecture(), "--os", "linux",
        "--config.env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "--config.label", f"org.opencontainers.image.version={version}",
        "--config.label", "org.opencontainers.image.title=relationd",
        "--config.label", "org.opencontainers.image.licenses=Apache-2.0",
        "--config.label", f"org.opencontainers.image.source={address()}",
    ]
    for word, rest in lines:
        if word in ("ENTRYPOINT", "CMD"):
            name = {"ENTRYPOINT": "entrypoint", "CMD": "cmd"}[word]
            for one in json.loads(rest):
                made += [f"--config.{name}", one]
        elif word == "EXPOSE":
            for port in rest.split():
                made += ["--config.exposedports", f"{port}/tcp"]
        elif word in ("ENV", "USER", "VOLUME", "STOPSIGNAL"):
            made += [f"--config.{word.lower()}", rest]
        elif word == "HEALTHCHECK":
            made += ["--config.label", f"{LABEL_OF_HEALTH}={' '.join(rest.split())}"]
        elif word not in ("FROM", "COPY", "RUN"):
            raise Wrong(f"the Dockerfile says {word}, which Packaging/container/image.py must know")
    return made


def architecture():
    return run("dpkg", "--print-architecture").strip()


def address():
    return (ROOT / "Packaging" / "address.txt").read_text().strip()


def build(root, lines, package):
    """Does in the root what the lines say that change files."""
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    variables = {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
        **{name: os.environ[name] for name in ("http_proxy", "https_proxy") if name in os.environ}}
    for word, rest in lines:
        if word == "COPY":
            *sources, place = shlex.split(rest)
            target = root / place.lstrip("/")
            if place.endswith("/"):
                target.mkdir(parents=True, exist_ok=True)
            # What another stage gives is the package.
            other = sources[0].startswith("--from=")
            for source in [package] if other else [ROOT / one for one in sources]:
                shutil.copy(source, target)
        elif word == "RUN":
            # A daemon that a package wants to start has no place in an image.
            policy = root / "usr/sbin/policy-rc.d"
            policy.write_text("#!/bin/sh\nexit 101\n")
            policy.chmod(0o755)
            run("chroot", root, "sh", "-c", rest, env=variables)
            policy.unlink()
    clean(root)


def clean(root):
    """Takes away what Debian keeps of an installation."""
    for name in LEFT_OVER:
        for path in (root / name).rglob("*"):
            if path.is_file() or path.is_symlink():
                path.unlink()
    (root / "etc/resolv.conf").unlink(missing_ok=True)
    (root / "etc/hostname").unlink(missing_ok=True)


def give_name(index, version):
    """Has engines that load the layout call the image `relationd:VERSION`, as a build would.

    umoci gives it the version alone, of which docker makes no name, and podman one of its own.
    """
    layout = json.loads(index.read_text())
    (described,) = layout["manifests"]
    described.setdefault("annotations", {})[ENGINE_NAME] = f"docker.io/library/relationd:{version}"
    index.write_text(json.dumps(layout))


def make(package, version, folder, archive):
    lines = stage((HERE / "Dockerfile").read_text())
    seconds = int(
        os.environ.get("SOURCE_DATE_EPOCH") or run("git", "-C", ROOT, "log", "-1", "--format=%ct"))
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    created = created.strftime("%Y-%m-%dT%H:%M:%SZ")
    with tempfile.TemporaryDirectory(prefix="image") as work:
        layout, bundle = pathlib.Path(work, "layout"), pathlib.Path(work, "bundle")
        tag = f"{layout}:{version}"
        config = options(lines, version, created)
        run("umoci", "init", "--layout", layout)
        run("umoci", "new", "--image", tag)
        run("umoci", "unpack", "--image", tag, bundle)
        root = bundle / "rootfs"
        run("tar", "--extract", "--numeric-owner", "--file", archive, "-C", root)
        clean(root)
        layer = [
            "umoci", "repack", "--refresh-bundle", "--image", tag, "--history.created", created]
        run(*layer, "--history.created_by", f"debootstrap --variant=minbase {SUITE}", bundle)
        build(root, lines, package)
        run(*layer, "--history.created_by", f"dpkg --install {package.name}", bundle)
        # The volume comes last: umoci leaves out of a layer what lies in one.
        run("umoci", "config", "--image", tag, "--history.created", created, *config)
        run("umoci", "gc", "--layout", layout)
        give_name(layout / "index.json", version)
        made = folder / f"relationd-{version}-{architecture()}.oci.tar"
        folder.mkdir(parents=True, exist_ok=True)
        run("tar", "--create", "--sort=name", f"--mtime=@{seconds}", "--owner=0", "--group=0",
            "--numeric-owner", "--file", made, "-C", layout, ".")
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("version")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--base", type=pathlib.Path)
    given = parser.parse_args()
    missing = [name for name in ("umoci", "debootstrap") if shutil.which(name) is None]
    if missing:
        sys.exit(f"image: {' and '.join(missing)} must be installed: make packages-packages")
    if os.geteuid() != 0:
        sys.exit("image: a root file system has owners, so this needs the rights of root")
    if not given.package.is_file():
        sys.exit(f"image: there is no {given.package}: run make deb first")
    try:
        archive = given.base or base(SUITE, given.folder.parent)
        made = make(given.package.resolve(), given.version, given.folder, archive)
    except (Wrong, RuntimeError) as error:
        sys.exit(f"image: {error}")
    print(f"{made.stat().st_size / 1048576:8.1f} MiB  {made.name}")


main() if __name__ == "__main__" else None
