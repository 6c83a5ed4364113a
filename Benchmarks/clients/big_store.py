"""Makes a store with a large graph, for the measurement of a start.

    big_store.py RELATIONBENCH FRIENDSHIPS FOLDER

FRIENDSHIPS is a number such as 1M. The folder gets `graph.txt` and `data`; a store that is there
already is kept. The graph consists of copies of the sample, as `relationbench generate` makes it.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from setting import EDGES, ROOT

sys.path.insert(0, str(ROOT / "Tests" / "Python"))

from relationd import Relationd, executable  # noqa: E402


def main(bench, friendships, folder):
    folder = pathlib.Path(folder).resolve()
    if (folder / friendships).exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    graph = folder / "graph.txt"
    subprocess.run(
        [bench, "generate", "--graph", EDGES, "--friendships", friendships, "--out", graph],
        check=True)
    with tempfile.TemporaryDirectory(dir=folder) as logs:
        with Relationd(folder / "data") as server:
            subprocess.run(
                [executable("relationctl"), "import", graph, "--server", server.address],
                check=True, stdout=subprocess.DEVNULL, cwd=logs)
    # Its name says what the store has, once it has all.
    (folder / friendships).touch()


if __name__ == "__main__":
    main(*sys.argv[1:])
