"""Watch: the present state, then every change, for the users whom it concerns and for no others."""

import itertools
import subprocess
import threading

import grpc
import ports
from people import People
from refusals import Refusal, assert_invalid
from relationd import Relationd, executable
from stubs import Relation
from watching import RESYNC, STATE, SYNC_COMPLETED, Watching, live


def kinds(stubs, events):
    return [stubs.ChangeKind.Name(event.kind).removeprefix("CHANGE_KIND_") for event in events]


def types(stubs, events, kind):
    return [
        stubs.SyncType.Name(event.sync_type).removeprefix("SYNC_TYPE_")
        for event in events if event.kind == kind
    ]


_marks = itertools.count()


def marked(people, user):
    """Makes one more event of `user`, and returns its mark: every event before it has come."""
    version = people.set_profile(user, self_signature=b"mark %d" % next(_marks)).version
    return lambda event: (
        event.user_id == user and event.kind == 110 and event.items[0].profile.version == version)


# The present state


def test_an_empty_user_has_nothing_but_the_ends_of_each_type(people, relation, stubs):
    ann, = people(1)
    with Watching(relation, user_id=ann) as stream:
        events = stream.state()
    assert {event.kind for event in events} <= {STATE, SYNC_COMPLETED}
    ended = types(stubs, events, SYNC_COMPLETED)
    assert set(ended) >= {"FRIENDS", "GROUPS", "PENDENCIES", "BLACKLIST", "PROFILES", "CONSENTS"}
    assert len(ended) == len(set(ended))
    assert stream.token


def test_the_state_has_every_row_and_comes_before_its_ends(people, relation, stubs):
    ann, bob, carl, dora, eve = people(5)
    people.set_profile(ann, nick="Ann")
    people.set_profile(bob, nick="Bob")
    people.befriend(ann, bob)
    people.group(ann, "close", bob)
    people.block(ann, carl)
    people.apply(ann, dora)
    people.apply(eve, ann)
    with Watching(relation, user_id=ann) as stream:
        events = stream.state()
    first_end = next(n for n, event in enumerate(events) if event.kind == SYNC_COMPLETED)
    assert all(event.kind == STATE for event in events[:first_end])
    assert all(event.kind == SYNC_COMPLETED for event in events[first_end:])
    rows = {}
    for event in events[:first_end]:
        name = stubs.SyncType.Name(event.sync_type)
        rows.setdefault(name, []).extend((event.user_id, item) for item in event.items)
    assert [(user, item.friend_entry.user_id, list(item.friend_entry.groups))
            for user, item in rows["SYNC_TYPE_FRIENDS"]] == [(ann, bob, ["close"])]
    assert [(item.group.name, item.group.member_count)
            for _, item in rows["SYNC_TYPE_GROUPS"]] == [("close", 1)]
    assert [item.blacklist_entry.user_id for _, item in rows["SYNC_TYPE_BLACKLIST"]] == [carl]
    assert sorted(item.application.user_id for _, item in rows["SYNC_TYPE_PENDENCIES"]) \
        == sorted([dora, eve])
    # The user's own profile comes under its name, its friends' profiles under no name.
    assert [(user, item.user_id, item.profile.nick)
            for user, item in rows["SYNC_TYPE_PROFILES"]] == [(ann, ann, "Ann"), ("", bob, "Bob")]


def test_a_long_list_comes_in_several_events(people, relation):
    ann, *others = people(251)
    people.befriend(ann, *others)
    with Watching(relation, user_id=ann, kinds=[1]) as stream:
        events = stream.state()
    friends = [event for event in events if event.kind == STATE and event.sync_type == 1]
    assert len(friends) >= 3
    assert sorted(item.user_id for event in friends for item in event.items) == sorted(others)
    sequence = relation("GetSequence", user_id=ann).sequence
    assert {event.sequence for event in friends} == {sequence}


def test_kinds_leave_out_what_they_do_not_change(people, relation, stubs):
    ann, bob, carl = people(3)
    people.befriend(ann, bob)
    people.block(ann, carl)
    with Watching(relation, user_id=ann, kinds=[5, 6]) as stream:
        events = stream.state()
        assert types(stubs, events, STATE) == ["ACCOUNTS", "BLACKLIST"]
        assert types(stubs, events, SYNC_COMPLETED) == ["ACCOUNTS", "BLACKLIST"]
        people.set_profile(ann, nick="no user is told")
        relation("RemoveFromBlacklist", user_id=ann, user_ids=[carl])
        assert stream.event().kind == 6


# Live


def test_both_sides_are_told_of_a_friendship(people, relation, stubs):
    ann, bob = people(2)
    people.allow_any(bob)
    with live(relation, user_id=ann) as anns, live(relation, user_id=bob) as bobs:
        people.add(ann, bob, remark="B")
        one, other = anns.event(), bobs.event()
    assert (one.kind, one.user_id, one.actor_user_id) == (1, ann, ann)
    assert one.items[0].friend_entry.remark == "B"
    assert (other.kind, other.user_id, other.actor_user_id) == (1, bob, ann)
    assert (other.items[0].user_id, other.items[0].friend_entry.remark) == (ann, "")


def test_whom_one_blacklists_is_told_of_the_friendship_and_no_more(people, relation):
    ann, bob = people(2)
    people.befriend(ann, bob)
    with live(relation, user_id=ann) as anns, live(relation, user_id=bob) as bobs:
        people.block(ann, bob)
        assert sorted(event.kind for event in (anns.event(), anns.event())) == [2, 5]
        is_mark = marked(people, bob)
        assert [event.kind for event in bobs.until(is_mark)] == [2, 110]


def test_a_change_of_a_profile_reaches_friends_masked_for_each(people, relation):
    ann, bob, carl, dora = people(4)
    people.befriend(ann, bob, carl)
    relation("SetVisibility", user_id=ann, visibility=3)
    # Ann loses Carl; Carl keeps Ann, and has no relation to her.
    relation("DeleteFriends", user_id=ann, user_ids=[carl], delete_type=1)
    streams = {user: live(relation, user_id=user) for user in (ann, bob, carl, dora)}
    people.set_profile(ann, nick="Anna", self_signature=b"hidden", language=7)
    own = streams[ann].event()
    assert sorted(own.items[0].fields) == ["language", "nick", "self_signature"]
    assert own.sequence > 0
    friends = streams[bob].event()
    assert (friends.sequence, friends.user_id) == (0, ann)
    assert sorted(friends.items[0].fields) == ["language", "nick", "self_signature"]
    assert friends.items[0].profile.self_signature == b"hidden"
    assert friends.items[0].profile.version == own.items[0].profile.version
    assert (friends.device_id, friends.request_id) == ("", "")
    unrelated = streams[carl].event()
    assert list(unrelated.items[0].fields) == ["nick"]
    assert unrelated.items[0].profile.nick == "Anna"
    assert not unrelated.items[0].profile.HasField("language")
    # A user that does not have her in its list is told nothing, and neither is one that sees
    # nothing of the change.
    people.set_profile(ann, language=8)
    for user, expected in ((dora, [110]), (carl, [110])):
        assert [event.kind for event in streams[user].until(marked(people, user))] == expected
    for stream in streams.values():
        stream.cancel()


def test_a_change_of_visibility_tells_what_is_seen_from_now_on(people, relation):
    ann, bob = people(2)
    people.befriend(ann, bob)
    people.set_profile(ann, nick="Ann", language=3)
    with live(relation, user_id=bob) as bobs, live(relation, user_id=ann) as anns:
        relation("SetVisibility", user_id=ann, visibility=1)
        event = bobs.event()
        assert event.kind == 111
        assert event.items[0].profile.nick == "Ann"
        assert not event.items[0].profile.HasField("language")
        assert not event.items[0].HasField("visibility")
        assert anns.event().items[0].visibility == 1


def test_one_call_makes_one_event_for_each_kind_and_receiver(people, relation):
    ann, *others = people(6)
    for other in others:
        people.allow_any(other)
    with live(relation, user_id=ann) as stream:
        relation("AddFriends", user_id=ann, items=[{"user_id": other} for other in others])
        event = stream.event()
        assert sorted(item.user_id for item in event.items) == sorted(others)
        assert len(stream.until(marked(people, ann))) == 1


def test_a_stream_of_several_users_says_for_whom(people, relation):
    ann, bob, carl, dora = people(4)
    people.befriend(ann, bob)
    people.befriend(ann, carl)
    with live(relation, user_ids=[bob, carl, dora]) as stream:
        people.set_profile(ann, nick="Ann")
        message = stream.next()
        assert list(message.user_ids) == sorted([bob, carl])
        assert (message.event.user_id, message.event.sequence) == (ann, 0)
        people.set_profile(dora, nick="Dora")
        message = stream.next()
        assert (message.event.user_id, list(message.user_ids)) == (dora, [])
        assert message.event.sequence > 0


def test_a_stream_of_the_app_tells_every_log_once(start, stubs):
    with grpc.insecure_channel(start().address) as channel:
        relation = Relation(stubs, channel)
        people = People(relation)
        ann, bob = people(2)
        people.befriend(ann, bob)
        with Watching(relation, app=True) as stream:
            state = stream.state()
            accounts = [item.user_id for event in state for item in event.items
                        if event.sync_type == 9]
            assert sorted(accounts) == sorted([ann, bob])
            people.set_profile(ann, nick="Ann")
            event = stream.event()
            assert (event.user_id, event.kind, event.items[0].profile.nick) == (ann, 110, "Ann")
            carl, = people(1)
            event = stream.event()
            assert (event.kind, event.items[0].user_id, event.sequence) == (140, carl, 0)
            relation("DeleteFriends", user_id=ann, user_ids=[bob], delete_type=2)
            told = {event.user_id: event.kind for event in (stream.event(), stream.event())}
            assert told == {ann: 2, bob: 2}


def test_a_stream_of_a_client_app_tells_what_users_say_to_it(people, relation):
    ann, = people(1)
    one = people.register_client(f"one-{ann}")
    other = people.register_client(f"other-{ann}")
    people.grant(ann, one, "email")
    with Watching(relation, app=True, client_app_id=one) as stream:
        state = stream.state()
        assert [(event.user_id, item.permission.name) for event in state
                for item in event.items] == [(ann, "email"), (ann, "public_profile")]
        people.grant(ann, other, "user_location")
        people.set_profile(ann, nick="no user is told")
        people.grant(ann, one, "user_birthday")
        event = stream.event()
        assert (event.kind, event.items[0].permission.name) == (130, "user_birthday")
        assert event.items[0].client_app_id == one


def test_a_deleted_user_ends_its_stream(people, relation):
    ann, bob = people(2)
    people.befriend(ann, bob)
    stream = live(relation, user_id=ann)
    with live(relation, user_id=bob) as bobs:
        relation("DeleteAccounts", user_ids=[ann])
        refused = stream.refusal()
        assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "USER_NOT_FOUND")
        assert bobs.event().kind == 2


def test_a_stream_of_several_users_goes_on_without_those_that_are_none(people, relation):
    ann, bob = people(2)
    zoe = people.unknown_user()
    stream = Watching(relation, user_ids=[ann, bob, zoe])
    first = stream.next()
    assert (list(first.missing_user_ids), first.HasField("event")) == ([zoe], False)
    stream.state()
    people.set_profile(bob, nick="Bob")
    assert stream.event().user_id == bob
    relation("DeleteAccounts", user_ids=[ann])
    told = stream.next()
    assert (list(told.missing_user_ids), told.HasField("event")) == ([ann], False)
    gone = stream.event()
    assert (gone.kind, gone.items[0].user_id) == (141, ann)
    people.make([zoe], nick="Zoe")
    created = stream.event()
    assert (created.kind, created.items[0].user_id) == (140, zoe)
    people.set_profile(zoe, nick="Z")
    assert stream.event().user_id == zoe
    stream.cancel()
    # Events that came meanwhile are sent from the token on: a user that is gone makes nothing begin
    # anew.
    people.set_profile(bob, nick="Bobby")
    with Watching(relation, user_ids=[ann, bob, zoe], resume_token=stream.token) as again:
        assert list(again.next().missing_user_ids) == [ann]
        assert again.event().items[0].profile.nick == "Bobby"
    with live(relation, user_ids=[bob, zoe], kinds=[110]) as filtered:
        relation("DeleteAccounts", user_ids=[zoe])
        assert list(filtered.next().missing_user_ids) == [zoe]
        people.set_profile(bob, nick="Bob")
        assert filtered.event().user_id == bob


def test_a_stream_of_users_none_of_whom_exist_waits_for_them(people, relation):
    zoe = people.unknown_user()
    with Watching(relation, user_ids=[zoe]) as stream:
        assert list(stream.next().missing_user_ids) == [zoe]
        stream.state()
        people.make([zoe])
        assert stream.event().kind == 140


# Going on


def test_a_stream_goes_on_behind_the_last_message(people, relation):
    ann, bob, carl = people(3)
    people.allow_any(bob)
    people.befriend(ann, carl)
    stream = live(relation, user_id=ann)
    people.add(ann, bob)
    assert stream.event().kind == 1
    stream.cancel()
    people.block(ann, bob)
    people.set_profile(carl, nick="Carl")
    people.set_profile(carl, self_signature=b"twice")
    with Watching(relation, user_id=ann, resume_token=stream.token) as again:
        messages = []
        while not messages or messages[-1].HasField("event"):
            messages.append(again.next())
        events = [message.event for message in messages[:-1] if message.event.kind < STATE]
        # The changes of each other user are joined to one event, which has the whole profile.
        others = [event for event in events if event.sequence == 0]
        assert [(event.user_id, event.kind) for event in others] == [(carl, 110)]
        assert others[0].items[0].profile.nick == "Carl"
        assert others[0].items[0].profile.self_signature == b"twice"
        assert list(others[0].items[0].fields) == []
        own = [event for event in events if event.sequence]
        assert sorted(event.kind for event in own) == [2, 5]
        assert [event.sequence for event in own] == sorted(event.sequence for event in own)
        people.set_profile(ann, nick="now")
        assert again.event().kind == 110
    with Watching(relation, user_id=ann, resume_token=again.token, kinds=[110]) as last:
        message = last.next()
        assert not message.HasField("event")
        assert message.resume_token


def test_a_token_from_before_what_the_log_keeps_begins_anew(start, stubs):
    with grpc.insecure_channel(start().address) as channel:
        relation = Relation(stubs, channel)
        people = People(relation)
        ann, bob = people(2)
        people.befriend(ann, bob)
        stream = live(relation, user_id=ann)
        stream.cancel()
        # The earlier account is gone, and so are the events of its log.
        (deleted,) = relation("DeleteAccounts", user_ids=[ann]).results
        people.await_deletion(deleted.deletion_id)
        people.make([ann])
        with Watching(relation, user_id=ann, resume_token=stream.token) as again:
            events = again.state()
        assert events[0].kind == RESYNC
        assert [event.kind for event in events[1:]].count(RESYNC) == 0
        assert not [event for event in events if event.sync_type == 1 and event.items]


def test_heartbeats_come_in_silence_and_have_the_token(people, relation):
    ann, = people(1)
    with live(relation, user_id=ann, heartbeat_ms=1000) as stream:
        message = stream.next()
        assert not message.HasField("event")
        assert message.resume_token


def test_a_client_that_takes_nothing_loses_its_stream_and_can_go_on(start, stubs):
    running = start()
    # A client that reads nothing ahead of what its caller takes.
    options = [("grpc.http2.lookahead_bytes", 65_536), ("grpc.http2.bdp_probe", 0)]
    with grpc.insecure_channel(running.address, options=options) as slow, \
            grpc.insecure_channel(running.address) as quick:
        people = People(Relation(stubs, quick))
        ann, = people(1)
        stream = live(Relation(stubs, slow), user_id=ann)
        with live(people.relation, user_id=ann) as other:
            for number in range(1_000):
                people.set_profile(
                    ann, nick=f"{number}" + "n" * 490, self_signature=b"s" * 500)
                assert other.event().sequence == number + 1
        got = []
        try:
            while True:
                got.append(stream.event().sequence)
        except grpc.RpcError as error:
            refused = Refusal(error)
        assert (refused.code, refused.reason) == (grpc.StatusCode.ABORTED, "SLOW_READER")
        assert got == list(range(1, len(got) + 1))
        token = refused.metadata["resume_token"]
        with Watching(people.relation, user_id=ann, resume_token=token) as again:
            rest = [again.event().sequence for _ in range(1_000 - len(got))]
        assert rest == list(range(len(got) + 1, 1_001))


def test_a_state_that_the_server_ends_is_begun_anew_with_its_token(start, stubs):
    running = start()
    options = [("grpc.http2.lookahead_bytes", 65_536), ("grpc.http2.bdp_probe", 0)]
    with grpc.insecure_channel(running.address, options=options) as channel:
        people = People(Relation(stubs, channel))
        ann, *others = people(2_501)
        people.import_friends([
            {"user_id": ann, "friend_user_id": other, "remark": "r" * 90} for other in others])
        stream = Watching(people.relation, user_id=ann)
        assert stream.next().resume_token == ""
        # It waits for the client to take what was sent.
        stopping = threading.Thread(target=running.stop)
        stopping.start()
        refused = stream.refusal()
        stopping.join()
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")
        token = refused.metadata["resume_token"]
    with grpc.insecure_channel(start().address) as channel:
        relation = Relation(stubs, channel)
        with Watching(relation, user_id=ann, resume_token=token) as again:
            events = again.state()
            assert [event.kind for event in events].index(RESYNC) == 0
            friends = {item.user_id for event in events if event.sync_type == 1
                       for item in event.items}
            assert friends == set(others)
            People(relation).set_profile(ann, nick="Ann")
            assert again.event().kind == 110


def test_a_user_that_was_not_named_yet_can_be_followed_where_accounts_are_implicit(start, stubs):
    with grpc.insecure_channel(start().address) as channel:
        relation = Relation(stubs, channel)
        made = relation("CreateApp", settings={"makes_accounts_implicitly": True}).app.app_id
        relation = relation.in_app(made)
        for scope in ({"user_id": "zoe"}, {"user_ids": ["ann", "zoe"]}):
            with live(relation, **scope) as stream:
                relation("UpdateProfile", user_id="zoe", profile={"nick": str(scope)},
                         update_mask={"paths": ["nick"]})
                stream.until(lambda event: event.kind == 110)
        # A client must drop everything that it was told about a deleted account.
        relation("DeleteAccounts", user_ids=["zoe"])
        with Watching(relation, user_id="zoe", resume_token=stream.token) as again:
            assert again.event().kind == RESYNC


def test_clients_that_take_nothing_keep_no_other_from_beginning(start, stubs):
    running = start()
    options = [("grpc.http2.lookahead_bytes", 65_536), ("grpc.http2.bdp_probe", 0)]
    with grpc.insecure_channel(running.address, options=options) as slow, \
            grpc.insecure_channel(running.address) as quick:
        people = People(Relation(stubs, quick))
        ann, bob, *others = people(2_502)
        people.import_friends([
            {"user_id": ann, "friend_user_id": other, "remark": "r" * 90} for other in others])
        stalled = [Watching(Relation(stubs, slow), user_id=ann) for _ in range(40)]
        for stream in stalled:
            stream.next()
        with live(people.relation, timeout=20, user_id=bob) as stream:
            people.set_profile(bob, nick="Bob")
            assert stream.event().kind == 110
        for stream in stalled:
            stream.cancel()


def test_several_messages_about_one_event_are_all_told_if_the_stream_breaks_between(
        people, relation):
    ann, bob = people(2)
    people.befriend(ann, bob)
    stream = live(relation, user_ids=[ann, bob])
    people.set_profile(ann, nick="Ann")
    first = stream.next()
    stream.cancel()
    with Watching(relation, user_ids=[ann, bob], resume_token=stream.token) as again:
        events = again.until(lambda event: event.kind == SYNC_COMPLETED)
    told = [(event.sequence > 0, event.kind) for event in [first.event, *events]]
    assert told.count((True, 110)) == 1
    assert (False, 110) in told


def test_what_a_viewer_was_not_to_see_is_not_told_when_a_stream_goes_on(people, relation):
    ann, bob = people(2)
    people.befriend(ann, bob)
    relation("SetVisibility", user_id=ann, visibility=1)
    stream = live(relation, user_id=bob, kinds=[110, 111])
    stream.cancel()
    people.set_profile(ann, language=3)
    with Watching(relation, user_id=bob, kinds=[110, 111], resume_token=stream.token) as again:
        assert not again.next().HasField("event")
    people.set_profile(ann, nick="Ann")
    with Watching(relation, user_id=bob, kinds=[111], resume_token=stream.token) as again:
        assert not again.next().HasField("event")
    with Watching(relation, user_id=bob, kinds=[110], resume_token=stream.token) as again:
        assert again.next().event.items[0].profile.nick == "Ann"


def test_the_state_tells_the_sequence_of_a_user_with_a_read_mark(people, relation):
    ann, bob = people(2)
    people.apply(bob, ann)
    relation("ReportPendencies", user_id=ann, timestamp_ms=1_800_000_000_000)
    sequence = relation("GetSequence", user_id=ann).sequence
    with Watching(relation, user_id=ann) as stream:
        states = [event for event in stream.state() if event.kind == STATE and event.user_id]
    assert {event.sequence for event in states} == {sequence}


def test_an_event_longer_than_all_that_may_wait_is_told(people, relation):
    ann, *others = people(101)
    text = "w" * 120
    for other in others:
        people.allow_any(other)
    fields = [f"Long{letter}" for letter in "abcdefgh"]
    relation("DefineCustomFields", items=[
        {"owner": 2, "key": field, "value_type": 2} for field in fields])
    with live(relation, user_id=ann, kinds=[1]) as stream:
        relation("AddFriends", user_id=ann, items=[
            {"user_id": other, "wording": text, "custom": [
                {"key": field, "data": b"x" * 490} for field in fields]} for other in others])
        event = stream.event()
        assert len(event.items) == 100
        assert event.ByteSize() > 256 * 1024


# Faults of a request


def test_a_request_must_say_whom_it_follows_and_in_one_way(people, relation):
    ann, bob = people(2)
    for fields, named in (
        ({}, ["user_id"]),
        ({"user_id": " ann"}, ["user_id"]),
        ({"app": False}, ["app"]),
        ({"user_ids": []}, ["user_ids"]),
        ({"user_ids": [bob, ""]}, ["user_ids.values[1]"]),
        ({"user_id": ann, "client_app_id": "one"}, ["client_app_id"]),
        ({"app": True, "client_app_id": "one two"}, ["client_app_id"]),
        ({"user_id": ann, "kinds": [999]}, ["kinds"]),
        ({"user_id": ann, "kinds": [0]}, ["kinds"]),
        ({"user_id": ann, "device_id": "d" * 65}, ["device_id"]),
        ({"user_id": ann, "heartbeat_ms": 999}, ["heartbeat_ms"]),
        ({"user_id": ann, "heartbeat_ms": 600_001}, ["heartbeat_ms"]),
        ({"user_id": ann, "heartbeat_ms": -1}, ["heartbeat_ms"]),
    ):
        assert_invalid(Watching(relation, **fields).refusal(), *named)


def test_a_thousand_users_may_be_followed_and_no_more(people, relation):
    users = people(1001)
    with live(relation, user_ids=users[:1000], kinds=[110]) as stream:
        people.set_profile(users[999], nick="last")
        assert stream.event().user_id == users[999]
    refused = Watching(relation, user_ids=users).refusal()
    assert_invalid(refused, "user_ids", reason="TOO_MANY_ITEMS")
    assert refused.metadata == {"limit": "1000", "actual": "1001"}


def test_tokens_that_are_not_ours_are_refused(people, relation, stubs):
    ann, = people(1)
    stream = live(relation, user_id=ann)
    stream.cancel()
    token = stream.token
    for wrong in (token[:-1], "x" + token, token.swapcase(), "é", "t" * 3000, token + token):
        refused = Watching(relation, user_id=ann, resume_token=wrong).refusal()
        assert_invalid(refused, "resume_token", reason="INVALID_RESUME_TOKEN")


def test_a_user_that_does_not_exist_is_not_found(people, relation):
    refused = Watching(relation, user_id=people.unknown_user()).refusal()
    assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "USER_NOT_FOUND")


def test_a_users_own_credential_follows_that_user_alone(people, relation, stubs):
    ann, bob = people(2)
    own = Relation(stubs, relation.channel, [("x-user-id", ann)])
    with live(own) as stream:
        people.set_profile(ann, nick="Ann")
        assert stream.event().user_id == ann
    for fields in ({"user_id": bob}, {"user_ids": [ann]}, {"app": True}):
        refused = Watching(own, **fields).refusal()
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.PERMISSION_DENIED, "FOREIGN_USER")
        assert refused.metadata["code"] == "30004"


def test_a_stream_can_begin_behind_the_callers_own_write(people, relation):
    ann, = people(1)
    sequence = people.set_profile(ann, nick="Ann").sequence
    least = {"min_sequence": {"sequence": sequence}}
    with live(relation, user_id=ann, options=least):
        pass
    least["min_sequence"]["sequence"] = sequence + 1
    refused = Watching(relation, user_id=ann, options=least).refusal()
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT, "SEQUENCE_NOT_ISSUED")


def test_a_stopping_server_tells_where_to_go_on(start, stubs):
    running = start()
    with grpc.insecure_channel(running.address) as channel:
        relation = Relation(stubs, channel)
        people = People(relation)
        ann, = people(1)
        stream = live(relation, user_id=ann)
        people.set_profile(ann, nick="Ann")
        stream.event()
        token = stream.token
        assert running.stop() == 0
        refused = stream.refusal()
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")
        assert refused.metadata["resume_token"] == token
    with grpc.insecure_channel(start().address) as channel:
        relation = Relation(stubs, channel)
        with Watching(relation, user_id=ann, resume_token=token, kinds=[110]) as again:
            assert not again.next().HasField("event")
            People(relation).set_profile(ann, nick="Anna")
            assert again.event().items[0].profile.nick == "Anna"


# Subscriptions and presence


def report(relation, user, online, device="phone"):
    answer = relation("ReportPresence", items=[{
        "user_id": user, "device_id": device, "platform": "iOS", "online": online,
        "lease_seconds": 3600 if online else 0}])
    assert [result.code for result in answer.results] == [0], answer


def subscribe(relation, user, other, type, **options):
    answer = relation("Subscribe", user_id=user, subscribe_type=type, user_ids=[other],
                      expiry_seconds=3600, options=options)
    assert [result.code for result in answer.results] == [0], answer


def test_presence_reaches_friends_and_subscribers_and_no_user_who_is_blocked(people, relation):
    ann, bob, carl, dora, eve = people(5)
    people.befriend(ann, bob)
    subscribe(relation, carl, ann, 1)
    subscribe(relation, dora, ann, 2)
    subscribe(relation, eve, ann, 1)
    people.block(ann, eve)
    streams = {user: live(relation, user_id=user) for user in (ann, bob, carl, dora, eve)}
    report(relation, ann, True)
    for user in (bob, carl):
        event = streams[user].event()
        assert (event.kind, event.user_id, event.sequence) == (122, ann, 0)
        presence = event.items[0].presence
        assert presence.online
        assert [(each.device_id, each.platform) for each in presence.devices] == [("phone", "iOS")]
    report(relation, ann, False)
    assert not streams[bob].event().items[0].presence.online
    for user in (ann, dora, eve):
        assert {e.kind for e in streams[user].until(marked(people, user))} == {110}
    for stream in streams.values():
        stream.cancel()


def test_a_subscriber_of_a_profile_is_told_of_it_like_a_friend(people, relation):
    ann, bob, carl = people(3)
    subscribe(relation, bob, ann, 2)
    subscribe(relation, carl, ann, 1)
    with live(relation, user_id=bob) as bobs, live(relation, user_id=carl) as carls:
        people.set_profile(ann, nick="Ann")
        assert (bobs.event().user_id, ) == (ann, )
        # Each is told once, even if it is a friend and a subscriber.
        people.befriend(ann, bob)
        people.set_profile(ann, nick="Anna")
        events = bobs.until(marked(people, bob))
        assert [event.items[0].profile.nick for event in events
                if event.kind == 110 and event.user_id == ann] == ["Anna"]
        assert [(event.kind, event.user_id) for event in carls.until(marked(people, carl))] == [
            (110, carl)]
        relation("Unsubscribe", user_id=bob, subscribe_type=2, user_ids=[ann])


def test_whom_a_user_blocks_is_told_of_no_change_of_its_profile(start, stubs):
    with grpc.insecure_channel(start().address) as channel:
        relation = Relation(stubs, channel)
        relation("UpdateApp", settings={"keeps_friendship_on_blacklist": True},
                 update_mask={"paths": ["keeps_friendship_on_blacklist"]})
        people = People(relation)
        ann, bob, carl, dora = people(4)
        people.befriend(ann, bob, dora)
        subscribe(relation, carl, ann, 2)
        streams = {user: live(relation, user_id=user) for user in (bob, carl, dora)}
        people.block(ann, bob)
        people.block(ann, carl)
        people.set_profile(ann, nick="Ann")
        relation("SetVisibility", user_id=ann, visibility=3)
        assert [streams[dora].event().kind for _ in range(2)] == [110, 111]
        for user in (bob, carl):
            told = streams[user].until(marked(people, user))
            assert {event.user_id for event in told} == {user}
            streams[user].cancel()
            # It is not told either when a stream goes on, or begins.
            people.set_profile(ann, nick=f"Ann {user}")
            with Watching(relation, user_id=user, resume_token=streams[user].token) as again:
                told = again.until(marked(people, user))
                assert ann not in {event.user_id for event in told}
        with Watching(relation, user_id=carl) as stream:
            shown = [item for event in stream.state() if event.sync_type == 6
                     for item in event.items if item.user_id == ann]
        assert shown == []
        # A friend's list shows name and portrait, as every read does.
        with Watching(relation, user_id=bob) as stream:
            (shown,) = [item.profile for event in stream.state() if event.sync_type == 6
                        for item in event.items if item.user_id == ann]
            assert (shown.nick, shown.HasField("allow_type")) == (f"Ann {carl}", False)
            # After the end of the block it is told again.
            relation("RemoveFromBlacklist", user_id=ann, user_ids=[bob])
            people.set_profile(ann, nick="Anna")
            assert stream.event().items[0].profile.nick == "Anna"
        streams[dora].cancel()


def test_the_state_has_subscriptions_and_what_they_show(people, relation):
    ann, bob, carl = people(3)
    people.set_profile(bob, nick="Bob")
    subscribe(relation, ann, bob, 2)
    subscribe(relation, ann, carl, 1)
    report(relation, carl, True)
    with Watching(relation, user_id=ann) as stream:
        events = stream.state()
    items = {}
    for event in events:
        items.setdefault(event.sync_type, []).extend(event.items)
    assert sorted((item.user_id, item.subscription.subscribe_type) for item in items[5]) == sorted(
        [(bob, 2), (carl, 1)])
    assert [(item.user_id, item.profile.nick) for item in items[6]
            if item.user_id != ann] == [(bob, "Bob")]
    assert [(item.user_id, item.presence.online) for item in items[7]] == [(carl, True)]


def test_whom_a_user_follows_in_several_ways_it_is_told_of_once(people, relation):
    ann, bob = people(2)
    people.befriend(ann, bob)
    subscribe(relation, ann, bob, 2)
    subscribe(relation, ann, bob, 1)
    people.set_profile(bob, nick="Bob")
    report(relation, bob, True)
    with Watching(relation, user_id=ann) as stream:
        items = [item for event in stream.state() if event.sync_type in (6, 7)
                 for item in event.items if item.user_id == bob]
        # A profile names its user, as presence does.
        assert [(item.profile.user_id, item.presence.user_id) for item in items] == [
            (bob, ""), ("", bob)]
        people.set_profile(bob, nick="Bobby")
        assert stream.event().items[0].profile.user_id == bob
    people.set_profile(bob, nick="Robert")
    with Watching(relation, user_id=ann, resume_token=stream.token) as stream:
        # Presence is not in the log: a mark there may overtake it.
        events = stream.until(
            lambda event: any(item.presence.user_id == bob for item in event.items))
        events += stream.until(marked(people, ann))
    items = [item for event in events for item in event.items if item.user_id == bob]
    assert [(item.profile.user_id, item.presence.user_id) for item in items] == [
        (bob, ""), ("", bob)]


def test_several_users_are_told_the_same_when_a_stream_goes_on(people, relation):
    ann, bob, carl, dora = people(4)
    people.befriend(ann, bob, carl)
    subscribe(relation, dora, ann, 2)
    with live(relation, user_ids=[bob, carl, dora], kinds=[110]) as stream:
        token = stream.token
        people.set_profile(ann, nick="Ann")
        message = stream.next()
        assert list(message.user_ids) == sorted([bob, carl, dora])
    with Watching(relation, user_ids=[bob, carl, dora], kinds=[110], resume_token=token) as again:
        first, last = again.next(), again.next()
    assert (first.event.user_id, list(first.user_ids)) == (ann, list(message.user_ids))
    assert not last.HasField("event")


def test_subscriptions_are_told_to_the_users_other_devices(people, relation):
    ann, bob = people(2)
    with live(relation, user_id=ann, device_id="phone") as phone, \
            live(relation, user_id=ann, device_id="pc") as pc:
        subscribe(relation, ann, bob, 1, device_id="phone")
        event = pc.event()
        assert (event.kind, event.device_id) == (120, "phone")
        assert event.items[0].subscription.user_id == bob
        assert [e.kind for e in phone.until(marked(people, ann))] == [110]
        # A device is told of everything else, whichever user did it.
        relation("AddToBlacklist", user_id=ann, user_ids=[bob], options={"device_id": "phone"})
        assert phone.event().kind == 5


def test_presence_is_told_as_it_is_when_a_stream_goes_on(people, relation):
    ann, bob = people(2)
    people.befriend(ann, bob)
    stream = live(relation, user_id=ann)
    stream.cancel()
    report(relation, bob, True)
    report(relation, bob, True, device="pc")
    with Watching(relation, user_id=ann, resume_token=stream.token, kinds=[122]) as again:
        state, end = again.event(), again.event()
        assert (state.kind, state.sync_type) == (STATE, 7)
        assert len(state.items[0].presence.devices) == 2
        assert (end.kind, end.sync_type) == (SYNC_COMPLETED, 7)
        assert not again.next().HasField("event")


def test_a_stream_of_kinds_without_a_state_begins_with_a_token(people, relation):
    people.register_client("kinds")
    with Watching(relation, app=True, client_app_id="kinds", kinds=[1], timeout=20) as stream:
        first = stream.next()
    assert first.resume_token and not first.HasField("event")


# The command line


def test_a_watch_says_that_its_server_is_lost_and_back(stubs, tmp_path):
    with Relationd(tmp_path / "data", listen=ports.address()) as first:
        with grpc.insecure_channel(first.address) as channel:
            ann, = People(Relation(stubs, channel))(1)
        address = first.address
        with subprocess.Popen(
            [executable("relationctl"), "watch", ann, "--server", address, "--heartbeat", "1000"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as watching:
            line = "."
            while line and "SYNC_COMPLETED" not in line:
                line = watching.stdout.readline()
            assert line
            first.kill()
            lost = watching.stderr.readline()
            assert lost.startswith("watch: the server is lost, and is tried again: UNAVAILABLE")
            with Relationd(tmp_path / "data", listen=address):
                assert watching.stderr.readline() == "watch: the server is back\n"
                watching.terminate()


def test_a_watch_of_several_addresses_goes_on_at_the_next_one(stubs, tmp_path):
    other = ports.address()
    with Relationd(tmp_path / "data") as first:
        with grpc.insecure_channel(first.address) as channel:
            ann, = People(Relation(stubs, channel))(1)
        with subprocess.Popen(
            [executable("relationctl"), "watch", ann, "--server", f"{first.address},{other}",
             "--heartbeat", "1000"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as watching:  # fmt: skip
            line = "."
            while line and "SYNC_COMPLETED" not in line:
                line = watching.stdout.readline()
            assert line, watching.stderr.read()
            first.kill()
            lost = watching.stderr.readline()
            assert lost.startswith("watch: the server is lost, and the next address is tried: ")
            with Relationd(tmp_path / "data", listen=other):
                assert watching.stderr.readline() == "watch: the server is back\n"
                watching.terminate()
