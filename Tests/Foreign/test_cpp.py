"""gRPC's standard test cases, with its C++ library: its client with our server, and its server with
our client. Both are built from Debian's protos and libraries."""

import pathlib
import subprocess

import pytest
from interop import PROTOS, InteropServer, run_case
from relationd import ROOT, executable

HERE = pathlib.Path(__file__).resolve().parent
WORK = ROOT / ".build-foreign"
FILES = ["grpc/testing/empty.proto", "grpc/testing/messages.proto", "grpc/testing/test.proto"]
# Cases that a server of that library cannot check: it does not see if a message was compressed.
UNSEEN = {"client_compressed_unary", "client_compressed_streaming"}


def newest(paths):
    return max(path.stat().st_mtime for path in paths)


def build(name):
    """The program of one of our C++ files, built anew if the file has changed."""
    source, program = HERE / f"{name}.cc", WORK / name
    if program.exists() and program.stat().st_mtime > newest([source]):
        return program
    WORK.mkdir(exist_ok=True)
    plugin = subprocess.run(
        ["which", "grpc_cpp_plugin"], capture_output=True, text=True, check=True
    ).stdout.strip()
    subprocess.run(
        ["protoc", f"-I{PROTOS}", f"--cpp_out={WORK}", f"--grpc_out={WORK}",
         f"--plugin=protoc-gen-grpc={plugin}", *FILES], check=True,
    )  # fmt: skip
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "grpc++", "protobuf"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    made = [WORK / file.replace(".proto", end) for file in FILES for end in (".pb.cc", ".grpc.pb.cc")]
    made = [path for path in made if path.exists()]
    subprocess.run(
        ["g++", "-std=c++17", "-O1", f"-I{WORK}", str(source), *map(str, made), "-o", str(program),
         *flags], check=True,
    )  # fmt: skip
    return program


def listed(program, *arguments):
    run = subprocess.run(
        [program, *arguments], capture_output=True, text=True, timeout=30, check=True
    )
    return run.stdout.split()


@pytest.fixture(scope="module")
def client():
    return build("client")


@pytest.fixture(scope="module")
def foreign_port():
    process = subprocess.Popen(
        [build("server")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield int(process.stdout.readline())
    process.stdin.close()
    process.stdout.close()
    assert process.wait(30) == 0


def test_the_cpp_client_passes_every_case_with_our_server(client):
    cases = listed(client, "list")
    assert len(cases) == 22
    wrong = {}
    with InteropServer("--port", "0") as server:
        for case in cases:
            run = subprocess.run(
                [client, str(server.port), case], capture_output=True, text=True, timeout=120
            )
            if run.returncode != 0:
                wrong[case] = run.stderr
    assert wrong == {}


def test_our_client_passes_every_case_with_the_cpp_server(foreign_port):
    arguments = ["--server_port", "1", "--test_case", "list"]
    cases = listed(executable("relation-interop-client"), *arguments)
    hostile = {
        "goaway", "max_streams", "ping", "rst_after_header", "rst_during_data", "rst_after_data",
        "data_frame_padding",
    }  # fmt: skip
    standard = [case for case in cases if case not in hostile | UNSEEN]
    assert len(standard) == 21
    assert [wrong for case in standard if (wrong := run_case(foreign_port, case))] == []
