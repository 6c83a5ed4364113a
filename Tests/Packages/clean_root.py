"""A Debian in a folder, with nothing in it that a minimal system does not have."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from relationd import ROOT

WORK = ROOT / ".build-deb"
BASE = WORK / "root.tar"
SUITE = "bookworm"


def mirror():
    """The place from which this machine gets its own packages of Debian."""
    form = "$(SITE) $(LABEL)"
    lines = run("apt-get", "indextargets", "--format", form, f"Codename: {SUITE}").splitlines()
    return next(line.split()[0] for line in lines if line.endswith(" Debian"))


def run(*command, **options):
    """Runs a command that must succeed, and returns what it prints."""
    done = subprocess.run(
        [str(word) for word in command], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def base():
    """The archive of a minimal system, made once."""
    if not BASE.exists():
        WORK.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="base") as folder:
            run("debootstrap", "--variant=minbase", SUITE, f"{folder}/root", mirror())
            part = BASE.with_suffix(".part")
            run("tar", "--create", "--numeric-owner", "--file", part, "-C", f"{folder}/root", ".")
            part.rename(BASE)
    return BASE


class CleanRoot:
    """The folder `path` as the root of commands; they need the rights of root."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def inside(self, name):
        """The path of a file of the root, as this machine sees it."""
        return self.path / str(name).lstrip("/")

    def command(self, *words, user="root"):
        """The words that run a command in the root; its process is the command's own."""
        return ["/usr/sbin/chroot", f"--userspec={user}", str(self.path), *map(str, words)]

    def run(self, *words, user="root", variables=None):
        """Runs a command in the root, which must succeed, and returns what it prints."""
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive",
            "LC_ALL": "C.UTF-8", **(variables or {})}
        return run(*self.command(*words, user=user), env=environment)

    def install(self, package):
        """Installs a package from a file, with all that it depends on."""
        shutil.copy(package, self.inside("/root"))
        return self.run(
            "apt-get", "install", "--quiet", "--yes", "--no-install-recommends",
            "-o", "Dpkg::Options::=--force-unsafe-io", f"/root/{package.name}")

    def has(self, name):
        """Whether a path is there; a link counts, wherever it leads."""
        return os.path.lexists(self.inside(name))


@contextlib.contextmanager
def clean_root():
    """A new root, which is removed at the end."""
    # The path is short, since a socket in the root has its own name behind it.
    folder = tempfile.mkdtemp(prefix="root")
    try:
        run("tar", "--extract", "--numeric-owner", "--file", base(), "-C", folder)
        root = CleanRoot(folder)
        run("mount", "-t", "proc", "proc", root.inside("/proc"))
        try:
            root.run("apt-get", "update", "--quiet=2")
            yield root
        finally:
            run("umount", "--lazy", root.inside("/proc"))
    finally:
        assert not os.path.ismount(f"{folder}/proc")
        shutil.rmtree(folder)
