"""Reviews of profiles and friends over the wire: who sees which value, decisions, and exports."""

import pytest
from events import events
from people import People, codes, outcomes
from refusals import refusal
from stubs import Relation
from watching import live

HELD, SHOWN = 1, 2
APPROVED, REJECTED, WITHDRAWN = 1, 2, 3
PROFILE_CHANGE, ASKED, DECIDED = 110, 202, 203
FIELDS = {"held": {"values": ["nick", "custom.Motto"]}, "shown": {"values": ["link"]}}


class Office:
    """An app with reviewed fields, two users that are friends, and its moderators."""

    def __init__(self, relation, **settings):
        settings = {"reviewed_fields": FIELDS, **settings}
        made = relation("CreateApp", settings=settings).app.app_id
        self.moderator = relation.in_app(made)
        self.people = People(self.moderator)
        self.ann, self.bob = self.people(2)
        self.people.befriend(self.ann, self.bob)
        fields = [{"owner": 1, "key": "Motto", "value_type": 1}]
        assert codes(self.moderator("DefineCustomFields", items=fields)) == [0]

    def own(self, user):
        """The same server for a credential of the user alone."""
        relation = self.moderator
        own = [("x-user-id", user), ("x-scopes", "read,write,watch")]
        return Relation(relation.stubs, relation.channel, [*relation.metadata, *own])

    def write(self, **profile):
        paths = ["custom.Motto" if name == "custom" else name for name in profile]
        return self.own(self.ann)(
            "UpdateProfile", user_id=self.ann, profile=profile, update_mask={"paths": paths})

    def seen(self):
        """The profile as the other user reads it."""
        answer = self.own(self.bob)("GetProfiles", user_id=self.bob, user_ids=[self.ann])
        return answer.results[0].profile

    def read(self, **fields):
        return self.own(self.ann)("GetSelfProfile", user_id=self.ann, **fields)

    def reviews(self, **fields):
        return list(self.moderator("ListReviews", **fields).reviews)

    def decide(self, review, decision, **fields):
        item = {"review_id": review.review_id, "decision": decision, **fields}
        return self.moderator("DecideReviews", items=[item])

    def told(self, user):
        """The kinds of events about profiles and reviews in the user's log."""
        kinds = (PROFILE_CHANGE, ASKED, DECIDED)
        return [event.kind for event in events(self.people, user) if event.kind in kinds]


@pytest.fixture
def office(relation):
    return Office(relation)


def test_a_held_value_is_its_own_users_until_it_is_approved(office):
    before, version = office.seen(), office.read().profile.version
    answer = office.write(nick="Ann", custom=[{"key": "Motto", "text": "onward"}])
    assert answer.applied and list(answer.reviewed_fields) == ["nick", "custom.Motto"]
    assert office.seen() == before and answer.version == version
    own = office.read()
    assert own.profile.nick == "Ann" and own.profile.custom[0].text == "onward"
    assert [(one.field, one.state, one.text) for one in own.reviews] == [
        ("nick", HELD, "Ann"), ("custom.Motto", HELD, "onward")]
    # The mask leaves out reviews too.
    assert [one.field for one in office.read(read_mask={"paths": ["nick"]}).reviews] == ["nick"]
    assert office.told(office.ann) == [ASKED] and office.told(office.bob) == []
    assert codes(office.decide(office.reviews()[0], APPROVED)) == [0]
    assert office.seen().nick == "Ann" and not office.seen().custom
    assert office.told(office.ann) == [ASKED, PROFILE_CHANGE, DECIDED]


def test_a_view_version_stands_for_the_values_under_review(office):
    first = office.read().view_version
    office.write(nick="Ann")
    second = office.read(known_version=first)
    assert not second.not_modified and second.view_version != first
    same = office.read(known_version=second.view_version)
    assert same.not_modified and not same.reviews
    office.decide(office.reviews()[0], REJECTED)
    assert office.read().view_version == first


def test_a_rejected_value_is_taken_back_with_its_reason(office):
    office.write(link="https://ann.example/")
    (first,) = office.reviews()
    assert (first.state, first.former_text) == (SHOWN, "")
    assert office.seen().link == "https://ann.example/"
    office.decide(first, APPROVED)
    office.write(link="https://sales.example/")
    (second,) = office.reviews(state=SHOWN, reviewed_user_id=office.ann, field="link")
    assert second.former_text == "https://ann.example/"
    answer = office.decide(second, REJECTED, reason_code=7, reason_text="no sales")
    assert answer.applied and answer.results[0].changed
    assert office.seen().link == "https://ann.example/"
    told = events(office.people, office.ann)[-1]
    assert told.kind == DECIDED
    review = told.items[0].review
    assert (review.decision, review.reason_code, review.reason_text) == (
        REJECTED, 7, "no sales")
    assert review.text == "https://sales.example/" and review.review_id == second.review_id


def test_a_decision_about_a_value_that_was_changed_since_decides_nothing(office):
    office.write(nick="Ann")
    (seen,) = office.reviews()
    office.write(nick="Anna")
    assert codes(office.decide(seen, APPROVED)) == [30001]
    assert office.seen().nick == "" and office.reviews()[0].text == "Anna"


@pytest.mark.parametrize(("change", "info"), [
    ({"review_id": "01"}, "Err_ReviewDecide_Id_Illegal"),
    ({"decision": 0}, "Err_ReviewDecide_Decision_Illegal"),
    ({"decision": WITHDRAWN}, "Err_ReviewDecide_Decision_Illegal"),
    ({"reason_code": -1}, "Err_ReviewDecide_Reason_Illegal"),
    ({"reason_text": "x" * 501}, "Err_ReviewDecide_Reason_Illegal"),
    ({"review_id": "999"}, "Err_ReviewDecide_Not_Exist"),
])
def test_a_decision_that_breaks_a_rule_decides_nothing(office, change, info):
    office.write(nick="Ann")
    (review,) = office.reviews()
    item = {"review_id": review.review_id, "decision": APPROVED, "reason_text": "x" * 500}
    (result,) = office.moderator("DecideReviews", items=[item | change]).results
    assert (result.code, result.info) == (30001, info)
    assert list(office.reviews()) == [review] and office.seen().nick == ""


def test_two_decisions_about_one_review_are_one_and_a_refusal(office):
    office.write(nick="Ann")
    (review,) = office.reviews()
    items = [{"review_id": review.review_id, "decision": one} for one in (APPROVED, REJECTED)]
    first, second = office.moderator("DecideReviews", items=items).results
    assert (first.code, second.code, second.info) == (0, 30001, "Err_ReviewDecide_Duplicate")
    assert office.seen().nick == "Ann" and not office.reviews()


def test_the_end_of_a_review_without_a_decision_is_told(office):
    office.write(nick="Ann")
    answer = office.write(nick="")
    assert answer.applied and not answer.reviewed_fields
    last = events(office.people, office.ann)[-1]
    assert (last.kind, last.items[0].review.decision) == (DECIDED, WITHDRAWN)
    office.write(nick="Ann")
    # A moderator's own value needs no review, and ends one.
    office.people.set_profile(office.ann, nick="Guest")
    assert office.seen().nick == "Guest" and not office.reviews()


def test_a_dry_run_begins_no_review(office):
    answer = office.own(office.ann)(
        "UpdateProfile", user_id=office.ann, profile={"nick": "Ann"},
        update_mask={"paths": ["nick"]}, options={"dry_run": True})
    assert not answer.applied and list(answer.reviewed_fields) == ["nick"]
    assert not office.reviews() and not office.read().reviews


def test_an_app_that_is_full_takes_no_further_field(relation):
    office = Office(relation, limits={"reviews": 1})
    office.write(nick="Ann")
    answer = office.own(office.ann)(
        "UpdateProfile", user_id=office.ann,
        tags=[{"tag": "Tag_Profile_Custom_Motto", "text": "onward"}])
    assert (answer.code, answer.info) == (40001, "Err_Review_Num_Exceed_Threshold")
    assert [one.key for one in answer.violations] == ["Tag_Profile_Custom_Motto"]
    assert not answer.applied and len(office.reviews()) == 1


def test_the_stream_of_the_app_has_reviews(office):
    with live(office.moderator, app=True) as stream:
        office.write(nick="Ann")
        office.decide(office.reviews()[0], REJECTED, reason_text="not yours")
        found = stream.until(lambda event: event.kind == DECIDED)
    told = [event for event in found if event.kind in (ASKED, DECIDED)]
    assert [event.items[0].review.text for event in told] == ["Ann", "Ann"]
    assert {event.user_id for event in told} == {office.ann}


def test_only_fields_with_texts_are_reviewed(relation):
    for path in ("level", "unique_id", "allow_type", "custom.", "no_field"):
        fields = {"held": {"values": [path]}}
        refused = refusal(relation, "CreateApp", settings={"reviewed_fields": fields})
        assert refused.fields == ["settings.reviewed_fields.held"], path


def test_reviews_travel_with_an_export(office):
    office.write(nick="Ann", link="https://ann.example/")
    before = office.reviews()
    stream = office.moderator.start("ExportApp")
    request = office.moderator.stubs.request("ExportApp", {})
    rows = list(stream(request, metadata=office.moderator.metadata))
    (profile,) = [row.profile for row in rows if row.HasField("profile") and row.profile.reviews]
    assert list(profile.reviews) == before
    assert profile.profile.nick == "" and profile.profile.link == "https://ann.example/"


# Texts of friends

FRIENDS = {"values": ["remark", "custom.Met"]}


class Friends(Office):
    """An office that reviews texts of friends, in which ann and bob are friends."""

    def __init__(self, relation, **settings):
        super().__init__(relation, reviewed_friend_fields=FRIENDS, **settings)
        fields = [{"owner": 2, "key": "Met", "value_type": 1}]
        assert codes(self.moderator("DefineCustomFields", items=fields)) == [0]

    def update(self, relation=None, **values):
        relation = relation or self.own(self.ann)
        return relation("UpdateFriends", user_id=self.ann, items=[{"user_id": self.bob, **values}])

    def row(self):
        answer = self.own(self.ann)("GetFriends", user_id=self.ann, user_ids=[self.bob])
        return answer.results[0].friend_entry


@pytest.fixture
def friends(relation):
    return Friends(relation)


def test_a_remark_is_there_at_once_and_is_taken_back(friends):
    before = events(friends.people, friends.bob)
    assert friends.update(remark="pal", custom=[{"key": "Met", "text": "here"}]).applied
    found = friends.reviews()
    assert [(one.field, one.state, one.user_id, one.friend_user_id) for one in found] == [
        ("remark", SHOWN, friends.ann, friends.bob),
        ("custom.Met", SHOWN, friends.ann, friends.bob)]
    assert friends.row().remark == "pal" and friends.row().custom[0].text == "here"
    assert codes(friends.decide(found[0], APPROVED)) == [0]
    friends.decide(found[1], REJECTED, reason_code=3)
    friends.update(remark="rude")
    (last,) = friends.reviews(field="remark")
    assert (last.text, last.former_text) == ("rude", "pal")
    friends.decide(last, REJECTED, reason_text="be kind")
    assert friends.row().remark == "pal" and not friends.row().custom
    told = events(friends.people, friends.ann)[-2:]
    assert told[0].items[0].friend_entry.remark == "pal" and told[1].kind == DECIDED
    review = told[1].items[0].review
    assert (review.decision, review.reason_text, review.friend_user_id) == (
        REJECTED, "be kind", friends.bob)
    # The friend learns of nothing, and reads nothing.
    assert events(friends.people, friends.bob) == before


def test_an_administrator_and_an_import_end_the_review_of_a_remark(friends):
    friends.update(remark="rude")
    assert friends.update(friends.moderator, remark="set").applied
    assert friends.reviews() == [] and friends.row().remark == "set"
    friends.update(remark="rude")
    rows = [{"user_id": friends.ann, "friend_user_id": friends.bob, "remark": "rude"}]
    friends.people.import_friends(rows)
    assert friends.reviews() == [] and friends.row().remark == "rude"


def test_the_end_of_a_friendship_ends_its_reviews(friends):
    friends.update(remark="rude")
    (review,) = friends.reviews()
    friends.own(friends.bob)(
        "DeleteFriends", user_id=friends.bob, user_ids=[friends.ann], delete_type=2)
    assert friends.reviews() == []
    assert codes(friends.decide(review, REJECTED)) == [30001]
    last = events(friends.people, friends.ann)[-1]
    assert last.items[0].review.decision == WITHDRAWN


def test_an_app_without_room_takes_no_remark(relation):
    friends = Friends(relation, limits={"reviews": 0})
    (result,) = friends.update(remark="pal").results
    assert (result.code, result.info) == (30001, "Err_Friend_Review_Num_Exceed_Threshold")
    assert friends.row().remark == "" and friends.update(starred=True).applied


def test_only_texts_of_friends_are_reviewed(relation):
    for path in ("nick", "groups", "source", "custom."):
        refused = refusal(
            relation, "CreateApp", settings={"reviewed_friend_fields": {"values": [path]}})
        assert refused.fields == ["settings.reviewed_friend_fields"], path


def test_reviews_of_friends_travel_with_an_export(friends):
    friends.update(remark="rude")
    before = friends.reviews()
    stream = friends.moderator.start("ExportApp")
    request = friends.moderator.stubs.request("ExportApp", {})
    rows = list(stream(request, metadata=friends.moderator.metadata))
    (row,) = [row.friend_entry for row in rows
              if row.HasField("friend_entry") and row.friend_entry.reviews]
    assert list(row.reviews) == before
    assert (row.user_id, row.entry.user_id, row.entry.remark) == (
        friends.ann, friends.bob, "rude")


def test_a_remark_that_would_be_one_review_too_many_refuses_its_item(relation):
    reviewed = {"reviewed_friend_fields": {"values": ["remark"]}, "limits": {"reviews": 0}}
    office = Office(relation, **reviewed)
    full = (30001, "Err_Friend_Review_Num_Exceed_Threshold")
    cat, dan, eve = office.people(3)
    own = office.own(cat)
    added = own("AddFriends", user_id=cat, items=[{"user_id": dan, "remark": "Danny"}])
    assert outcomes(added) == [full]
    office.people.apply(dan, cat)
    item = {"user_id": dan, "response_type": 1, "remark": "Danny"}
    assert outcomes(own("RespondToApplications", user_id=cat, items=[item])) == [full]
    made = office.moderator("CreateInvitation", user_id=eve, max_uses=1, expiry_seconds=60)
    accepted = own("AcceptInvitation", user_id=cat, invitation_code=made.invitation_code, remark="E")
    assert (accepted.code, accepted.info) == full
    assert own("ListFriends", user_id=cat).friends == []


# Wordings of additions


class Applicants(Office):
    """An office that reviews wordings, in which ann applies to bob, who is asked first."""

    def __init__(self, relation, **settings):
        super().__init__(relation, reviewed_friend_fields={"values": ["wording"]}, **settings)
        # Those of an office are friends.
        self.ann, self.bob = self.people(2)
        self.people.need_confirm(self.bob)
        item = {"user_id": self.bob, "wording": "buy this"}
        added = self.own(self.ann)("AddFriends", user_id=self.ann, items=[item])
        assert codes(added) == [30539]

    def lists(self):
        """The wording of the application in both lists."""
        sides = [(self.ann, self.bob), (self.bob, self.ann)]
        return [
            (one.user_id == other and one.wording)
            for user, other in sides
            for one in self.own(user)("ListPendencies", user_id=user).pendencies]


@pytest.fixture
def applicants(relation):
    return Applicants(relation)


def test_a_wording_is_there_at_once_and_is_taken_back_from_both_lists(applicants):
    (review,) = applicants.reviews()
    assert (review.field, review.state, review.user_id, review.friend_user_id, review.text) == (
        "wording", SHOWN, applicants.ann, applicants.bob, "buy this")
    assert applicants.lists() == ["buy this", "buy this"]
    before = applicants.own(applicants.bob)("ListPendencies", user_id=applicants.bob)
    assert codes(applicants.decide(review, REJECTED, reason_text="no advertising")) == [0]
    assert applicants.lists() == ["", ""] and applicants.reviews() == []
    after = applicants.own(applicants.bob)("ListPendencies", user_id=applicants.bob)
    assert after.unread_count == before.unread_count
    assert after.pendencies[0].add_time_ms == before.pendencies[0].add_time_ms
    told = events(applicants.people, applicants.bob)[-1]
    assert told.items[0].application.wording == ""
    review = events(applicants.people, applicants.ann)[-1].items[0].review
    assert (review.decision, review.reason_text) == (REJECTED, "no advertising")


def test_a_wording_is_taken_back_from_the_rows_of_both_friends(applicants):
    (review,) = applicants.reviews()
    applicants.own(applicants.bob)(
        "RespondToApplications", user_id=applicants.bob,
        items=[{"user_id": applicants.ann, "response_type": 1}])
    assert applicants.reviews() == [review]
    applicants.decide(review, REJECTED)
    for user in (applicants.ann, applicants.bob):
        (friend,) = applicants.own(user)("ListFriends", user_id=user).friends
        assert friend.wording == ""


def test_the_end_of_an_application_ends_the_review_of_its_wording(applicants):
    (review,) = applicants.reviews()
    applicants.own(applicants.ann)(
        "WithdrawApplications", user_id=applicants.ann, user_ids=[applicants.bob])
    assert applicants.reviews() == []
    assert codes(applicants.decide(review, REJECTED)) == [30001]
    assert events(applicants.people, applicants.ann)[-1].items[0].review.decision == WITHDRAWN


def test_an_app_without_room_takes_no_wording(relation):
    office = Office(
        relation, reviewed_friend_fields={"values": ["wording"]}, limits={"reviews": 0})
    cat, dan = office.people(2)
    added = office.own(cat)("AddFriends", user_id=cat, items=[{"user_id": dan, "wording": "hi"}])
    assert outcomes(added) == [(30001, "Err_Friend_Review_Num_Exceed_Threshold")]
    assert office.own(cat)("ListFriends", user_id=cat).friends == []


def test_the_review_of_a_wording_travels_with_its_application(applicants):
    before = applicants.reviews()
    stream = applicants.moderator.start("ExportApp")
    request = applicants.moderator.stubs.request("ExportApp", {})
    rows = list(stream(request, metadata=applicants.moderator.metadata))
    (row,) = [row.application for row in rows
              if row.HasField("application") and row.application.reviews]
    assert list(row.reviews) == before
    assert (row.user_id, row.application.user_id, row.application.wording) == (
        applicants.ann, applicants.bob, "buy this")
