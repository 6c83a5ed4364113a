"""Tools to follow changes in a test: a stream, and a copy that is kept from its events alone."""

import json
import subprocess
import threading

import grpc
from google.protobuf import json_format
from refusals import Refusal
from relationd import executable

STATE, SYNC_COMPLETED, RESYNC = 150, 151, 152


class Watching:
    """One open stream: `stream = Watching(relation, user_id="ann")`, or `user_ids=["ann", "bob"]`.

    `next()` is the next message; `state()` reads the present state to its end; `until(test)` reads
    on to the first event for which `test` is true, and returns all events until then.
    """

    def __init__(self, relation, timeout=60, **fields):
        request = relation.stubs.request("Watch", watched(fields))
        self.stream = relation.start("Watch")(
            request, timeout=timeout, metadata=relation.metadata)
        self.token = fields.get("resume_token", "")

    def next(self):
        message = next(self.stream)
        if message.resume_token:
            self.token = message.resume_token
        return message

    def event(self):
        """The next event; messages without one are passed over."""
        while True:
            message = self.next()
            if message.HasField("event"):
                return message.event

    def state(self):
        """The events of the present state, up to the one with the first token."""
        events = []
        while True:
            message = self.next()
            events.append(message.event)
            if message.event.kind == SYNC_COMPLETED and message.resume_token:
                return events

    def until(self, test):
        events = []
        while True:
            events.append(self.event())
            if test(events[-1]):
                return events

    def refusal(self):
        """The refusal with which it ends, whatever comes before."""
        try:
            while True:
                self.next()
        except grpc.RpcError as error:
            return Refusal(error)

    def cancel(self):
        self.stream.cancel()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cancel()


def watched(fields):
    """The fields of a request that follows several users, who are given as a list."""
    users = fields.get("user_ids")
    return fields if users is None else {**fields, "user_ids": {"values": users}}


def live(relation, **fields):
    """A stream that has read the present state."""
    stream = Watching(relation, **fields)
    stream.state()
    return stream


class Printed:
    """The output of `relationctl watch` for a whole app while tests go on: the events of each
    log."""

    def __init__(self, server, stubs):
        self.message = stubs.message("ChangeEvent")
        self.logs = {}
        self.changed = threading.Condition()
        command = ["watch", "--all", "--json", "--server", server.address]
        self.process = subprocess.Popen(
            [executable("relationctl"), *command], stdout=subprocess.PIPE, text=True)
        # No other check ends the wait for a stream that never begins.
        timer = threading.Timer(60, self.process.kill)
        timer.start()
        while self.event(self.process.stdout.readline()).kind != SYNC_COMPLETED:
            pass
        timer.cancel()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def event(self, line):
        assert line, "relationctl has ended"
        return json_format.ParseDict(json.loads(line)["event"], self.message())

    def read(self):
        for line in self.process.stdout:
            event = self.event(line)
            with self.changed:
                self.logs.setdefault(event.user_id, []).append(event)
                self.changed.notify_all()

    def events(self, user, since, to):
        """The events of a user's log behind one sequence, once they have come up to another."""

        def told():
            return [event for event in self.logs.get(user, []) if event.sequence > since]

        with self.changed:
            assert self.changed.wait_for(lambda: len(told()) >= to - since, 60)
            return told()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()


class Copy:
    """The knowledge of one user's own rows from events alone."""

    def __init__(self):
        self.sequence = 0
        self.friends = {}
        self.groups = {}
        self.pendencies = {}
        self.blacklist = {}
        self.profile = None
        self.visibility = 0
        self.consents = {}
        self.read = 0

    def told(self):
        """Everything that is known, in a form that can be compared with a copy made in another
        way."""
        rows = {}
        for friend, row in self.friends.items():
            rows[friend] = row.SerializeToString(deterministic=True)
        members = {name: 0 for name in self.groups}
        for row in self.friends.values():
            for name in row.groups:
                members[name] = members.get(name, 0) + 1
        return {
            "sequence": self.sequence,
            "friends": rows,
            "groups": dict(self.groups),
            "members": members,
            "pendencies": dict(self.pendencies),
            "blacklist": dict(self.blacklist),
            "profile": self.profile.SerializeToString(deterministic=True) if self.profile else b"",
            "visibility": self.visibility,
            "consents": dict(self.consents),
            "read": self.read,
        }

    # From events

    def state(self, event):
        self.sequence = event.sequence
        for item in event.items:
            self.put(item)

    def put(self, item):
        if item.HasField("friend_entry"):
            self.friends[item.user_id] = copied(item.friend_entry)
        elif item.HasField("group"):
            self.groups[item.group.name] = item.group.create_time_ms
        elif item.HasField("application"):
            self.apply(item.application)
        elif item.HasField("blacklist_entry"):
            self.blacklist[item.user_id] = item.blacklist_entry.add_time_ms
        elif item.HasField("profile"):
            self.profile, self.visibility = copied(item.profile), item.visibility
        elif item.HasField("permission"):
            self.consent(item)
        elif item.read_time_ms:
            self.read = item.read_time_ms

    def apply(self, application):
        self.pendencies[(application.pendency_type, application.user_id)] = facts(application)

    def consent(self, item):
        said = item.permission
        self.consents[(item.client_app_id, said.name)] = (
            said.status, said.grant_time_ms, said.expire_time_ms, said.change_time_ms)

    def event(self, event, kinds):
        """Takes an event of the user's log, which must be the next one."""
        assert event.sequence == self.sequence + 1, (event, self.sequence)
        self.sequence = event.sequence
        kind = kinds.Name(event.kind).removeprefix("CHANGE_KIND_")
        for item in event.items:
            self.change(kind, item, event.sequence)

    def change(self, kind, item, sequence):
        if kind in ("ADD_FRIEND", "SNS_PROFILE_CHANGE", "ADD_BLACKLIST", "ADD_FRIEND_REQ",
                    "PENDENCY_REPORT", "CONSENT_CHANGED", "VISIBILITY_CHANGED"):
            self.put(item)
        elif kind == "DEL_FRIEND":
            del self.friends[item.user_id]
        elif kind == "DEL_BLACKLIST":
            del self.blacklist[item.user_id]
        elif kind == "DEL_FRIEND_REQ":
            # One call may end an application and make the next one, which stays.
            place = (item.application.pendency_type, item.application.user_id)
            if self.pendencies.get(place, ("",))[0] == item.application.application_id:
                del self.pendencies[place]
        elif kind in ("GROUP_CREATED", "GROUP_MEMBERS_CHANGED"):
            self.put(item)
            name = item.group.name
            for member in item.added_user_ids:
                self.regroup(member, sequence, lambda groups: groups + [name])
            for member in item.removed_user_ids:
                self.regroup(member, sequence, lambda groups: [g for g in groups if g != name])
        elif kind == "GROUP_DELETED":
            name = item.group.name
            del self.groups[name]
            for member in self.members(name):
                self.regroup(member, sequence, lambda groups: [g for g in groups if g != name])
        elif kind == "GROUP_RENAMED":
            new, old = item.group.name, item.old_group_name
            del self.groups[old]
            self.put(item)
            for member in self.members(old):
                self.regroup(
                    member, sequence, lambda groups: [new if g == old else g for g in groups])
        elif kind == "PROFILE_CHANGE":
            self.profile = self.profile or type(item.profile)(user_id=item.profile.user_id)
            for path in item.fields:
                merge(self.profile, item.profile, path)
            self.profile.version = item.profile.version
        else:
            raise AssertionError(f"{kind} is not known to a copy")

    def members(self, name):
        return [friend for friend, row in self.friends.items() if name in row.groups]

    def regroup(self, member, sequence, change):
        row = self.friends[member]
        groups = change(list(row.groups))
        del row.groups[:]
        row.groups.extend(groups)
        row.sequence = sequence


def copied(message):
    copy = type(message)()
    copy.CopyFrom(message)
    return copy


def facts(application):
    """The facts of one side of an application, from any source."""
    return (application.application_id, application.add_time_ms, application.source,
            application.wording)


def merge(profile, told, path):
    """Takes one field of a profile, which may have been cleared."""
    if path.startswith("custom."):
        key = path.removeprefix("custom.")
        kept = {row.key: row for row in map(copied, profile.custom) if row.key != key}
        kept.update({row.key: copied(row) for row in told.custom if row.key == key})
        del profile.custom[:]
        profile.custom.extend(row for _, row in sorted(kept.items()))
        return
    profile.ClearField(path)
    field = told.DESCRIPTOR.fields_by_name[path]
    if field.has_presence:
        if told.HasField(path):
            setattr(profile, path, getattr(told, path))
    else:
        setattr(profile, path, getattr(told, path))


def exported(relation):
    """The same copies of all users, made from an export."""
    copies = {}
    request = relation.stubs.request("ExportApp", {})
    answers = relation.start("ExportApp")(request, timeout=60, metadata=relation.metadata)
    for answer in answers:
        row = answer.WhichOneof("row")
        if row == "account":
            copy = copies[answer.account.user_id] = Copy()
            copy.sequence = answer.account.sequence
            copy.read = answer.account.read_time_ms
        elif row == "profile":
            copy.profile, copy.visibility = copied(answer.profile.profile), answer.profile.visibility
        elif row == "friend_entry":
            copy.friends[answer.friend_entry.entry.user_id] = copied(answer.friend_entry.entry)
        elif row == "group":
            copy.groups[answer.group.group.name] = answer.group.group.create_time_ms
        elif row == "application":
            if answer.application.application.status == 0:
                copy.apply(answer.application.application)
        elif row == "blacklist_entry":
            entry = answer.blacklist_entry.entry
            copy.blacklist[entry.user_id] = entry.add_time_ms
        elif row == "consent":
            said = answer.consent.permission
            copy.consents[(answer.consent.client_app_id, said.name)] = (
                said.status, said.grant_time_ms, said.expire_time_ms, said.change_time_ms)
    return copies
