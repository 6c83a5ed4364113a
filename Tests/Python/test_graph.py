"""A real friendship graph, which two different clients import, and all questions about it."""

import random
import subprocess

import grpc
import pytest
from people import People
from relationd import ROOT, Relationd, executable
from stubs import Relation

EDGES = ROOT / "Tests" / "Data" / "facebook_edges.txt"
CIRCLES = ROOT / "Tests" / "Data" / "facebook_circles.tsv"
GROUPS = 32
MY_UNI, BOTH_WAY = 1, 3


class Graph:
    """The graph in the files, and the rows that the service must have made from it."""

    def __init__(self):
        self.edges = [tuple(line.split()) for line in EDGES.read_text().splitlines()]
        self.friends = {}
        for one, other in self.edges:
            self.friends.setdefault(one, set()).add(other)
            self.friends.setdefault(other, set()).add(one)
        # One row for each member of an owner's circles, in the order in which the file names them
        # first, with all its circles in the order of the file.
        self.rows = {}
        for line in CIRCLES.read_text().splitlines():
            owner, circle, members = line.split("\t")
            for member in members.split():
                self.rows.setdefault((owner, member), []).append(circle)
        self._apply_limits()

    def _apply_limits(self):
        """The rows that are refused as a whole: those that would make a 33rd group."""
        made = {}
        self.groups = {}
        self.refused = []
        for number, ((owner, member), circles) in enumerate(self.rows.items(), 1):
            assert len(set(circles)) == len(circles)
            known = made.setdefault(owner, set())
            if len(known | set(circles)) > GROUPS:
                self.refused.append((number, owner))
                continue
            known |= set(circles)
            self.groups[owner, member] = circles


@pytest.fixture(scope="module")
def graph():
    graph = Graph()
    assert (len(graph.friends), len(graph.edges)) == (4039, 88234)
    assert {owner for _, owner in graph.refused} == {"1912"}
    return graph


def import_by_stubs(graph, people, _):
    people.make(graph.friends)
    people.import_friends(
        [{"user_id": one, "friend_user_id": other, "both_ways": True} for one, other in graph.edges]
    )
    requests = [
        {"row": {"user_id": owner, "friend_user_id": member, "groups": {"values": circles}}}
        for (owner, member), circles in graph.rows.items()
    ]
    rows, progress = people.imported("ImportFriends", requests)
    assert {(row.code, row.info) for row in rows} == {
        (30011, "Err_SNS_FriendImport_Group_Num_Exceed_Threshold")
    }
    assert progress.received == len(requests)
    return [(row.row_number, row.user_id) for row in rows]


def import_by_relationctl(graph, _, server):
    done = subprocess.run(
        [
            executable("relationctl"), "import", "--server", server.address,
            str(EDGES), "--circles", str(CIRCLES), "--verbose",
        ],  # fmt: skip
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    refused = len(graph.refused)
    assert done.stdout.splitlines() == [
        "users: 4039 accepted, 0 refused",
        "friendships: 88234 accepted, 0 refused",
        f"circle members: {len(graph.rows) - refused} accepted, {refused} refused",
    ]
    # The output is not a terminal: it is plain lines, some of them progress, some rows.
    assert "\r" not in done.stderr and "\x1b" not in done.stderr
    assert "friendships: 88234 of 88234" in done.stderr.splitlines()
    assert sum(line.endswith(" of 88234") for line in done.stderr.splitlines()) <= 21
    # One line says it for a newcomer.
    assert done.stderr.splitlines()[-1] == (
        f"circle members: {refused} of {len(graph.rows)} rows were refused: {refused} because the "
        "user would have more groups than the app allows (30011)")
    told = []
    for line in done.stderr.splitlines():
        if "30011 " in line:
            words = line.replace("(", " ").replace(")", " ").replace(":", " ").split()
            assert words[:3] == ["circle", "members", "row"] and words[4] == "user"
            told.append((int(words[3]), words[5]))
    return told


@pytest.fixture(scope="module", params=[import_by_stubs, import_by_relationctl])
def loaded(request, graph, stubs, tmp_path_factory):
    """A server with the graph, a client of it, and the rows that it refused."""
    with Relationd(tmp_path_factory.mktemp("graph") / "data") as running:
        with grpc.insecure_channel(running.address) as channel:
            people = People(Relation(stubs, channel))
            yield people, request.param(graph, people, running)


def test_exactly_the_rows_that_pass_the_limit_are_refused(graph, loaded):
    _, refused = loaded
    assert refused == graph.refused != []


def test_every_friend_list_and_every_group_equals_the_files(graph, loaded):
    people, _ = loaded
    for user, friends in graph.friends.items():
        rows, total = [], set()
        for page in people.pages("ListFriends", 1000, user_id=user):
            rows += page.friends
            total.add(page.total_size)
        assert [row.user_id for row in rows] == sorted(friends), user
        assert total == {len(friends)}, user
        for row in rows:
            expected = graph.groups.get((user, row.user_id), [])
            assert list(row.groups) == expected, (user, row.user_id)


def test_refused_rows_have_kept_their_friendships(graph, loaded):
    people, _ = loaded
    numbers = dict(graph.refused)
    members = [
        member for number, (_, member) in enumerate(graph.rows, 1) if number in numbers
    ]
    assert len(members) == len(graph.refused)
    for start in range(0, len(members), 100):
        answer = people.relation(
            "GetFriends", user_id="1912", user_ids=members[start : start + 100]
        )
        assert all(result.code == 0 for result in answer.results)
        assert all(not result.friend_entry.groups for result in answer.results)


def test_random_pairs_are_checked_rightly_in_both_modes(graph, loaded, seed):
    people, _ = loaded
    numbers = random.Random(seed)
    users = sorted(graph.friends)
    # Half of the pairs are friends: among pairs of any two users hardly one in a hundred is.
    pairs = [numbers.choice(graph.edges)[:: numbers.choice((1, -1))] for _ in range(5000)]
    pairs += [tuple(numbers.sample(users, 2)) for _ in range(5000)]
    asked = {}
    for user, other in pairs:
        asked.setdefault(user, []).append(other)
    found = {True: 0, False: 0}
    for user, others in asked.items():
        for check_type, relation in ((1, MY_UNI), (2, BOTH_WAY)):
            answer = people.relation(
                "CheckFriends", user_id=user, user_ids=others, check_type=check_type
            )
            assert [result.user_id for result in answer.results] == others
            for result in answer.results:
                is_friend = result.user_id in graph.friends[user]
                found[is_friend] += 1
                assert result.code == 0
                assert result.relation == (relation if is_friend else 0), (user, result.user_id)
    assert sum(found.values()) == 20_000 and min(found.values()) > 5_000
