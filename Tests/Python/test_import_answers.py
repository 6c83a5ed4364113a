"""The results of rows that are lost with the stream of an import, by a server that a test scripts."""

import json
from concurrent import futures

import grpc
import pytest
from test_relationctl import relationctl

ROWS = 10
REFUSED = [2, 5, 6, 9]


class Importer(grpc.GenericRpcHandler):
    """Takes imports. Rows are durable as they come, and those of `REFUSED` are refused.

    Each pair of `cuts` is for one stream of friendships: the row at which it breaks, without a
    word of how far the import has come, and the last row whose result was told before.
    """

    def __init__(self, stubs, cuts):
        self.stubs = stubs
        self.cuts = list(cuts)
        self.imports = {}
        #: Of each stream of friendships: whether it names its import, and its rows.
        self.streams = []

    def service(self, details):
        name = details.method.rpartition("/")[2]
        if name not in ("ImportAccounts", "ImportFriends"):
            return None
        request, self.answer = (
            self.stubs.message(f"{name}{kind}") for kind in ("Request", "Response"))
        take = self.take_friends if name == "ImportFriends" else self.take_users
        return grpc.stream_stream_rpc_method_handler(
            take, request.FromString, lambda message: message.SerializeToString())

    @staticmethod
    def progress(rows, refused=0):
        return {"received": rows, "accepted": rows - refused, "refused": refused,
                "last_durable_row": rows}  # fmt: skip

    def take_users(self, requests, context):
        answer = self.answer
        users = sum(1 for message in requests if message.HasField("row"))
        yield answer(progress=self.progress(users))

    def take_friends(self, requests, context):
        answer = self.answer
        first = next(requests, None)
        if first is None:
            return
        # An import without a name begins at 1, whichever rows it has.
        kept = self.imports.setdefault(first.import_id, {"last": 0, "refused": 0})
        made = kept if first.import_id else {"last": 0, "refused": 0}
        cut, told = None, ROWS
        if first.HasField("row"):
            self.streams.append((bool(first.import_id), []))
            if self.cuts:
                cut, told = self.cuts.pop(0)
        number = max(first.first_row, 1) - 1
        for message in [first, *requests] if cut is None else self.and_then(first, requests):
            if not message.HasField("row"):
                continue
            number += 1
            row = int(message.row.friend_user_id.removeprefix("friend"))
            self.streams[-1][1].append(row)
            made["last"] += 1
            assert made["last"] == number
            if row in REFUSED:
                made["refused"] += 1
                if row <= told:
                    yield answer(row={"row_number": number, "user_id": "owner", "code": 30003})
            if row == cut:
                context.abort(grpc.StatusCode.UNAVAILABLE, "cut off")
        yield answer(progress=self.progress(made["last"], made["refused"]))

    @staticmethod
    def and_then(first, rest):
        yield first
        yield from rest


ALL = list(range(1, ROWS + 1))


@pytest.mark.parametrize("cuts, streams", [
    # The results of six rows are lost, and then none.
    ([(6, 0)], [(True, ALL[:6]), (False, ALL[:6]), (True, ALL[6:])]),
    # What was told before is not asked again.
    ([(6, 4)], [(True, ALL[:6]), (False, [3, 4, 5, 6]), (True, ALL[6:])]),
    # No result is missing, so no row is sent for a second time.
    ([(6, 6)], [(True, ALL[:6]), (True, ALL[6:])]),
    ([(4, 2)], [(True, ALL[:4]), (True, ALL[4:])]),
    # All rows were durable when the stream broke.
    ([(10, 5)], [(True, ALL), (False, [6, 7, 8, 9, 10])]),
    # The question breaks off too: the rest of it is asked again.
    ([(6, 0), (4, 3)],
     [(True, ALL[:6]), (False, ALL[:4]), (False, [3, 4, 5, 6]), (True, ALL[6:])]),
    # Two streams of the import break off.
    ([(3, 0), (3, 3), (9, 5)],
     [(True, [1, 2, 3]), (False, [1, 2, 3]), (True, ALL[3:9]), (False, [6, 7, 8, 9]),
      (True, [10])]),
])  # fmt: skip
def test_refused_rows_are_kept_whose_results_were_lost(stubs, tmp_path, cuts, streams):
    importer = Importer(stubs, cuts)
    server = grpc.server(futures.ThreadPoolExecutor(8), handlers=[importer])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    file = tmp_path / "friends.jsonl"
    file.write_text("".join(
        json.dumps({"user_id": "owner", "friend_user_id": f"friend{row}"}) + "\n" for row in ALL))
    refused = tmp_path / "refused.jsonl"
    try:
        done = relationctl(
            "import", "--server", f"127.0.0.1:{port}", str(file), "--refused", str(refused))
    finally:
        server.stop(None).wait()
    assert done.returncode == 0, done.stderr
    assert f"friendships: {ROWS - len(REFUSED)} accepted, {len(REFUSED)} refused" in done.stdout
    rows = [json.loads(line)["friendUserId"] for line in refused.read_text().splitlines()]
    assert rows == [f"friend{row}" for row in REFUSED]
    assert f"{len(REFUSED)} because a user is unknown" in done.stderr
    assert importer.streams == streams
