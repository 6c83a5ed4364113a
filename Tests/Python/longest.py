"""An app whose rows are as long as its settings allow, and every call of the contract with as much
as it may ask for: the test of the length of messages."""

import concurrent.futures
import contextlib
import string
import threading
import time

import grpc
from answers import LONGEST_MESSAGE
from people import codes
from refusals import Refusal

# The lowest and the highest that the contract allows.
LIMITS = {
    "friends": (0, 10_000), "blacklisted_users": (0, 10_000), "groups": (0, 1_000),
    "pendencies": (0, 1_000), "group_name": (1, 256), "remark": (0, 512), "wording": (0, 256),
    "nick": (0, 1_024), "face_url": (0, 1_024), "self_signature": (0, 1_024),
    "location_bytes": (0, 256), "unique_id": (1, 64), "email": (0, 256), "birthday_text": (0, 256),
    "location_text": (0, 256), "profiles_per_call": (1, 100), "profile_keys": (0, 100),
    "friend_keys": (0, 100), "custom_value": (0, 1_024), "subscriptions": (0, 10_000),
    "subscribers": (0, 50_000), "followings": (0, 20_000), "followers": (0, 4_000_000_000),
    "mutual_follows": (0, 20_000), "invitations": (0, 1_000),
    "dismissed_suggestions": (0, 20_000), "status": (0, 256), "consumers": (0, 1_000),
    "contact_lookups": (0, 1_000_000), "reviews": (0, 100_000),
}  # fmt: skip
HIGHEST = {name: high for name, (_, high) in LIMITS.items()}
PROFILE, FRIEND = 1, 2
CLIENT = "client"
TEXTS = {
    "nick": "nick", "name": "nick", "first_name": "nick", "middle_name": "nick",
    "last_name": "nick", "username": "nick", "face_url": "face_url", "link": "face_url",
    "picture_url": "face_url", "email": "email", "birthday_text": "birthday_text",
    "location_text": "location_text",
}  # fmt: skip


def keys(count):
    letters = string.ascii_letters
    return [f"k{letters[number // 52]}{letters[number % 52]}aaaaa" for number in range(count)]


class Longest:
    """One such app: `limits` are its settings, as CreateApp takes them."""

    def __init__(self, relation, random, limits, preset, users):
        self.random = random
        made = relation(
            "CreateApp", preset=preset, name="n" * 128, settings={"limits": limits}).app
        self.relation = relation.in_app(made.app_id)
        self.asked = set()
        self.users = [f"{number:03}".ljust(64, "u") for number in range(users)]
        self.ann, self.bob, *self.others = self.users
        self.stream("ImportAccounts", [{"row": {"user_id": user}} for user in self.users])
        self.limits = {}
        self.look_at_limits()
        self.profile = self.define(PROFILE)
        self.friend = self.define(FRIEND)
        self.look_at_limits()
        self.fill()

    def follow_changes(self):
        """Consumers with the longest names; hooks, which this server does not allow."""
        for number in range(2):
            name = f"{number}".ljust(64, "c")
            made = self("AcquireConsumer", consumer=name)
            reader = made.consumer.reader if made else 1
            self("AcknowledgeChanges", consumer=name, reader=reader, release=True)
        self.pages("ListConsumers", page_size=1)
        self("DeleteConsumer", consumer="0".ljust(64, "c"))
        self("CreateHook", url="https://receiver.invalid/", name="n" * 128, secret="s" * 128,
             form="HOOK_FORM_TIM_CALLBACKS")
        self.pages("ListHooks")
        for call in (
                "UpdateHook", "RotateHookSecret", "ReplayHook", "ListHookFailures", "TestHook"):
            self(call, hook_id="0" * 16)
        self("DeleteHook", hook_id="0" * 16)

    # Asking

    def __call__(self, call, /, metadata=(), **fields):
        """The answer, or None if the call as a whole was refused, which it may be by its rules."""
        try:
            answer = self.begin(call, self.relation.stubs.request(call, fields), metadata)
        except grpc.RpcError as error:
            refused = Refusal(error)
            assert refused.reason, refused
            return None
        return self.measured(answer)

    def begin(self, call, request, metadata=()):
        self.asked.add(call)
        function = self.relation.start(call)
        return function(request, timeout=120, metadata=[*self.relation.metadata, *metadata])

    @staticmethod
    def measured(message):
        assert message.ByteSize() <= LONGEST_MESSAGE, type(message)
        return message

    def stream(self, call, requests):
        """The answers of a call that streams; `requests` is one request where it takes one."""
        make = self.relation.stubs.request
        if isinstance(requests, list):
            sent = iter([make(call, request) for request in requests])
        else:
            sent = make(call, requests)
        return [self.measured(message) for message in self.begin(call, sent)]

    def pages(self, call, **fields):
        """Reads all pages of a list, unless the call is refused."""
        answer = self(call, **fields)
        while answer is not None and answer.next_page_token:
            answer = self(call, page_token=answer.next_page_token, **fields)

    def look_at_limits(self):
        answer = self("GetLimits", user_id=self.ann)
        self.limits = {limit.name: limit for limit in answer.limits}
        assert self.most("message") == LONGEST_MESSAGE

    def most(self, name):
        return self.limits[name].value

    # Parts of requests

    def text(self, name):
        limit = self.limits[f"limits.{name}"]
        wide = limit.unit == self.relation.stubs.LimitUnit.Value("LIMIT_UNIT_CHARACTERS")
        return ("\N{GRINNING FACE}" if wide else "x") * limit.value

    def value(self):
        return self.text("custom_value").encode()

    def custom(self, names):
        return [{"key": name, "data": self.value()} for name in names]

    def define(self, owner):
        names = keys(self.most(f"limits.{'profile' if owner == PROFILE else 'friend'}_keys"))
        fields = [
            {"owner": owner, "key": name, "value_type": "CUSTOM_FIELD_TYPE_STRING"}
            for name in names
        ]
        # If the app may have no field, one more is refused.
        answer = self("DefineCustomFields", items=fields or [{"owner": owner, "key": "none"}])
        assert set(codes(answer)) == ({0} if fields else {30001})
        return names

    def groups(self, count):
        size = self.most("limits.group_name")
        count = min(count, self.most("limits.groups"), 10 if size == 1 else count)
        return [str(number).rjust(size, "g")[:size] for number in range(count)]

    def ids(self, name, malformed=None):
        """As many ids as the bound of that name allows: those of accounts, repeated, or malformed
        ones that no account has."""
        count = self.most(name)
        if malformed is None:
            malformed = self.random.random() < 0.3
        if malformed:
            # Each must be echoed up to the bound of echoed texts, and a request has its bound too.
            return [f"{number:05}".ljust(300, "?") for number in range(count)]
        pool = self.others + [self.bob]
        self.random.shuffle(pool)
        return [pool[number % len(pool)] for number in range(count)]

    # Filling

    def fill(self):
        for user in self.users:
            self.fill_profile(user)
        for user in self.others:
            row = {
                "user_id": self.ann, "friend_user_id": user, "remark": self.text("remark"),
                "wording": self.text("wording"), "source": "AddSource_Type_abcdefgh",
                "custom": self.custom(self.friend),
            }  # fmt: skip
            self.stream("ImportFriends", [{"row": row, "notify": True}])
        for user in self.others[:4]:
            items = [{"user_id": user, "groups": self.groups(100),
                      "update_mask": {"paths": ["groups"]}}]  # fmt: skip
            self("UpdateFriends", user_id=self.ann, items=items)
        self("RegisterClientApp", client_app_id=CLIENT, name="c" * 128)
        for number in range(99):
            self("RegisterClientApp", client_app_id=f"{number:02}".ljust(64, "c"), name="c" * 128)
        fields = ["nick", "email", *(f"custom.{name}" for name in self.profile)][:64]
        permissions = [
            {"name": f"{number:03}".ljust(64, "p"), "kind": "PERMISSION_KIND_EXTENDED",
             "access": "PERMISSION_ACCESS_READ", "fields": fields}
            for number in range(100)
        ]  # fmt: skip
        self("DefinePermissions", items=permissions)
        self.permissions = [permission["name"] for permission in permissions]
        devices = [
            {"user_id": user, "device_id": f"{number:02}".ljust(64, "d"), "platform": "p" * 32,
             "online": True, "lease_seconds": 3_600}
            for user in self.users for number in range(20)
        ]  # fmt: skip
        self("ReportPresence", items=devices)

    def fill_profile(self, user):
        number = self.users.index(user)
        profile = {field: self.text(limit) for field, limit in TEXTS.items()}
        profile |= {
            "location": b"l" * self.most("limits.location_bytes"),
            "self_signature": b"s" * self.most("limits.self_signature"), "locale": "l" * 35,
            "language": 2**32 - 1, "msg_settings": 2**32 - 1, "birthday": 20000101,
            "unique_id": f"{number}".rjust(self.most("limits.unique_id"), "0")[
                -self.most("limits.unique_id"):],
        }  # fmt: skip
        self("UpdateProfile", user_id=user, profile=profile,
             update_mask={"paths": list(profile)})  # fmt: skip
        for start in range(0, len(self.profile), 50):
            part = self.custom(self.profile[start:start + 50])
            self("UpdateProfile", user_id=user, profile={"custom": part},
                 update_mask={"paths": ["custom"]})  # fmt: skip

    # Every call, with as much as it may ask for

    def drive(self):
        """Makes every call of the contract; the streams have read everything until then."""
        steps = [self.read_profiles, self.read_friends, self.read_lists, self.read_app,
                 self.write_friends, self.write_groups, self.apply, self.subscribe,
                 self.follow_users, self.consent, self.invite]
        self.random.shuffle(steps)
        tokens = {scope: self.watch(fields) for scope, fields in self.scopes().items()}
        with concurrent.futures.ThreadPoolExecutor(3) as threads:
            done = threading.Event()
            live = [threads.submit(self.follow, fields, done) for fields in self.scopes().values()]
            try:
                for step in steps:
                    step()
            finally:
                done.set()
            for stream in live:
                stream.result()
        for scope, fields in self.scopes().items():
            self.watch({**fields, "resume_token": tokens[scope]})
            self.watch(fields)
        self.list_changes()
        self.stream_all()
        self.block()
        self.end()

    def scopes(self):
        return {"user": {"user_id": self.ann}, "users": {"user_ids": {"values": self.users}},
                "app": {"app": True}}  # fmt: skip

    @contextlib.contextmanager
    def open(self, fields):
        request = self.relation.stubs.request("Watch", {**fields, "heartbeat_ms": 1_000})
        stream = self.begin("Watch", request)
        try:
            yield map(self.measured, stream)
        finally:
            stream.cancel()

    def watch(self, fields):
        """Reads a stream until it is live, and returns its last token."""
        with self.open(fields) as stream:
            for message in stream:
                # This is a heartbeat, or the end of the present state or of the missed events.
                if message.resume_token and (
                    not message.HasField("event") or message.event.kind == 151
                ):
                    return message.resume_token

    def follow(self, fields, done):
        """Reads the messages of a stream while others make all those calls."""
        with self.open(fields) as stream:
            # The heartbeat comes a second after the last event.
            for message in stream:
                if not message.HasField("event") and done.is_set():
                    return

    def read_profiles(self):
        self("GetSelfProfile", user_id=self.ann, with_unset_fields=True)
        self("GetProfiles", user_id=self.ann, with_unset_fields=True,
             user_ids=self.ids("limits.profiles_per_call", malformed=False))  # fmt: skip
        self("GetProfiles", user_id=self.ann, user_ids=self.ids("limits.profiles_per_call"))
        self("FindProfileByUniqueId", user_id=self.ann,
             unique_id="0" * self.most("limits.unique_id"))  # fmt: skip
        self("SetVisibility", user_id=self.ann, visibility=self.random.choice([1, 2, 3]))
        fields = ["email", "birthday", "name", "link"] + [f"custom.{key}" for key in self.profile]
        groups = [f"group{number}" for number in range(10)]
        self("SetVisibility", user_id=self.ann, fields=[
            {"field": field, "visibility": self.random.choice([1, 2, 3])}
            for field in fields[:self.most("limits.field_visibilities")]])  # fmt: skip
        self("SetVisibility", user_id=self.ann, fields=[
            {"field": fields[0], "visibility": 5, "group_names": groups}])  # fmt: skip
        self("GetVisibility", user_id=self.ann)
        choice = self.random.choice([0, 1, 2])
        self("SetFindSettings", user_id=self.ann,
             settings={"by_id": choice, "by_unique_id": choice, "by_name": choice})  # fmt: skip
        self("GetFindSettings", user_id=self.ann)
        self.pages("FindUsers", user_id=self.ann, keyword="n" * 64)
        digests = [bytes([number]) * 32 for number in range(100)]
        self("SetContactDigests", user_id=self.bob, kind=1, digests=digests[:10])
        self("GetContactDigests", user_id=self.bob)
        self("FindContacts", user_id=self.ann, kind=1, digests=digests)
        tags = [{"tag": f"{number:02}".ljust(400, "t"), "text": "x"} for number in range(64)]
        self("UpdateProfile", user_id=self.ann, tags=tags)
        self.fill_profile(self.bob)

    def read_friends(self):
        ann = self.ann
        self("GetFriends", user_id=ann, user_ids=self.ids("GetFriends.user_ids", malformed=False))
        joined = self.ids("GetFriends.user_ids, with profiles", malformed=False)
        self("GetFriends", user_id=ann, user_ids=joined, with_profiles=True)
        full = self.ids("GetRelations.user_ids, with profiles or custom fields", malformed=False)
        self("GetRelations", user_id=ann, user_ids=full, with_custom=True, with_profiles=True)
        self("GetRelations", user_id=ann, user_ids=self.ids("GetRelations.user_ids", False))
        self("GetRelations", user_id=ann, user_ids=self.ids("GetRelations.user_ids", True))
        for order in ("USER_ID", "ADD_TIME", "DISPLAY_NAME"):
            for joined in (False, True):
                self.pages(
                    "ListFriends", user_id=ann, page_size=1_000, order=f"FRIEND_ORDER_{order}",
                    with_profiles=joined)  # fmt: skip
        self.pages("SearchFriends", user_id=ann, keyword="u", page_size=1_000, with_profiles=True)
        self.pages("SyncFriends", user_id=ann, since_sequence=1, page_size=1_000)
        self.pages("SyncFriends", user_id=ann, page_size=1_000)
        self("CheckFriends", user_id=ann, user_ids=self.ids("CheckFriends.user_ids"))
        self.pages("ListMutualFriends", user_id=ann, other_user_id=self.bob, page_size=200)
        self("GetMutualFriendCounts", user_id=ann,
             user_ids=self.ids("GetMutualFriendCounts.user_ids"))  # fmt: skip
        self.pages("ListReverseFriends", user_id=ann, page_size=1_000, with_profiles=True)
        self.pages("SuggestFriends", user_id=ann, page_size=200)
        self("DismissSuggestions", user_id=ann, user_ids=self.ids("DismissSuggestions.user_ids"))
        self.pages("ListDismissedSuggestions", user_id=ann, page_size=1_000, with_profiles=True)
        self("RestoreSuggestions", user_id=ann,
             user_ids=self.ids("RestoreSuggestions.user_ids")[:3])  # fmt: skip

    def read_lists(self):
        ann = self.ann
        self("ListPendencies", user_id=ann, num_per_page=100)
        self.pages("ListApplications", user_id=ann, page_size=1_000)
        self.pages("ListBlacklist", user_id=ann, page_size=1_000)
        self("CheckBlacklist", user_id=ann, user_ids=self.ids("CheckBlacklist.user_ids"))
        self("CanSend", user_id=ann, user_ids=self.ids("CanSend.user_ids"))
        self("GetFriendGroups", user_id=ann, with_members=True)
        self("GetFriendGroups", user_id=ann, names=[name.ljust(300, "?") for name in keys(100)])
        self("SetStatus", user_id=self.bob, text=self.text("status"))
        self.follow_changes()
        self("GetPresence", user_id=ann, user_ids=self.ids("GetPresence.user_ids", False))
        self("GetPresence", user_id=ann, user_ids=self.ids("GetPresence.user_ids", True))
        self.pages("ListAccounts", page_size=1_000)
        self("CheckAccounts", user_ids=self.ids("CheckAccounts.user_ids"))
        self("GetSequence", user_id=ann)
        self("GetStats")
        self.pages("ListAuditRecords", page_size=1_000)

    def read_app(self):
        self("GetApp")
        self("UpdateApp", name="m" * 128)
        self.pages("ListApps", page_size=1_000)
        self.pages("ListCustomFields", with_retired=True, page_size=1_000)
        for number in range(30):
            self("CreateCredential", name=f"{number}".ljust(128, "c"),
                 scopes=["SCOPE_READ", "SCOPE_WRITE", "SCOPE_WATCH", "SCOPE_ADMIN"])  # fmt: skip
        listed = self("ListCredentials", page_size=1_000).credentials
        self("RevokeCredential", credential_id=listed[0].credential_id)
        made = self("CreateOperatorKey", name="o" * 128, expire_time_ms=1 << 60)
        self.pages("ListOperatorKeys", page_size=1_000)
        self("RevokeOperatorKey", credential_id=made.operator_key.credential_id)
        self.pages("ListBackups", page_size=1_000)
        self("RotateAppSecret", old_expire_time_ms=0)
        self("ImportAppSecret", app_id=self.app_id, secret="s" * 128, old_expire_time_ms=0)
        self.pages("ListClientApps", page_size=1_000)
        self.pages("ListPermissionDefinitions", page_size=1_000)

    def write_friends(self):
        ann = self.ann
        for text in (self.text("remark"), ""):
            # This changes each friend's row at once, for the events that tell of them together.
            items = [{"user_id": user, "remark": text, "update_mask": {"paths": ["remark"]}}
                     for user in self.ids("UpdateFriends.items", malformed=False)]  # fmt: skip
            self("UpdateFriends", user_id=ann, items=items)
        self("UpdateFriends", user_id=ann, items=[
            {"user_id": user, "tags": [{"tag": "t" * 300, "text": "x"}]}
            for user in self.ids("UpdateFriends.items", True)])  # fmt: skip
        self("AddFriends", user_id=self.bob, items=[
            {"user_id": user, "remark": self.text("remark"), "wording": self.text("wording"),
             "source": "abcdefgh"} for user in self.ids("AddFriends.items")])  # fmt: skip
        self("DeleteFriends", user_id=self.bob, user_ids=self.ids("DeleteFriends.user_ids"))
        # Everything in a row that is deleted comes back with the new row.
        self("DeleteFriends", user_id=ann, user_ids=self.others[-2:])
        self("AddFriends", user_id=ann, items=[
            {"user_id": user, "custom": self.custom(self.friend[:30])}
            for user in self.others[-2:]])  # fmt: skip
        self.stream("ImportFriends", [
            {"row": {"user_id": ann, "friend_user_id": user, "source": f"s{number}"}}
            for number, user in enumerate(self.others)])  # fmt: skip
        for call, other in (("ImportBlacklists", "blocked_user_id"),
                            ("ImportFollows", "followed_user_id")):
            self.stream(call, [{"row": {"user_id": self.bob, other: user}}
                               for user in [*self.others, "x" * 1_000]])  # fmt: skip
        profile = {name: self.text(limit) for name, limit in TEXTS.items()}
        self.stream("ImportProfiles", [
            {"row": {"user_id": user, "profile": profile,
                     "update_mask": {"paths": [*profile, "custom." + "k" * 1_000]}}}
            for user in self.others])  # fmt: skip

    def write_groups(self):
        ann = self.ann
        self("CreateFriendGroups", user_id=ann, names=self.groups(10),
             user_ids=[f"{number:04}".ljust(300, "?") for number in range(1_000)])  # fmt: skip
        self("CreateFriendGroups", user_id=ann, user_ids=self.others[:5],
             names=[name.rjust(self.most("limits.group_name"), "n")[
                 -self.most("limits.group_name"):] for name in keys(100)])  # fmt: skip
        name = self.groups(1)[0] if self.groups(1) else "g"
        ids = self.ids("AddFriendsToGroup.user_ids")
        self("AddFriendsToGroup", user_id=ann, name=name, user_ids=ids)
        self("RemoveFriendsFromGroup", user_id=ann, name=name, user_ids=ids)
        self("RenameFriendGroup", user_id=ann, name=name,
             new_name="N" * self.most("limits.group_name"))  # fmt: skip
        self("GetFriendGroups", user_id=ann, with_members=True)
        self("DeleteFriendGroups", user_id=ann, names=self.groups(100) or ["g"])

    def apply(self):
        for user in self.users[:8]:
            self("UpdateProfile", user_id=user, profile={"allow_type": 1},
                 update_mask={"paths": ["allow_type"]})  # fmt: skip
        for user in self.others:
            friends = [{"user_id": self.bob, "wording": self.text("wording"),
                        "remark": self.text("remark"), "source": "abcdefgh"}]  # fmt: skip
            self("AddFriends", user_id=user, items=friends)
        self("ListPendencies", user_id=self.bob, num_per_page=100)
        self.pages("ListApplications", user_id=self.bob, page_size=1_000)
        self("ReportPendencies", user_id=self.bob, timestamp_ms=int(time.time() * 1_000))
        third = len(self.others) // 3
        self("RespondToApplications", user_id=self.bob, items=[
            {"user_id": user, "response_type": 1, "remark": self.text("remark")}
            for user in self.others[:third]])  # fmt: skip
        self("DeletePendencies", user_id=self.bob, pendency_type="PENDENCY_TYPE_COME_IN",
             user_ids=self.others[third:2 * third])  # fmt: skip
        self("WithdrawApplications", user_id=self.others[-1],
             user_ids=self.ids("WithdrawApplications.user_ids"))  # fmt: skip
        self.pages("ListApplications", user_id=self.bob, page_size=1_000)

    def subscribe(self):
        for kind in ("SUBSCRIBE_TYPE_ONLINE_STATUS", "SUBSCRIBE_TYPE_USER_PROFILE"):
            fields = {"user_id": self.ann, "subscribe_type": kind}
            self("Subscribe", user_ids=self.ids("Subscribe.user_ids", malformed=False),
                 expiry_seconds=600, **fields)  # fmt: skip
            self("QuerySubscriptions", user_ids=self.ids("QuerySubscriptions.user_ids"), **fields)
            self.pages("ListSubscriptions", page_size=200, **fields)
            self("Unsubscribe", user_ids=self.ids("Unsubscribe.user_ids")[:3], **fields)

    def follow_users(self):
        ann = {"user_id": self.ann}
        for call in ("Follow", "CheckFollows", "GetFollowCounts"):
            self(call, user_ids=self.ids(f"{call}.user_ids"), **ann)
        for call in ("ListFollowing", "ListFollowers", "ListMutualFollows"):
            self.pages(call, page_size=1_000, **ann)
        self("Unfollow", user_ids=self.ids("Unfollow.user_ids")[:3], **ann)

    def invite(self):
        fields = {"max_uses": 1_000, "expiry_seconds": 365 * 86_400, "pre_approved": True}
        made = self(
            "CreateInvitation", user_id=self.bob, text=self.text("wording"), **fields)
        about = {"user_id": self.ann, "invitation_code": made.invitation_code}
        self("GetInvitation", **about)
        self("AcceptInvitation", wording=self.text("wording"), remark=self.text("remark"), **about)
        self.pages("ListInvitations", page_size=1_000, user_id=self.bob)
        # An app that allows none has none to revoke.
        self("RevokeInvitation", user_id=self.bob,
             invitation_id=made.invitation.invitation_id or "0" * 32)  # fmt: skip

    def consent(self):
        for user in self.users:
            about = {"user_id": user, "client_app_id": CLIENT}
            self("GrantPermissions", names=["user_friends", "public_profile"], **about)
        about = {"user_id": self.ann, "client_app_id": CLIENT}
        self("GrantPermissions", names=self.permissions, **about)
        self.pages("ListPermissions", page_size=1_000, **about)
        self("ReadUser", with_unset_fields=True, **about)
        self.pages("ListAppFriends", page_size=1_000, **about)
        self("DeclinePermissions", names=self.permissions[:50], **about)
        self("RevokePermissions", all=True, **about)
        self("GrantPermissions", names=[name.ljust(300, "?") for name in keys(100)], **about)

    def list_changes(self):
        for user in (self.ann, self.bob):
            token, events = "", 0
            while True:
                page = self("ListChanges", user_id=user, page_size=500, page_token=token)
                assert not page.resync
                events += len(page.events)
                token = page.next_page_token
                if not token:
                    break
            assert events == page.sequence

    def stream_all(self):
        rows = self.stream("ExportApp", {})
        assert rows[-1].point.complete
        self.copy(rows)
        parts = self.stream("ExportUser", {"exported_user_id": self.ann})
        assert parts[-1].point.complete
        self("RevokeUserSessions", user_ids=self.ids("RevokeUserSessions.user_ids"))
        self.moderate()
        made = self.stream("CreateBackup", {})[-1].backup
        assert self.stream("ReadBackup", {"name": made.name, "path": "BACKUP"})
        findings = self.stream("CheckIntegrity", {})
        assert findings[-1].progress.complete and findings[-1].progress.findings == 0

    def moderate(self):
        """Reports and suspends as many as a call takes, with the longest texts, and takes it back."""
        for user in self.others:
            self(
                "ReportUser", user_id=self.ann, reported_user_id=user, category=1,
                text="t" * 1_000, reference="r" * 256)
        reports = self("ListReports", page_size=1_000).reports
        assert reports
        self("ResolveReports", items=[
            {"report_id": report.report_id, "outcome": 1, "note": "n" * 500}
            for report in reports[:self.most("ResolveReports.items")]
        ])
        self.pages("ListReports", page_size=1_000)
        self("SuspendAccounts", items=[
            {"user_id": user, "level": 1, "reason_text": "r" * 500}
            for user in self.ids("SuspendAccounts.items")
        ])
        self.pages("ListSuspensions", page_size=1_000)
        self("ExplainSend", from_user_id=self.ann, to_user_id=self.bob)
        self("ExplainAddFriend", from_user_id=self.ann, to_user_id=self.bob, as_user=True)
        self("ExplainFollow", from_user_id=self.ann, to_user_id=self.bob, as_user=True)
        self("ExplainBlock", from_user_id=self.ann, to_user_id=self.bob, as_user=True)
        self("ExplainRespond", from_user_id=self.ann, to_user_id=self.bob, as_user=True)
        self("ExplainCheckFriend", from_user_id=self.ann, to_user_id=self.bob)
        self("ExplainProfile", from_user_id=self.bob, to_user_id=self.ann)
        self("ExplainEvent", from_user_id=self.bob, to_user_id=self.ann, sequence=1)
        self("ExplainUpdateProfile", from_user_id=self.ann, as_user=True)
        self("ExplainAcceptInvitation", from_user_id=self.ann, invitation_id="0" * 32, as_user=True)
        self("ReinstateAccounts", user_ids=self.ids("ReinstateAccounts.user_ids"))
        self.review()
        self.revert()

    def revert(self):
        """Keeps changes of the longest rows, lists them, and takes as many back as a call takes."""
        self("UpdateApp", settings={"history_days": 3_650},
             update_mask={"paths": ["history_days"]})  # fmt: skip
        for text in (self.text("remark"), self.text("remark")[1:]):
            items = [{"user_id": user, "remark": text}
                     for user in self.ids("UpdateFriends.items", malformed=False)]  # fmt: skip
            self("UpdateFriends", user_id=self.ann, items=items)
        self.pages("ListHistory", page_size=1_000)
        page = self("ListHistory", page_size=1_000)
        positions = [entry.position for entry in page.entries] if page else []
        most = self.most("UndoChanges.positions")
        self("UndoChanges", positions=(positions + [1] * most)[:most])

    def review(self):
        """Has every text of profiles and each remark reviewed, with the longest values, and decides about some."""
        shown = {"shown": {"values": list(TEXTS)}}
        self("UpdateApp",
             settings={
                 "reviewed_fields": shown, "reviewed_friend_fields": {"values": ["remark"]}},
             update_mask={"paths": ["reviewed_fields.shown", "reviewed_friend_fields"]})  # fmt: skip
        for text in (self.text("remark"), self.text("remark")[1:]):
            items = [{"user_id": user, "remark": text}
                     for user in self.ids("UpdateFriends.items", malformed=False)]  # fmt: skip
            self("UpdateFriends", [("x-scopes", "read,write")], user_id=self.ann, items=items)
        for user in self.others:
            # They differ from those that the profile has.
            profile = {name: self.text(limit)[1:] for name, limit in TEXTS.items()}
            self("UpdateProfile", [("x-scopes", "read,write")], user_id=user, profile=profile,
                 update_mask={"paths": list(profile)})  # fmt: skip
            self("GetSelfProfile", user_id=user)
        self.pages("ListReviews", page_size=1_000)
        reviews = self("ListReviews", page_size=1_000).reviews
        # An app may have room for none.
        named = [review.review_id for review in reviews] or ["1"]
        self("DecideReviews", items=[
            {"review_id": review, "decision": 2, "reason_text": "r" * 500}
            for review in named[:self.most("DecideReviews.items")]
        ])

    def copy(self, rows):
        """Reads the rows of an export into an app of its own, which must take each of them."""
        own = self.relation
        self.relation = own.in_app(own("CreateApp").app.app_id)
        try:
            told = self.stream("ImportApp", [{"row": row} for row in rows])
        finally:
            self.relation = own
        refused = [answer.row for answer in told if answer.row.code]
        assert not refused, refused[:3]
        assert told[-1].progress.accepted == len(rows)

    def block(self):
        self("AddToBlacklist", user_id=self.ann, user_ids=self.ids("AddToBlacklist.user_ids"))
        self("RemoveFromBlacklist", user_id=self.ann,
             user_ids=self.ids("RemoveFromBlacklist.user_ids"))  # fmt: skip

    def end(self):
        self("DeleteAllFriends", user_id=self.ann, delete_type="DELETE_TYPE_BOTH")
        self.list_changes()
        started = self("DeleteAccounts", user_ids=self.ids("DeleteAccounts.user_ids", False))
        self("GetDeletion", deletion_id=started.results[0].deletion_id)
        if self.profile:
            self("RetireCustomField", owner=PROFILE, key=self.profile[0])
        else:
            self("RetireCustomField", owner=PROFILE, key="none")
        self("DeleteApp", app_id=self.app_id)

    @property
    def app_id(self):
        return int(dict(self.relation.metadata)["x-app-id"])
