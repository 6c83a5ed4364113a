"""A Debian in a folder, with nothing in it that a minimal system does not have."""

import contextlib
import os
import pathlib
import shutil
import sys
import tempfile

from relationd import ROOT

sys.path.insert(0, str(ROOT / "Packaging" / "container"))

import base  # noqa: E402

run = base.run
WORK = ROOT / ".build-deb"
SUITE = "bookworm"


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

    def contained(self, *words, user="root"):
        """The words that run a command as an engine would: as the first of its own processes.

        Its process is that of `unshare`, which ends it if it is killed itself.
        """
        return ["unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child",
                f"--mount-proc={self.inside('/proc')}", *self.command(*words, user=user)]

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
def mounted(root):
    """The root with its folder of processes, which a loader needs to find a program's own place."""
    run("mount", "-t", "proc", "proc", root.inside("/proc"))
    try:
        yield
    finally:
        run("umount", "--lazy", root.inside("/proc"))


@contextlib.contextmanager
def clean_root(suite=SUITE):
    """A new root, which is removed at the end."""
    archive = base.base(suite, WORK)
    # The path is short, since a socket in the root has its own name behind it.
    folder = tempfile.mkdtemp(prefix="root")
    try:
        run("tar", "--extract", "--numeric-owner", "--file", archive, "-C", folder)
        root = CleanRoot(folder)
        with mounted(root):
            # Another system gets no package: what it has from the start must do.
            if suite == SUITE:
                root.run("apt-get", "update", "--quiet=2")
            yield root
    finally:
        assert not os.path.ismount(f"{folder}/proc")
        shutil.rmtree(folder)
