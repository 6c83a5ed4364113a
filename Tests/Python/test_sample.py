"""The sample that `make run` serves: nothing of it is refused, and it is found by name."""

import json
import subprocess

import pytest
import sample
from relationd import executable

# The default of `limits.face_url`.
MOST_BYTES = 500


def test_each_user_has_a_name_and_a_portrait_that_fits_the_limit():
    requests = [each["row"] for each in sample.people()]
    assert len(requests) == 4039
    assert max(len(row["face_url"].encode()) for row in requests) <= MOST_BYTES
    assert min(len(row["nick"]) for row in requests) >= 2
    assert [*sample.people()] == [*sample.people()]


@pytest.fixture(scope="module")
def asked(server):
    """Makes a call of a server that has the sample."""
    relationctl = executable("relationctl")
    options = "--server", server.address
    subprocess.run(["python3", sample.__file__, relationctl, *options], check=True, timeout=120,
                   capture_output=True)

    def ask(method, **request):
        made = subprocess.run(
            [relationctl, "call", *options, method, json.dumps(request)],
            check=True, timeout=20, capture_output=True, text=True)
        return json.loads(made.stdout)

    return ask


def test_the_first_run_refuses_nothing(asked):
    groups = asked("GetFriendGroups", user_id="1912")
    assert len(groups["results"]) == 46
    friends = asked("ListFriends", user_id="0", page_size=1000, with_profiles=True)["friends"]
    assert len(friends) == 347
    assert all(each["profile"]["faceUrl"].startswith("data:image/") for each in friends)
    assert {each["remark"] for each in friends if "remark" in each} == set(sample.REMARKS)
    assert any(each.get("starred") for each in friends)


def test_a_name_of_it_finds_its_users(asked):
    name = sample.nick(0)
    found = asked("FindUsers", user_id="1", keyword=name)["users"]
    assert "0" in [each["userId"] for each in found] and found[0]["nick"] == name
