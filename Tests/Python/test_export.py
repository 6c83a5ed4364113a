"""ExportApp: everything that an app has, as it was at one moment."""

import grpc
import pytest
from credentials import Keys, init
from people import People
from refusals import Refusal, assert_invalid, refusal
from stubs import Relation


@pytest.fixture
def own(start, stubs):
    """Users of a server that only this test uses."""
    running = start()
    # A client that reads nothing ahead of what its caller takes.
    options = [("grpc.http2.lookahead_bytes", 65_536), ("grpc.http2.bdp_probe", 0)]
    with grpc.insecure_channel(running.address, options=options) as channel:
        yield People(Relation(stubs, channel))


def messages(people, token=""):
    """The messages of an export or of the rest of one."""
    request = people.stubs.request("ExportApp", {"resume_token": token})
    relation = people.relation
    return relation.start("ExportApp")(request, timeout=240, metadata=relation.metadata)


def rows(answers):
    """The exported rows, and the last point."""
    found, point = [], None
    for answer in answers:
        if answer.WhichOneof("row") == "point":
            point = answer.point
        else:
            found.append(answer)
    return found, point


def kinds(found):
    return [answer.WhichOneof("row") for answer in found]


def of(found, kind):
    return [getattr(answer, kind) for answer in found if answer.WhichOneof("row") == kind]


def test_an_app_without_accounts_has_no_rows(own):
    found, point = rows(messages(own))
    assert (kinds(found), point.rows, point.complete) == (["app"], 1, True)


def test_every_row_of_every_user_is_sent_after_its_account(own):
    ann, bob, carl, dora = own(4)
    own.set_profile(ann, nick="Ann")
    own.befriend(ann, bob)
    own.group(ann, "close", bob)
    own.block(ann, carl)
    own.apply(dora, ann, wording="hello", remark="A")
    own.apply(carl, dora)
    own.respond(dora, carl, 2)
    found, point = rows(messages(own))
    assert point.complete and point.rows == len(found)
    assert [item.user_id for item in of(found, "account")] == [ann, bob, carl, dora]
    end = kinds(found).index("account", 2)
    assert kinds(found[:end]) == [
        "app", "account", "profile", "group", "friend_entry", "application", "blacklist_entry",
    ]  # fmt: skip
    assert of(found, "profile")[0].profile == own.profile(ann)
    friends = {(row.user_id, row.entry.user_id): row.entry for row in of(found, "friend_entry")}
    assert friends == {(ann, bob): own.friend(ann, bob), (bob, ann): own.friend(bob, ann)}
    (group,) = of(found, "group")
    assert (group.user_id, group.group.name, group.group.member_count) == (ann, "close", 1)
    applications = [
        (row.user_id, item.user_id, item.pendency_type, item.status)
        for row in of(found, "application") for item in [row.application]
    ]
    assert applications == [
        (ann, dora, 1, 0), (carl, dora, 2, 2), (dora, ann, 2, 0), (dora, carl, 1, 2),
    ]  # fmt: skip
    sent = of(found, "application")[2]
    assert (sent.application.wording, sent.remark) == ("hello", "A")
    assert [(row.user_id, row.entry.user_id) for row in of(found, "blacklist_entry")] == [
        (ann, carl)
    ]


def test_what_users_said_to_client_apps_is_exported_as_it_stood(own):
    ann, bob = own(2)
    reader, writer = own.register_client("reader"), own.register_client("writer")
    own.grant(ann, reader, "email", "user_friends")
    own.grant(ann, writer, "email")
    own.relation(
        "RevokePermissions", user_id=ann, client_app_id=writer, names={"values": ["email"]}
    )
    own.relation(
        "DeclinePermissions", user_id=bob, client_app_id=reader, names=["email"]
    )
    found, point = rows(messages(own))
    assert point.complete and point.rows == len(found)
    assert kinds(found)[-2:] == ["account", "consent"]
    said = [
        (row.user_id, row.client_app_id, row.permission.name, row.permission.status)
        for row in of(found, "consent")
    ]
    assert said == [
        (ann, reader, "email", 1), (ann, reader, "public_profile", 1),
        (ann, reader, "user_friends", 1), (ann, writer, "email", 3),
        (ann, writer, "public_profile", 1), (bob, reader, "email", 2),
    ]  # fmt: skip
    listed = own.relation("ListPermissions", user_id=ann, client_app_id=reader).permissions
    for row, answer in zip(of(found, "consent"), listed):
        answer.kind = answer.access = 0
        assert row.permission == answer


def test_what_is_written_while_an_export_runs_is_not_in_it(own):
    users = own(600)
    own.befriend(users[0], *users[1:])
    answers = messages(own)
    assert next(answers).point.rows == 0
    own.relation("DeleteFriends", user_id=users[0], user_ids=users[1:300], delete_type=2)
    own.set_profile(users[-1], nick="later")
    own.relation("DeleteAccounts", user_ids=[users[5]])
    own(5)
    found, point = rows(answers)
    assert point.complete
    assert [item.user_id for item in of(found, "account")] == users
    assert len(of(found, "friend_entry")) == 2 * 599
    assert all(not item.profile.nick for item in of(found, "profile"))
    later = rows(messages(own))[0]
    assert len(of(later, "account")) == 604
    others = 599 - 299 - (0 if users[5] in users[1:300] else 1)
    assert len(of(later, "friend_entry")) == 2 * others


def test_an_export_that_broke_goes_on_behind_each_of_its_points_with_the_same_moment(own):
    users = own(400)
    own.befriend(users[0], *users[1:])
    own.block(users[3], *users[10:60])
    whole, tokens = [], []
    for answer in messages(own):
        if answer.WhichOneof("row") == "point":
            tokens.append((answer.point, len(whole)))
        else:
            whole.append(answer)
    assert len(tokens) > 4
    own.relation("DeleteAllFriends", user_id=users[0])
    for point, sent in tokens:
        assert point.rows == sent
        rest, last = rows(messages(own, point.resume_token))
        assert rest == whole[sent:]
        assert (last.rows, last.time_ms) == (len(whole), point.time_ms)


def test_a_slow_reader_gets_everything_while_the_server_answers_others(own):
    users = own(1000)
    own.befriend(users[0], *users[1:])
    answers = messages(own)
    found = [next(answers) for _ in range(10)]
    assert own.profile(users[1]).user_id == users[1]
    rest, point = rows(answers)
    assert point.complete
    assert len([answer for answer in found if answer.WhichOneof("row") != "point"]) + len(
        rest
    ) == point.rows


def full(people, count=2_000):
    """Makes more rows than a stream that is not read can send."""
    users = people(count)
    people.befriend(users[0], *users[1:])
    return users


def check(people):
    """The messages of a check of the app."""
    relation = people.relation
    return relation.start("CheckIntegrity")(
        people.stubs.request("CheckIntegrity", {}), timeout=240, metadata=relation.metadata)


@pytest.fixture
def guarded(start, stubs, tmp_path):
    """The operator of a server that asks for credentials."""
    _, operator, _ = init(tmp_path / "guarded")
    running = start("guarded", insecure=False)
    options = [("grpc.http2.lookahead_bytes", 65_536), ("grpc.http2.bdp_probe", 0)]
    with grpc.insecure_channel(running.address, options=options) as channel:
        yield Keys(stubs, channel, operator)


def test_four_cancelled_exports_of_one_app_keep_no_caller_from_exporting(guarded):
    one, other = guarded.app(), guarded.app()
    mine, theirs = (People(guarded.with_key(guarded.key(app))) for app in (one, other))
    guarded.accounts(one, *[f"u{number}" for number in range(2_000)])
    guarded.accounts(other, "ann")
    tokens = []
    for _ in range(4):
        answers = messages(mine)
        tokens.append(next(answers).point.resume_token)
        answers.cancel()
    for people in (mine, theirs, People(guarded.as_operator(one))):
        assert rows(messages(people))[1].complete
        assert list(check(people))[-1].progress.complete
    # The oldest exports, which were not read, were ended for the newer ones.
    for token in tokens[:3]:
        gone = refusal(lambda token=token: messages(mine, token))
        assert (gone.code, gone.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "POINT_GONE")


def test_an_app_reads_two_exports_at_once_and_operators_one_more(guarded):
    one, other = guarded.app(), guarded.app()
    mine, theirs = (People(guarded.with_key(guarded.key(app))) for app in (one, other))
    operator = People(guarded.as_operator(one))
    full(mine)
    open_ones = [messages(mine) for _ in range(2)]
    tokens = [next(answers).point.resume_token for answers in open_ones]
    for refused in (refusal(lambda: messages(mine)), refusal(lambda: check(mine))):
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_EXPORTS",
        )  # fmt: skip
        assert refused.metadata == {"limit": "2", "actual": "2"}
        assert refused.retry_seconds > 0
    # Neither another app nor the operator has to wait for one of them.
    assert rows(messages(theirs))[1].complete
    assert list(check(theirs))[-1].progress.complete
    assert list(check(operator))[-1].progress.complete
    reserved = messages(operator)
    next(reserved)
    assert refusal(lambda: messages(operator)).reason == "TOO_MANY_EXPORTS"
    # One that has ended makes room, and its token is then worth nothing.
    rows(open_ones[0])
    assert rows(messages(mine, tokens[0]))[1].complete
    assert rows(messages(mine))[1].complete
    gone = refusal(lambda: messages(mine, tokens[0]))
    assert (gone.code, gone.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "POINT_GONE")
    # Exports whose streams have not ended are sent to their end.
    for answers in (open_ones[1], reserved):
        assert rows(answers)[1].complete


def test_a_token_of_before_a_restart_is_gone(start, stubs):
    running = start("restarted")
    with grpc.insecure_channel(running.address) as channel:
        own = People(Relation(stubs, channel))
        own(3)
        token = rows(messages(own))[1].resume_token
    assert running.stop() == 0
    running = start("restarted")
    with grpc.insecure_channel(running.address) as channel:
        own = People(Relation(stubs, channel))
        gone = refusal(lambda: messages(own, token))
    assert (gone.code, gone.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "POINT_GONE")


def test_an_app_made_anew_gets_nothing_of_the_one_that_had_its_number(own):
    number = own.relation("CreateApp").app.app_id
    inside = People(own.relation.in_app(number))
    inside.befriend(*inside(300))
    answers = messages(inside)
    token = next(answers).point.resume_token
    assert rows(messages(inside, token))[1].complete
    own.relation("DeleteApp", app_id=number)
    gone = refusal(lambda: messages(inside, token))
    assert (gone.code, gone.reason) == (grpc.StatusCode.NOT_FOUND, "APP_NOT_FOUND")
    while True:
        try:
            own.relation("CreateApp", app_id=number)
            break
        except grpc.RpcError as error:
            assert Refusal(error).reason == "APP_BEING_DELETED"
    gone = refusal(lambda: messages(inside, token))
    assert (gone.code, gone.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "POINT_GONE")
    assert kinds(rows(messages(inside))[0]) == ["app"]


def test_a_server_stops_while_an_export_is_not_read_to_its_end(start, stubs):
    running = start("stopping")
    with grpc.insecure_channel(running.address) as channel:
        own = People(Relation(stubs, channel))
        users = own(3000)
        own.befriend(users[0], *users[1:])
        answers = messages(own)
        next(answers)
        answers.cancel()
        own.profile(users[0])
        assert running.stop() == 0, running.log


def test_what_is_no_token_is_refused(people):
    people(1)
    token = rows(messages(people))[1].resume_token
    for text in ("x", token[:-2], token + "00", "ff" * 40, "x" * 2000):
        refused = refusal(lambda text=text: messages(people, text))
    assert_invalid(refused, "resume_token", reason="INVALID_RESUME_TOKEN")


def test_an_export_waits_for_no_sequence_that_was_never_issued(people):
    (ann,) = people(1)
    request = people.stubs.request(
        "ExportApp", {"options": {"min_sequence": {"user_id": ann, "sequence": 1 << 40}}}
    )
    with pytest.raises(grpc.RpcError) as caught:
        list(people.relation.start("ExportApp")(request, timeout=20))
    assert Refusal(caught.value).reason == "SEQUENCE_NOT_ISSUED"
