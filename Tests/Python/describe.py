"""Writes the description that server reflection serves: the contract's files as protoc reads them,
those of the standard services beside it, and those of the details of a status.

python describe.py OUTPUT
"""

import pathlib
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto"


def contract():
    # The service of receivers is not here: apps implement it, and the server has none.
    files = sorted(str(path.relative_to(PROTO)) for path in PROTO.glob("relation/v1/*.proto"))
    with tempfile.NamedTemporaryFile(suffix=".binpb") as output:
        subprocess.run(
            [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}",
             "--include_imports", f"--descriptor_set_out={output.name}", *files],
            check=True, timeout=60)
        return descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(output.name).read_bytes())


def described(file):
    description = descriptor_pb2.FileDescriptorProto()
    file.CopyToProto(description)
    return description


def standard():
    health = described(health_pb2.DESCRIPTOR)
    alpha = described(reflection_pb2.DESCRIPTOR)
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


def details():
    """The files of the messages in `grpc-status-details-bin`, with all their imports, the imported
    ones first.

    No call has these messages, so the contract's files import none of them. A client that shows an
    error looks them up by the names in it.
    """
    files = {}

    def add(file):
        for imported in file.dependencies:
            add(imported)
        files[file.name] = described(file)

    add(status_pb2.DESCRIPTOR)
    add(error_details_pb2.DESCRIPTOR)
    return files.values()


def description():
    whole = contract()
    whole.file.extend(standard())
    known = {file.name for file in whole.file}
    whole.file.extend(file for file in details() if file.name not in known)
    return whole.SerializeToString(deterministic=True)


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_bytes(description())
