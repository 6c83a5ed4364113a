"""Writes the contract as people and tools read it: `docs/openapi.json` and `docs/reference.html`.

    python reference_files.py

`relationd` serves both, so its sources have them too, compressed.
"""

import functools
import gzip

import openapi_document
import reference_page
from contract_model import ROOT

SERVED = ROOT / "Sources/RelationConsole/Reference"


PATHS = (
    ROOT / "docs/openapi.json", ROOT / "docs/reference.html", SERVED / "openapi.gz",
    SERVED / "reference.gz", SERVED / "policy.txt",
)  # fmt: skip


@functools.cache
def files():
    """What each file has to hold, by its path."""
    document = openapi_document.document().encode()
    text = reference_page.page()
    page = text.encode()
    made = document, page, packed(document), packed(page), reference_page.policy(text).encode()
    return dict(zip(PATHS, made, strict=True))


def packed(content):
    """The content by gzip, with no time in it."""
    return gzip.compress(content, 9, mtime=0)


if __name__ == "__main__":
    for path, content in files().items():
        path.write_bytes(content)
