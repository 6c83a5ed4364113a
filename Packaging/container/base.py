"""Minimal systems as archives, by debootstrap: an image is laid on one, tests start from all."""

import pathlib
import subprocess
import tempfile

# The systems by their suites: the name, and the suite whose script sets it up.
SYSTEMS = {
    "bookworm": ("Debian 12", "bookworm"),
    "trixie": ("Debian 13", "trixie"),
    "jammy": ("Ubuntu 22.04", "jammy"),
    "noble": ("Ubuntu 24.04", "jammy"),
}
# One more has a database that servers are tried with; no program of ours runs on it.
WITH_OLDER = {**SYSTEMS, "bullseye": ("Debian 11", "bullseye")}
SCRIPTS = pathlib.Path("/usr/share/debootstrap/scripts")


def run(*command, **options):
    """Runs a command that must succeed, and returns what it prints."""
    done = subprocess.run(
        [str(word) for word in command], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def mirror(suite):
    """The place from which this machine gets its own packages, if it has that suite.

    It is empty for another suite, which takes it from the suite's own script.
    """
    lines = run(
        "apt-get", "indextargets", "--format", "$(SITE) $(LABEL)", f"Codename: {suite}")
    own = [line.split()[0] for line in lines.splitlines() if line.endswith(" Debian")]
    return own[0] if own else ""


def base(suite, folder):
    """The archive of a minimal system, made once; it needs the rights of root."""
    archive = pathlib.Path(folder) / f"root-{suite}.tar"
    if archive.exists():
        return archive
    archive.parent.mkdir(parents=True, exist_ok=True)
    name, script = WITH_OLDER[suite]
    # Debian has no keys of Ubuntu's archive. Its systems are only for tests, and thrown away.
    unsigned = ["--no-check-gpg"] if name.startswith("Ubuntu") else []
    with tempfile.TemporaryDirectory(prefix="base") as made:
        run("debootstrap", "--variant=minbase", *unsigned, suite, f"{made}/root", mirror(suite),
            SCRIPTS / script)
        part = archive.with_suffix(".part")
        run("tar", "--create", "--numeric-owner", "--file", part, "-C", f"{made}/root", ".")
        part.rename(archive)
    return archive
