"""Ways to the receivers of hooks that slept, and have forgotten the connections that were kept."""

import threading
import time

import grpc
import pytest
from refusals import refusal
from stalling_proxy import StallingProxy
from test_hook_grpc import receivers  # noqa: F401
from test_veto import open_server, relation, veto  # noqa: F401

# Questions at once, each of which keeps a connection of HTTP/1.1.
KEPT = 5
QUESTION = {"asks_only": True, "asks": ["HOOK_QUESTION_FOLLOW"], "silence": "HOOK_SILENCE_FAIL"}


def follow(relation, other):  # noqa: F811
    return relation("Follow", user_id="ann", user_ids=[other]).results[0].code


@pytest.fixture
def way():
    """Makes a way to a port."""
    made = []

    def begin(port):
        made.append(StallingProxy(port))
        return made[-1]

    yield begin
    for proxy in made:
        proxy.close()


def one_silence_and_no_more(relation):  # noqa: F811
    refused = refusal(relation, "Follow", user_id="ann", user_ids=["late"])
    assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "HOOK_SILENT")
    for number in range(2 * KEPT):
        assert follow(relation, f"after{number}") == 0


def test_a_way_that_forgot_its_connections_costs_one_question(relation, veto, way):  # noqa: F811
    link = way(veto.server.server_port)
    relation("CreateHook", url=f"http://127.0.0.1:{link.port}/", **QUESTION)
    veto.gate.clear()
    callers = [threading.Thread(target=follow, args=(relation, f"u{number}"))
               for number in range(KEPT)]
    for caller in callers:
        caller.start()
    deadline = time.monotonic() + 30
    while len(veto.asked) < KEPT:
        assert time.monotonic() < deadline, "not all calls are asked about"
        time.sleep(0.01)
    veto.gate.set()
    for caller in callers:
        caller.join()
    assert len(link.pairs) == KEPT
    link.forget()
    one_silence_and_no_more(relation)


def test_a_way_that_forgot_its_connection_costs_one_question_by_grpc(
        relation, receivers, way):  # noqa: F811
    link = way(receivers().port)
    relation("CreateHook", url=f"http://127.0.0.1:{link.port}", form="HOOK_FORM_GRPC", **QUESTION)
    assert follow(relation, "before") == 0
    link.forget()
    one_silence_and_no_more(relation)
