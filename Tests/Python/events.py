"""Events in words, and the logs in which they are."""

PREFIX = "CHANGE_KIND_"


def events(people, user, since=0, page_size=500, **fields):
    """The events of a user's log after a sequence, oldest first."""
    found = []
    pages = people.pages(
        "ListChanges", page_size, user_id=user, since_sequence=since, **fields)
    for page in pages:
        assert not page.resync
        found += page.events
    return found


def sequence(people, user):
    return people.relation("GetSequence", user_id=user).sequence


def kind(people, event):
    return people.stubs.ChangeKind.Name(event.kind).removeprefix(PREFIX)


class Words:
    """Writes events in few words, with the names that a test gave to its users."""

    def __init__(self, people, names):
        self.stubs = people.stubs
        self.people = people
        self.names = names

    def __call__(self, event):
        return " ".join([kind(self.people, event), *map(self.item, event.items)])

    def item(self, item):
        """The fields of an item that are set, and nothing else."""
        words = [self.names[item.user_id]] if item.user_id else []
        for field, value in item.ListFields():
            if field.name != "user_id":
                words.append(getattr(self, field.name)(value))
        return ":".join(words)

    def friend_entry(self, friend):
        assert friend.user_id in self.names and not friend.HasField("profile")
        assert not friend.display_name and not friend.section
        return "friend" + (f"[{','.join(friend.groups)}]" if friend.groups else "")

    def application(self, application):
        kind = self.stubs.PendencyType.Name(application.pendency_type)
        status = self.stubs.ApplicationStatus.Name(application.status)
        assert application.application_id and not application.nick and not application.face_url
        assert application.user_id in self.names
        kind = kind.removeprefix("PENDENCY_TYPE_")
        return f"{kind} {status.removeprefix('APPLICATION_STATUS_')}"

    def blacklist_entry(self, entry):
        assert entry.user_id in self.names and entry.add_time_ms > 0
        return "blacklisted"

    def group(self, group):
        assert group.create_time_ms > 0
        return f"{group.name}({group.member_count})"

    def old_group_name(self, name):
        return f"was {name}"

    def added_user_ids(self, users):
        return "+" + ",".join(self.names[user] for user in users)

    def removed_user_ids(self, users):
        return "-" + ",".join(self.names[user] for user in users)

    def invitation(self, invitation):
        state = self.stubs.InvitationState.Name(invitation.state)
        assert invitation.invitation_id and invitation.create_time_ms > 0
        uses = f"{invitation.use_count}/{invitation.max_uses}"
        return f"{state.removeprefix('INVITATION_STATE_')} {uses}"

    def reverse_friend(self, is_one):
        assert is_one
        return "has"

    def dismissed_suggestion(self, dismissed):
        assert dismissed.user_id in self.names and dismissed.dismiss_time_ms > 0
        assert not dismissed.HasField("profile")
        return "dismissed"

    def suspension(self, suspension):
        assert not suspension.user_id and not suspension.reason_text
        level = self.stubs.SuspensionLevel.Name(suspension.level)
        return level.removeprefix("SUSPENSION_LEVEL_")

    def profile(self, profile):
        assert profile.user_id in self.names and profile.version > 0
        return f"v{profile.version}"

    def fields(self, paths):
        return ",".join(paths)

    def read_time_ms(self, time):
        return "read"

    def presence(self, presence):
        """The custom status: an event of a log has nothing else of a presence."""
        assert not presence.user_id and not presence.devices
        return f"'{presence.status_text}'" + (
            " for a time" if presence.status_expire_time_ms else "")

    def find_settings(self, settings):
        """The choices that differ from NOT_SET; all of them are told."""
        names = [(field.name, self.stubs.Findability.Name(value).removeprefix("FINDABILITY_"))
                 for field, value in settings.ListFields()]
        assert len(names) == len(settings.DESCRIPTOR.fields)
        return ",".join(f"{name}={value}" for name, value in names if value != "NOT_SET")

    def client_app_id(self, client):
        return client

    def permission(self, permission):
        status = self.stubs.PermissionStatus.Name(permission.status)
        assert permission.change_time_ms > 0 and permission.kind
        return f"{permission.name} {status.removeprefix('PERMISSION_STATUS_')}"

    def follow(self, entry):
        assert entry.user_id in self.names and entry.follow_time_ms > 0
        assert not entry.HasField("profile")
        return "follow"

    def follow_relation(self, relation):
        return self.stubs.FollowRelation.Name(relation).removeprefix("FOLLOW_RELATION_")

    def field_visibilities(self, choices):
        return ",".join(
            f"{choice.field} {self.visibility(choice.visibility)}" for choice in choices)

    def former_field_visibilities(self, choices):
        return "was " + self.field_visibilities(choices)

    def visibility(self, visibility):
        return self.stubs.Visibility.Name(visibility).removeprefix("VISIBILITY_")
