"""Writes the description that server reflection serves: the contract's files as protoc reads them,
and those of the standard services beside it.

    python describe.py OUTPUT
"""

import pathlib
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto"


def contract():
    files = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    with tempfile.NamedTemporaryFile(suffix=".binpb") as output:
        subprocess.run(
            [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}",
             "--include_imports", f"--descriptor_set_out={output.name}", *files],
            check=True, timeout=60)
        return descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(output.name).read_bytes())


def standard():
    health = descriptor_pb2.FileDescriptorProto()
    health_pb2.DESCRIPTOR.CopyToProto(health)
    alpha = descriptor_pb2.FileDescriptorProto()
    reflection_pb2.DESCRIPTOR.CopyToProto(alpha)
    # The stable version is the same file under another name, and has no package on PyPI.
    stable = descriptor_pb2.FileDescriptorProto()
    stable.CopyFrom(alpha)
    rename(stable)
    return [health, alpha, stable]


def rename(file):
    file.name = file.name.replace("v1alpha", "v1")
    file.package = file.package.replace("v1alpha", "v1")
    for message in file.message_type:
        for field in message.field:
            field.type_name = field.type_name.replace("v1alpha", "v1")
    for service in file.service:
        for method in service.method:
            method.input_type = method.input_type.replace("v1alpha", "v1")
            method.output_type = method.output_type.replace("v1alpha", "v1")


def description():
    described = contract()
    described.file.extend(standard())
    return described.SerializeToString(deterministic=True)


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_bytes(description())
