"""The wheel of the client in Python."""

import importlib.metadata
import re
import sys

import clients
import python_services


def build(build):
    """Makes the sources and the wheel; returns the wheel's path."""
    protoc = (sys.executable, "-m", "grpc_tools.protoc")
    build.protoc(f"--python_out={build.source}", f"--pyi_out={build.source}", protoc=protoc)
    package = build.source / "relation_client"
    # As PEP 440 has it: 0.1.0-dev is 0.1.0.dev0.
    version = re.sub(r"-dev$", ".dev0", build.version)
    (package / "version.py").write_text(
        f'"""The version of this package."""\n\nVERSION = "{version}"\n')
    (package / "services.py").write_text(python_services.services(build.contract))
    (package / "v1.py").write_text(python_services.messages(build.contract))
    for folder in ("relation", "relation/v1", "relation/hook", "relation/hook/v1"):
        build.write(f"{folder}/py.typed", "")
    build.write("relation_client/py.typed", "")
    # Generated messages need the runtime that they were made for, or a later one.
    build.write("requirements.txt", "".join(
        f"{name}>={importlib.metadata.version(name)}\n" for name in ("grpcio", "protobuf")))
    clients.run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index",
                "--no-build-isolation", "--wheel-dir", build.out, build.source)
    (wheel,) = build.out.glob("*.whl")
    return wheel
