"""`make help` shows the commands of every day before all others."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_everyday_commands_come_first():
    shown = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    everyday, rest = re.fullmatch(
        r"Every day:\n(.*)\n\nNow and then:\n(.*)\n", shown, flags=re.DOTALL
    ).groups()
    days, others = ([line.split(maxsplit=2) for line in part.splitlines()]
                    for part in (everyday, rest))
    assert len(days) == 10
    assert [name for _, name, _ in days][:2] == ["run", "test"]
    # Each command that says what it does is shown once.
    documented = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert sorted(name for _, name, _ in days + others) == sorted(documented)
    assert all(about for _, _, about in days + others)
