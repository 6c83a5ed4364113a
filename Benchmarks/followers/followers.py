"""Measures the calls about a user with many followers, beside those about a user with ten.

For each size a store is made in which one user, `star`, has that many followers, and another one,
`small`, has ten. Their followers have them as friends too, without being theirs. The calls about
both are made in turns on one connection, so that whatever slows the machine slows both. Calls that
look at the whole app are made in turns on that store and on one with a thousand users. The table has
the medians and their ratio.
"""

import argparse
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Python"))

import grpc  # noqa: E402
from relationd import Relationd, executable  # noqa: E402
from stubs import Relation, Stubs  # noqa: E402

SMALL = 10
"""The followers of the user that is measured beside."""

FEW = 1_000
"""The users of the app that is measured beside."""

TURNS = 50
CALLS_PER_TURN = 20

TIME_MS = 1_700_000_000_000


def rows(size):
    """The rows of an export: accounts by the bytes of their ids, each with its follows."""
    for number in range(size):
        user = f"f{number:08}"
        yield {"account": {"userId": user, "createTimeMs": str(TIME_MS)}}
        # A hundredth of the users have this name, and some letters begin it for each of them.
        yield {"profile": {"profile": {"userId": user, "nick": f"Name{number % 100:02} {number}"}}}
        others = ["small", "star"] if number < SMALL else ["star"]
        for other in others:
            yield {"friendEntry": {"userId": user, "entry": {
                "userId": other, "addTimeMs": str(TIME_MS)}}}
        for other in others:
            yield {"follow": {"userId": user, "entry": {
                "userId": other, "followTimeMs": str(TIME_MS + number)}}}
    # These follow while it is measured.
    for number in range(TURNS * CALLS_PER_TURN):
        yield {"account": {"userId": f"g{number:08}", "createTimeMs": str(TIME_MS)}}
    for user in ("small", "star"):
        yield {"account": {"userId": user, "createTimeMs": str(TIME_MS)}}


def export(size):
    """The lines of a file of export with these rows."""
    count = 0
    yield {"point": {"format": 1}}
    for count, row in enumerate(rows(size), 1):
        yield row
    yield {"point": {"rows": str(count), "complete": True, "format": 1}}


def fill(server, size):
    """Imports the rows, and returns the seconds that took."""
    subprocess.run([
        executable("relationctl"), "--server", server.address, "call", "UpdateApp",
        json.dumps({"settings": {"finds_users": True}})], stdout=subprocess.DEVNULL, check=True)
    begun = time.monotonic()
    command = [
        executable("relationctl"), "import-app", "--server", server.address, "--from", "-",
        "--import-id", f"followers-{size}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as importer:
        for row in export(size):
            importer.stdin.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")
        importer.stdin.close()
    if importer.returncode != 0:
        raise RuntimeError(f"the import of {size} followers ended with {importer.returncode}")
    return time.monotonic() - begun


def check(name, user, answer):
    """Fails if a call was not answered as it should."""
    if not answer:
        raise RuntimeError(f"{name} of {user} answered wrongly")


def calls_of_apps(call, other):
    """Each measured call about a whole app: its name, and a function as `calls` has them."""
    def found(keyword, least):
        def find(user, _):
            answer = (call if user == "star" else other)(
                "FindUsers", user_id="small", keyword=keyword, page_size=10)
            check("FindUsers", user, len(answer.users) >= least and not answer.index_incomplete)
        return find

    tokens = {user: each("ListAccounts", page_size=10).next_page_token
              for user, each in (("star", call), ("small", other))}

    def page(user, _):
        answer = (call if user == "star" else other)(
            "ListAccounts", page_size=10, page_token=tokens[user])
        check("ListAccounts", user, len(answer.accounts) == 10)

    return [("a page of FindUsers, all users have the name", found("na", 10)),
            ("a page of FindUsers, a hundredth has it", found("name42", 10)),
            ("FindUsers, one user has it", found("name42 142", 1)),
            ("a page of ListAccounts", page)]


def calls(call):
    """Each measured call: its name, and a function of the user and the number of the call."""
    def follow(user, number):
        check("Follow", user, call("Follow", user_id=f"g{number:08}", user_ids=[user]).applied)

    def unfollow(user, number):
        check("Unfollow", user, call("Unfollow", user_id=f"g{number:08}", user_ids=[user]).applied)

    def page(user, number):
        answer = call("ListFollowers", user_id=user, page_size=10)
        check("ListFollowers", user, len(answer.entries) == 10)

    # The first page counts the users, up to a bound, and its token has the count.
    tokens = {user: call("ListReverseFriends", user_id=user, page_size=5).next_page_token
              for user in ("star", "small")}

    def reverse(user, number):
        answer = call("ListReverseFriends", user_id=user, page_size=5, page_token=tokens[user])
        check("ListReverseFriends", user, len(answer.users) == 5)

    def counts(user, number):
        check("GetFollowCounts", user, call(
            "GetFollowCounts", user_id="f00000000", user_ids=[user]).results)

    # The reads come first: the engine keeps a mark of each row that Unfollow removes for a while.
    return [("a page of ListFollowers", page), ("a page of ListReverseFriends", reverse),
            ("GetFollowCounts", counts), ("Follow", follow), ("Unfollow", unfollow)]


def measure(one_call):
    """The medians of the call about `star` and about `small`, in microseconds."""
    times = {"star": [], "small": []}
    for turn in range(TURNS):
        for user in sorted(times, reverse=turn % 2 == 0):
            for number in range(turn * CALLS_PER_TURN, (turn + 1) * CALLS_PER_TURN):
                begun = time.perf_counter()
                one_call(user, number)
                times[user].append(time.perf_counter() - begun)
    return (statistics.median(times[user]) * 1e6 for user in ("star", "small"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, action="append", help="followers; several times")
    parser.add_argument("--folder", help="where the stores are made")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        enter = stack.enter_context
        folder = enter(tempfile.TemporaryDirectory())
        stubs = Stubs(folder)
        few = enter(Relationd(enter(tempfile.TemporaryDirectory(dir=options.folder))))
        fill(few, FEW)
        other = Relation(stubs, enter(grpc.insecure_channel(few.address)))
        print("| followers | import | call | of `star` | of `small`, with 10, or of "
              f"{FEW:,} users | ratio |")
        print("|---|---|---|---|---|---|")
        for size in options.size or [1_000, 1_000_000, 10_000_000]:
            with tempfile.TemporaryDirectory(dir=options.folder) as data, Relationd(data) as server:
                seconds = fill(server, size)
                with grpc.insecure_channel(server.address) as channel:
                    call = Relation(stubs, channel)
                    # Those about the app read alone.
                    for name, one_call in calls_of_apps(call, other) + calls(call):
                        star, small = measure(one_call)
                        print(f"| {size:,} | {seconds:.0f} s | {name} | {star:.0f} µs "
                              f"| {small:.0f} µs | {star / small:.2f} |", flush=True)


if __name__ == "__main__":
    main()
