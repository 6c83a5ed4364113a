"""A story of one app, of which support, moderators and auditors ask all their questions: why can she
not add him, who deleted this, bring it back, prove it. Calls, commands and the console answer them
alike."""

import json

import pytest
from console import Console, needs_browser
from hands import TAB, Hands
from people import People, codes
from refusals import refusal
from test_audit import ERASURE, assert_whole, audited, ctl, listed, office, until  # noqa: F401

REMARK = "Bobby from work"


@pytest.fixture
def app(office):  # noqa: F811
    """An app that keeps a history, on a server that keeps an audit."""
    number = office.app()
    office.number = number
    office.backend = office.with_key(office.key(number))
    office.backend("UpdateApp", settings={"history_days": 30})
    office.people = People(office.backend)
    return office


def told(app, *arguments):
    status, output, complaint = ctl(
        *arguments, "--server", app.address, "--app", app.number, "--key", app.operator)
    assert status == 0, (arguments, complaint)
    return output


def history(relation, **fields):
    return relation("ListHistory", page_size=1_000, **fields).entries


def unnumbered(row):
    row.ClearField("sequence")
    return row


def test_each_question_of_the_story_is_answered(app, tmp_path):
    relation, people = app.backend, app.people
    ann, bob, troll = "ann", "bob", "troll"
    fans = [f"fan{number}" for number in range(8)]
    people.make([ann, bob, troll, *fans])

    # Add: the two are friends, with what they wrote.
    people.add(ann, bob, remark=REMARK)
    people.mark(bob, ann, starred=True)
    before = [unnumbered(people.friend(*pair)) for pair in ((ann, bob), (bob, ann))]

    # Block: why can Bob not add Ann, or write to her?
    people.block(ann, bob)
    for call in ("ExplainAddFriend", "ExplainSend"):
        answer = relation(call, from_user_id=bob, to_user_id=ann)
        (decided,) = (rung for rung in answer.rungs if rung.decided)
        assert people.stubs.RungKind.Name(decided.kind) == "RUNG_KIND_PEER_BLACKLIST"
        assert decided.rows[0].owner_user_id == ann and decided.rows[0].present
    assert f"row of {ann} about {bob}: since" in told(app, "pair", bob, ann, "--explain")
    seen = relation("ExplainProfile", from_user_id=bob, to_user_id=ann)
    email = next(field for field in seen.fields if field.field == "email")
    (decided,) = (rung for rung in email.rungs if rung.decided)
    assert people.stubs.RungKind.Name(decided.kind) == "RUNG_KIND_PEER_BLACKLIST"
    assert "email rung peer_blacklist" in told(app, "explain", "profile", bob, ann)

    # Who ended the friendship?
    (ended,) = history(relation, about_user_id=bob, with_user_id=ann, kinds=[5])
    assert ended.actor_user_id == ann and ended.changes[0].friend_before.remark == REMARK
    assert f"del_friend {ann} {bob}" in told(app, "history", bob, ann)

    # Unblock, and bring back what the block ended: first by a dry run that says what it would do.
    relation("RemoveFromBlacklist", user_id=ann, user_ids=[bob])
    lifted = history(relation, about_user_id=bob, with_user_id=ann)[0]
    tried = relation("UndoChanges", positions=[ended.position], options={"dry_run": True})
    assert codes(tried) == [30001] and tried.results[0].info == "Err_ChangeUndo_Changed_Since"
    assert relation("UndoChanges", positions=[lifted.position]).applied
    assert "put" in told(app, "undo", ended.position, "--dry-run")
    told(app, "undo", ended.position)
    after = [unnumbered(people.friend(*pair)) for pair in ((ann, bob), (bob, ann))]
    assert after == before and not people.blacklist(ann)

    # A spam wave: who did it, and how much is it?
    for fan in fans:
        people.add(troll, fan, force=True)
    wave = history(relation, actor_user_id=troll, about_user_id=troll)
    assert len(wave) == len(fans)
    assert told(app, "history", "--by", troll).count("add_friend") >= len(fans)

    # Bulk undo, tried first.
    chosen = {"actor_user_id": troll, "since_time_ms": 1}
    tried = relation("UndoChanges", **chosen, options={"dry_run": True})
    assert codes(tried) == [0] * len(fans) and len(people.friend_ids(troll)) == len(fans)
    told(app, "undo", "--by", troll, "--since", "2020-01-01T00:00:00Z")
    assert people.friend_ids(troll) == [] and people.are_friends(ann, bob) == (True, True)

    # Erase: nothing brings the account back, and a receipt stays.
    started = relation("DeleteAccounts", user_ids=[troll], erase=True)
    people.await_deletion(started.results[0].deletion_id)
    assert troll not in str(relation("ListHistory")) and troll not in told(app, "history")
    refused = relation("UndoChanges", positions=[entry.position for entry in wave])
    assert set(codes(refused)) == {30001}
    records = until(relation, lambda record: record.kind == ERASURE)
    assert not any(record.user_id == troll for record in records)

    # Prove it: each write of the story is there, and a file of them cannot be changed unseen.
    methods = [record.method.rpartition("/")[2] for record in records]
    for call in ("AddFriends", "AddToBlacklist", "RemoveFromBlacklist", "UndoChanges",
                 "DeleteAccounts"):
        assert call in methods, call
    assert_whole(listed(relation))
    path = tmp_path / "audit.jsonl"
    head = told(app, "audit", "export", path).split()[-1]
    assert ctl("audit", "verify", path, "--head", head)[0] == 0
    rows = path.read_text().splitlines()
    place = next(n for n, row in enumerate(rows) if "UndoChanges" in row)
    record = json.loads(rows[place])
    record["applied"] = not record.get("applied", False)
    path.write_text("\n".join([*rows[:place], json.dumps(record), *rows[place + 1:]]))
    status, _, complaint = ctl("audit", "verify", path)
    assert status == 1 and f"record {place + 1} was changed" in complaint

    # And all rows of the app fit together, those of the history and of the audit included.
    done = list(relation.start("CheckIntegrity")(
        relation.stubs.request("CheckIntegrity", {}), timeout=60, metadata=relation.metadata))
    assert not any(message.HasField("finding") for message in done)
    # None of the answers is for users.
    assert refusal(
        app.with_key(app.key(app.number, "read", "write")), "ListHistory"
    ).code.name == "PERMISSION_DENIED"


@needs_browser
def test_the_console_answers_the_same_questions(app):
    relation, people = app.backend, app.people
    ann, bob, troll = "ann", "bob", "troll"
    fans = [f"fan{number}" for number in range(4)]
    people.make([ann, bob, troll, *fans])
    people.add(ann, bob, remark=REMARK)
    people.block(ann, bob)
    text = "document.querySelector('.page').textContent"
    dialog = "document.querySelector('dialog[open]')?.textContent"
    boxes = "[...document.querySelectorAll('.content input[type=checkbox]')]"
    with Console(app.pages) as console:
        hands = Hands(console)

        def taken_back():
            console.until(f"{dialog}?.includes('Nothing stands in the way')")
            hands.click("Undo", within="dialog")
            console.until(f"{dialog}?.includes('Taken back')")
            hands.click("Close", within="dialog")

        console.show("apps")
        console.ask("sessionStorage.setItem('relation.credential', args[0]);"
                    "sessionStorage.setItem('relation.app', args[1])",
                    app.operator, str(app.number))

        # Why can Bob not write to Ann, and who ended the friendship?
        console.show("user", id=bob)
        hands.type("Other user", ann + TAB)
        console.until("document.querySelector('#acts-relation').textContent.includes("
                      "'the other blocks this user')")
        hands.click("Explain", within=".acts")
        console.until("document.querySelector('.acts .chain summary')?.textContent ==="
                      " \"Send a message: The sender is on the receiver's blacklist\"")
        console.show("user", id=bob, part="history", **{"with": ann})
        console.until(f"{text}.includes('ann lost the friend bob')")
        console.until(f"{text}.includes(arguments[0])", REMARK)

        # Bring it back: the latest entry is the block, and what it ended stands in it.
        console.ask("document.querySelector('.content tbody button').click()")
        taken_back()
        assert people.are_friends(ann, bob) == (True, True) and not people.blacklist(ann)
        assert people.friend(ann, bob).remark == REMARK

        # A spam wave, taken back as a whole.
        for fan in fans:
            people.add(troll, fan, force=True)
        console.show("user", id=troll, part="history", by=troll)
        console.until(f"{boxes}.length === {len(fans)}")
        console.ask(f"{boxes}.forEach(each => each.click())")
        hands.click("Undo the chosen")
        taken_back()
        assert people.friend_ids(troll) == []

        # Erased: no history has it, and the audit is whole. The page would ask for who is gone.
        console.go("about:blank")
        started = relation("DeleteAccounts", user_ids=[troll], erase=True)
        people.await_deletion(started.results[0].deletion_id)
        console.show("user", id=fans[0], part="history")
        console.until(f"{text}.includes('No such change is kept')")
        console.show("apps", app=app.number, part="audit")
        console.until(f"{text}.includes('the latest come first')")
        hands.click("Verify")
        console.until(f"{text}.includes('Whole: ')")
        # The first page was there before it had a key.
        complaints = [each for each in console.complaints() if "401" not in each["message"]]
        assert complaints == [], f"the browser complains: {complaints}"
