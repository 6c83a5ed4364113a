"""Writes the contract as people and tools read it: `docs/openapi.json` and `docs/reference.html`.

    python reference_files.py

`relationd` serves both, so its sources have them too, compressed.
"""

import gzip

import openapi_document
import reference_page
from contract_model import ROOT

SERVED = ROOT / "Sources/RelationConsole/Reference"


def files():
    """What each file has to hold, by its path."""
    document = openapi_document.document().encode()
    page = reference_page.page()
    return {
        ROOT / "docs/openapi.json": document,
        ROOT / "docs/reference.html": page.encode(),
        SERVED / "openapi.gz": packed(document),
        SERVED / "reference.gz": packed(page.encode()),
        SERVED / "policy.txt": reference_page.policy(page).encode(),
    }


def packed(content):
    """The content by gzip, with no time in it."""
    return gzip.compress(content, 9, mtime=0)


if __name__ == "__main__":
    for path, content in files().items():
        path.write_bytes(content)
