"""What the command line shows of users: one, a pair, and the graph around one."""

import os
import pty
import re
import subprocess
import xml.etree.ElementTree

import pytest
from relationd import executable


@pytest.fixture
def ctl(server):
    def run(*arguments):
        return subprocess.run(
            [executable("relationctl"), *map(str, arguments), "--server", server.address],
            capture_output=True, text=True, timeout=60)

    return run


def text(done):
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return done.stdout


def told(done, status):
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    (line,) = done.stderr.splitlines()
    return line


def sides(page):
    """The rows of each direction of a pair, by their names."""
    parts = re.split(r"^(\S+ -> \S+) *$", page, flags=re.MULTILINE)
    return {
        heading: dict(
            re.split(r"\s{2,}", line, maxsplit=1) for line in rows.splitlines() if line.strip())
        for heading, rows in zip(parts[1::2], parts[2::2])
    }


# Pairs


def test_a_pair_shows_what_each_has_of_the_other(ctl, people):
    ann, bob, cat = people(3)
    people.befriend(ann, bob, cat)
    people.befriend(bob, cat)
    people.relation("UpdateFriends", user_id=ann, items=[
        {"user_id": bob, "remark": "Bobby", "groups": ["Chess", "Work"]}])
    people.relation("Subscribe", user_id=bob, user_ids=[ann], expiry_seconds=600,
                    subscribe_type="SUBSCRIBE_TYPE_ONLINE_STATUS")
    people.relation("Follow", user_id=ann, user_ids=[bob])
    page = text(ctl("pair", ann, bob))
    there, back = sides(page)[f"{ann} -> {bob}"], sides(page)[f"{bob} -> {ann}"]
    assert there["friend"].startswith("yes; remark Bobby; groups Chess, Work; since 20")
    assert back["friend"].startswith("yes; since 20")
    assert there["follows"] == "yes" and back["follows"] == "no"
    assert there["subscribes"] == "no" and back["subscribes"] != "no"
    assert there["message"] == back["message"] == "may pass"
    assert back["mutual friends"] == f"1: {cat}"


def test_a_pair_says_why_a_message_may_not_pass(ctl, people):
    ann, bob = people(2)
    people.block(bob, ann)
    page = sides(text(ctl("pair", ann, bob)))
    assert page[f"{ann} -> {bob}"]["message"] == (
        f"may not pass: {bob} has {ann} on its blacklist")
    assert page[f"{ann} -> {bob}"]["blacklist"] == "no"
    assert page[f"{bob} -> {ann}"]["blacklist"] == f"{bob} has {ann} on it"
    assert page[f"{bob} -> {ann}"]["message"] == "may pass"


def test_a_pair_is_explained_rung_by_rung(ctl, people):
    ann, bob = people(2)
    people.block(bob, ann)
    assert "rung" not in text(ctl("pair", ann, bob))
    page = text(ctl("pair", ann, bob, "--explain"))
    there, back = page.split(f"{bob} -> {ann}")
    chain = re.findall(r"^send rung (\S+) +(.*?) *$", there, re.M)
    assert [rung for rung, _ in chain] == [
        "own_account", "peer_id", "own_suspension", "peer_account", "peer_blacklist"]
    assert all(words.startswith("passed") for _, words in chain[:-1])
    assert re.fullmatch(
        rf"decided; row of {bob} about {ann}: since 20\S+, sequence \d+", chain[-1][1])
    chain = dict(re.findall(r"^send rung (\S+) +(.*?) *$", back, re.M))
    assert list(chain)[-2:] == ["friendship_required", "peer_marks"]
    assert chain["friendship_required"] == "decided; checks_friendship_on_send is off"
    assert re.fullmatch(
        rf"shown; row of {ann} about {bob}: none, sequence \d+", chain["peer_marks"])
    answers = dict(re.findall(r"^(add|follow) {2,}(.*?) *$", there, re.M))
    assert answers == {
        "add": "FRIEND_STATUS_IN_OTHER_SIDE_BLACK_LIST Err_SNS_FriendAdd_In_Peer_BlackList",
        "follow": "FOLLOW_STATUS_IN_OTHER_SIDE_BLACK_LIST Err_FollowAdd_In_Peer_BlackList",
    }
    assert re.search(r"^check {2,}FRIEND_RELATION_NONE *$", there, re.M)
    for call in ("add", "follow"):
        chain = re.findall(rf"^{call} rung (\S+) +(.*?) *$", there, re.M)
        assert chain[-1][0] == "peer_blacklist"
        assert [words.startswith("decided") for _, words in chain].index(True) == len(chain) - 1


def test_an_explanation_shows_values_bounds_and_what_stands_in_no_way(ctl, people):
    ann, bob = people(2)
    page = text(ctl("pair", ann, bob, "--explain"))
    there = page.split(f"{bob} -> {ann}")[0]
    chain = dict(re.findall(r"^add rung (\S+) +(.*?) *$", there, re.M))
    assert list(chain)[-1] == "write" and chain["write"] == "decided"
    assert chain["peer_allow_type"].startswith(
        "passed; ALLOW_TYPE_ALLOW_ANY; default_allow_type is in effect; row of ")
    assert re.match(r"passed; 0 of \d+ in limits\.friends; row of ", chain["own_friend_room"])
    assert chain["peer_application"].startswith("shown; ")
    chain = dict(re.findall(r"^follow rung (\S+) +(.*?) *$", there, re.M))
    assert list(chain)[-1] == "write" and chain["missing_follow"].startswith("passed; ")
    chain = dict(re.findall(r"^block rung (\S+) +(.*?) *$", there, re.M))
    assert list(chain)[-1] == "write" and chain["own_blacklist"].startswith("passed; ")
    chain = dict(re.findall(r"^respond rung (\S+) +(.*?) *$", there, re.M))
    assert list(chain)[-1] == "waiting_application"
    assert chain["waiting_application"].startswith("decided; ")
    chain = dict(re.findall(r"^check rung (\S+) +(.*?) *$", there, re.M))
    assert list(chain) == ["own_account", "peer_id", "peer_account", "friendship"]
    assert chain["friendship"].startswith(f"decided; row of {ann} about {bob}: none")


def test_a_check_of_a_pair_is_explained_in_each_direction(ctl, people):
    ann, bob = people(2)
    people.add(ann, bob, add_type="ADD_TYPE_SINGLE", force=True)
    page = text(ctl("pair", ann, bob, "--explain"))
    there, back = page.split(f"{bob} -> {ann}")
    assert re.search(r"^check {2,}FRIEND_RELATION_MY_UNI *$", there, re.M)
    assert re.search(r"^check {2,}FRIEND_RELATION_OTHER_UNI *$", back, re.M)
    (rung,) = re.findall(r"^check rung friendship +(.*?) *$", there, re.M)
    assert rung.startswith(f"decided; row of {ann} about {bob}: since 20")


def test_a_pair_shows_the_application_that_waits(ctl, people):
    ann, bob = people(2)
    people.apply(ann, bob, wording="it is\x1b[2J me")
    page = text(ctl("pair", ann, bob))
    assert re.search(r"^application +waits since 20\S+: it is\\u001b\[2J me$", page, re.M)
    assert sides(page)[f"{bob} -> {ann}"]["application"] == "none waits"


def test_a_pair_needs_two_accounts(ctl, people):
    (ann,) = people(1)
    line = told(ctl("pair", ann, people.unknown_user()), 2)
    assert "ACCOUNT_NOT_FOUND" in line and "is it an account?" in line
    assert "USER_NOT_FOUND" in told(ctl("pair", people.unknown_user(), ann), 2)
    assert "two different users" in told(ctl("pair", ann, ann), 64)


# Users


def test_a_user_is_shown_with_its_lists(ctl, people):
    ann, bob, cat, dan = people(4)
    people.set_profile(ann, nick="An\x1b[1mn")
    people.befriend(ann, bob, cat)
    people.group(ann, "Chess", bob)
    people.apply(dan, ann, wording="hello")
    people.relation("Follow", user_id=bob, user_ids=[ann])
    people.relation("SetStatus", user_id=ann, text="at sea", expiry_seconds=3_600)
    people.relation(
        "CreateInvitation", user_id=ann, max_uses=3, expiry_seconds=3_600, text="come in")
    people.relation("DismissSuggestions", user_id=ann, user_ids=[dan])
    people.relation("ReportPresence", items=[
        {"user_id": ann, "device_id": "desk", "platform": "pc", "online": False}])
    page = text(ctl("user", ann))
    assert "\x1b" not in page
    assert re.search(
        r"^presence\n +online +no\n +status +at sea +until 20\S+\n"
        r" +device desk +pc +last seen 20\S+$", page, re.M)
    assert re.search(
        r"^invitations: 1\n +[0-9a-f]+ +active +0 of 3 uses +until 20\S+ +come in$", page, re.M)
    assert re.search(rf"^dismissed suggestions: 1\n +{dan} +since 20\S+$", page, re.M)
    assert re.search(rf"^profile of {ann}$", page, re.M)
    assert re.search(r"^ +nick +An\\u001b\[1mn$", page, re.M)
    assert re.search(r"^friends: 2$", page, re.M)
    assert re.search(rf"^ +{bob} +{bob} +Chess$", page, re.M)
    assert re.search(r"^groups: 1$", page, re.M)
    assert re.search(r"^ +Chess +1 members$", page, re.M)
    assert re.search(r"^applications: 1, 1 unread$", page, re.M)
    assert re.search(rf"^ +from +{dan} +waits +20\S+ +hello$", page, re.M)
    assert re.search(r"^blacklist: 0$", page, re.M)
    assert re.search(r"^following: 0$", page, re.M)
    assert re.search(rf"^followers: 1\n +{bob} +since 20\S+$", page, re.M)
    assert re.search(r"^subscriptions: 0$", page, re.M)


def test_a_picture_in_the_profile_is_cut_and_says_how_long_it_is(ctl, people):
    (ann,) = people(1)
    # At most 200 characters are shown.
    for length, shown in ((200, "x" * 200), (201, "x" * 200 + "… (201 bytes)")):
        people.relation("UpdateProfile", user_id=ann, profile={"face_url": "x" * length})
        assert re.search(r"^  faceUrl +(.*?) *$", text(ctl("user", ann)), re.M)[1] == shown


def test_a_list_of_a_user_is_cut_and_says_so(ctl, people):
    ann, *friends = people(4)
    people.befriend(ann, *friends)
    page = text(ctl("user", ann, "--rows", "2"))
    assert "friends: 3, the first 2 of them\n" in page
    assert "friends: 3, the first 0 of them\n" in text(ctl("user", ann, "--rows", "0"))
    assert "from 0 to 1000" in told(ctl("user", ann, "--rows", "1001"), 64)


MUCH, LITTLE = "the fields that are public", "id, nick and face URL"


@pytest.mark.parametrize("choice, friend, follower, unrelated", [
    ("VISIBILITY_EVERYONE", MUCH, MUCH, MUCH),
    ("VISIBILITY_FRIENDS", MUCH, LITTLE, LITTLE),
    ("VISIBILITY_FOLLOWERS", LITTLE, MUCH, LITTLE),
    ("VISIBILITY_INVISIBLE", LITTLE, LITTLE, LITTLE),
])  # fmt: skip
def test_a_user_is_shown_with_what_others_see(ctl, people, choice, friend, follower, unrelated):
    (ann,) = people(1)
    people.relation("SetVisibility", user_id=ann, visibility=choice)
    page = text(ctl("user", ann))
    assert re.search(rf"^ +a friend +{friend}$", page, re.M)
    assert re.search(rf"^ +a follower +{follower}$", page, re.M)
    assert re.search(rf"^ +another user +{unrelated}$", page, re.M)
    assert "the user's choice" in page


def test_a_user_is_shown_with_the_readers_of_single_fields(ctl, people):
    (ann,) = people(1)
    people.group(ann, "close")
    people.relation("SetVisibility", user_id=ann, fields=[
        {"field": "email", "visibility": "VISIBILITY_FRIENDS"},
        {"field": "level", "visibility": "VISIBILITY_GROUPS", "group_names": ["close"]}])
    page = text(ctl("user", ann))
    assert re.search(r"^ +email is for +friends$", page, re.M)
    assert re.search(r"^ +level is for +the groups close$", page, re.M)


def test_a_user_that_is_none_is_refused(ctl, people):
    assert "USER_NOT_FOUND" in told(ctl("user", people.unknown_user()), 2)


# Graphs


def test_a_graph_is_a_table_of_friends_and_edges(ctl, people):
    ann, bob, cat, dan = people(4)
    people.befriend(ann, bob, cat, dan)
    people.befriend(bob, cat)
    people.import_friends([{"user_id": dan, "friend_user_id": bob}])
    lines = [re.split(r"\s{2,}", line) for line in text(ctl("graph", ann)).splitlines()]
    assert lines[0] == ["FRIEND", "NAME", f"HAS {ann}", "EDGES", "KNOWS"]
    assert lines[1] == [bob, bob, "yes", "1", cat]
    assert lines[2] == [cat, cat, "yes", "1", bob]
    assert lines[3] == [dan, dan, "yes", "1", f">{bob}"], "it is not an edge of both sides"


def test_a_graph_is_drawn(ctl, people, tmp_path):
    ann, bob, cat, dan = people(4)
    people.set_profile(bob, nick="<b>&\x07")
    people.befriend(ann, bob, cat, dan)
    people.befriend(bob, cat)
    picture = tmp_path / "ann.svg"
    text(ctl("graph", ann, "--svg", picture))
    tree = xml.etree.ElementTree.parse(picture).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert len(tree.findall(f"{space}circle")) == 4
    assert len(tree.findall(f"{space}line")) == 4, "three friends, and an edge among them"
    labels = ["".join(node.itertext()) for node in tree.findall(f"{space}text")]
    assert f"{bob}<b>&\\u0007" in labels and ann in labels
    side = float(tree.get("width"))
    for dot in tree.findall(f"{space}circle"):
        assert 0 < float(dot.get("cx")) < side and 0 < float(dot.get("cy")) < side


def test_a_graph_without_friends_is_drawn_too(ctl, people, tmp_path):
    (ann,) = people(1)
    picture = tmp_path / "ann.svg"
    assert len(text(ctl("graph", ann, "--svg", picture)).splitlines()) == 1
    xml.etree.ElementTree.parse(picture)


def test_a_graph_of_many_is_cut_and_says_so(ctl, people):
    ann, *friends = people(205)
    people.befriend(ann, *friends)
    done = ctl("graph", ann, "--friends", "3")
    assert len(text(done).splitlines()) == 4
    assert done.stderr == (
        f"{ann} has 204 friends, and the first 3 by their ids are here; "
        "--friends takes up to 200\n")
    done = ctl("graph", ann, "--friends", "200")
    assert len(text(done).splitlines()) == 201
    assert done.stderr == f"{ann} has 204 friends, and the first 200 by their ids are here\n"
    assert "from 1 to 200" in told(ctl("graph", ann, "--friends", "201"), 64)


def test_a_picture_that_cannot_be_written_is_told(ctl, people, tmp_path):
    (ann,) = people(1)
    assert "No such file" in told(ctl("graph", ann, "--svg", tmp_path / "none" / "a.svg"), 1)


# Colours


def on_terminal(*arguments, **variables):
    """The output of the command on a terminal."""
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm", **variables}
    reading, writing = pty.openpty()
    with subprocess.Popen(
        [executable("relationctl"), *arguments], stdout=writing, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL, env=environment,
    ) as process:  # fmt: skip
        os.close(writing)
        output = b""
        while True:
            try:
                part = os.read(reading, 65_536)
            except OSError:
                break
            if not part:
                break
            output += part
        assert process.wait(timeout=60) == 0, process.stderr.read()
    os.close(reading)
    return output.decode()


def test_colours_are_on_a_terminal_only_and_not_if_no_color_is_set(server, people):
    (ann,) = people(1)
    for command in [["status"], ["user", ann]]:
        command = [*command, "--server", server.address]
        assert "\x1b[" in on_terminal(*command), command
        assert "\x1b" not in on_terminal(*command, NO_COLOR="1"), command
        assert "\x1b[" in on_terminal(*command, NO_COLOR=""), "an empty NO_COLOR is none"
        assert "\x1b" not in on_terminal(*command, TERM="dumb"), command
        piped = subprocess.run(
            [executable("relationctl"), *command], capture_output=True, text=True, timeout=60)
        assert "\x1b" not in piped.stdout, command
    for part in ["describe", "methods"]:
        assert "\x1b" not in on_terminal(part, NO_COLOR="1")


def test_columns_are_as_wide_with_colours_as_without(server):
    command = ["status", "--server", server.address]
    painted = re.sub(r"\x1b\[\d*m", "", on_terminal(*command)).replace("\r\n", "\n")
    plain = on_terminal(*command, NO_COLOR="1").replace("\r\n", "\n")
    assert [line[:15] for line in painted.splitlines()] == [
        line[:15] for line in plain.splitlines()]
