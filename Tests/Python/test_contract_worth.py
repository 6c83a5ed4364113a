"""The cases of Tests/Contract are worth something: a server that answers otherwise fails them."""

import json
import os
import random
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from meddler import MeddledCase, Meddler, codes, reaching, run

# So many codes of each case, at most, are changed by the last test, one at a time. Without a number
# it changes one code in each of some cases only; `make codes` changes them in all.
CODES = int(os.environ.get("CODES_PER_CASE", 0))
SOME = 60
CASES = {
    f"{path.parent.name}/{path.stem}: {case['name']}": case
    for path in sorted(run.CASES.rglob("*.json"))
    for case in json.loads(path.read_text())["cases"]
}  # fmt: skip
# No server can answer these otherwise: the client decodes bytes of the case.
WITHOUT_SERVER = {name for name in CASES if name.startswith("Messages/")}
# These look at a status that the client makes, and at no other code.
WITHOUT_CODE = WITHOUT_SERVER | {
    "ChangeService/Watch: a deadline ends a stream",
    "MaintenanceService/ImportFriends: a deadline ends a stream of rows that is still open",
}


@pytest.fixture(scope="module")
def client(server):
    return run.Client(server.address, None)


class Empty(grpc.GenericRpcHandler):
    """Answers every call with status OK and an empty message."""

    def service(self, details):
        return grpc.stream_stream_rpc_method_handler(lambda requests, context: iter([b""]))


@pytest.fixture(params=["unimplemented", "empty"])
def another(request, client):
    """A client of a server that answers everything alike."""
    server = grpc.server(
        ThreadPoolExecutor(8), [Empty()] if request.param == "empty" else [],
        options=[("grpc.max_receive_message_length", -1)])
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    yield reaching(address, client)
    server.stop(None).wait()


def test_a_server_that_answers_all_calls_alike_fails_every_case(another, some_of):
    passed, names = set(), some_of(CASES, 4)
    for name in names:
        case = CASES[name]
        running = run.Case(another, case)
        # The steps of the case itself must fail, so nothing is made before them.
        running.names["app"] = "1"
        wrong = running.run([{**step, "retryForMs": 1} for step in case["steps"]])
        running.end()
        if not wrong:
            passed.add(name)
    assert passed == WITHOUT_SERVER & set(names)


def test_every_case_looks_at_a_code(client):
    assert {name for name, case in CASES.items() if not list(codes(client, case))} == WITHOUT_CODE


def test_a_changed_code_fails_each_case_that_looks_at_it(server, client, seed):
    chance = random.Random(f"{seed} worth")
    passed = []
    names = list(CASES) if CODES else chance.sample(list(CASES), SOME)
    with Meddler(client, server.address) as meddler:
        for name in names:
            case = CASES[name]
            of_case = list(codes(client, case))
            for code in chance.sample(of_case, min(CODES or 1, len(of_case))):
                if not MeddledCase(client, case).differs(meddler, code, chance):
                    passed.append((name, code))
    assert passed == []
