"""The committed description of the contract is the one that protoc makes of proto/ today."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_description_that_reflection_serves_is_fresh(tmp_path):
    made = tmp_path / "relation.binpb"
    protos = sorted(p.relative_to(ROOT / "proto") for p in (ROOT / "proto").rglob("*.proto"))
    subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={ROOT / 'proto'}",
         "--include_imports", f"--descriptor_set_out={made}", *map(str, protos)],
        check=True, timeout=60)
    committed = ROOT / "Sources" / "RelationService" / "relation.binpb"
    assert made.read_bytes() == committed.read_bytes(), "run 'make contract'"
