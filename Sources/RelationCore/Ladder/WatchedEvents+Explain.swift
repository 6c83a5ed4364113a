import Protobuf
package import RelationModel
import Storage

extension WatchedEvents {
    /// The event that is asked about.
    package enum Asked: Sendable {
        /// The one with that sequence in the user's log.
        case sequence(Int64)
        /// Any of that kind, without a look at its fields.
        case kind(ChangeKind)
    }

    /// How an event fares on the way to a stream of one user.
    package struct Explained: Sendable {
        package var outcome = FriendOutcome.unchanged
        package var kind = ChangeKind.unspecified
        /// Whether the event comes to the stream.
        package var comes = false
        package var rungs: [ExplainedRung] = []
        /// The fields that the event reports, with a ladder each, in the order of the profile's
        /// fields and then of the bytes of the keys of custom ones.
        package var fields: [FieldExplanation] = []
        package var appVersion: Int64 = 0
    }

    /// Says what becomes of an event of `user` on the way to a stream that follows `viewer`, and
    /// has no scope `admin`.
    ///
    /// The rules run with a recorder, and the rows at which they looked are read for their
    /// versions. As for a stream, the rows of the moment count, and not those of the event.
    ///
    /// - Parameter user: Nil for a malformed id.
    /// - Throws: ``StorageError`` if the store failed, or if the event does not decode.
    package static func explain(
        _ asked: Asked, of user: UserID?, to viewer: UserID, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Explained {
        var rows = try RungRows(of: viewer, and: user, at: now, app: app, in: transaction)
        var ladder = NotedRungs()
        var explained = Explained()
        explained.appVersion = rows.appVersion
        if case .sequence(let sequence) = asked { rows.sequence = sequence }
        explained.outcome = try carryOut(asked, of: user, &rows, &ladder, &explained)
        explained.rungs = try rows.explanation(of: explained.outcome, by: ladder).rungs
        return explained
    }

    private static func carryOut(
        _ asked: Asked, of user: UserID?, _ rows: inout RungRows, _ ladder: inout NotedRungs,
        _ explained: inout Explained
    ) throws(StorageError) -> FriendOutcome {
        let (app, viewer, transaction) = (rows.app, rows.caller, rows.transaction)
        let isKnown = try Accounts.record(of: viewer, app: app, in: transaction) != nil
        guard ladder.passes(.ownAccount, isKnown) else {
            return Outcome(.accountNotFound, Reason.EventExplain.accountNotExist)
        }
        guard ladder.passes(.peerID, user != nil), let user else {
            return Outcome(.invalidParameter, Reason.EventExplain.userIDIllegal)
        }
        let isThere = try Accounts.record(of: user, app: app, in: transaction) != nil
        guard ladder.passes(.peerAccount, isThere) else {
            return Outcome(.accountNotFound, Reason.EventExplain.accountNotExist)
        }
        var event: ChangeRecord?
        switch asked {
        case .kind(let kind): explained.kind = kind
        case .sequence(let sequence):
            event = try Tables.changes.record(
                app.partition(of: user), UInt64(max(0, sequence)), in: transaction)
            guard ladder.passes(.loggedEvent, event != nil) else {
                return Outcome(.invalidParameter, Reason.EventExplain.notExist)
            }
            explained.kind = event?.kind ?? .unspecified
        }
        rows.eventKind = explained.kind
        let isOwn = viewer == user
        let isSent =
            isOwn
            ? reachOwner(explained.kind, followedWithOthers: false, noting: &ladder)
            : reachOthers(explained.kind, noting: &ladder)
        guard isSent else { return .unchanged }
        guard ladder.passes(.otherUser, !isOwn) else {
            explained.comes = true
            try explained.addOwnFields(of: event, rows)
            return .unchanged
        }
        let receivers = try ProfileSubscribers.ofProfile(
            of: user, among: .only(viewer), at: rows.now, app: app, noting: &ladder,
            in: transaction)
        guard !receivers.isEmpty else { return .unchanged }
        guard let item = event?.items.first else {
            ladder.ends(.eventField)
            explained.comes = true
            return .unchanged
        }
        let profile = try Profiles.record(of: user, app: app, in: transaction)
        let views = try ProfileSubscribers.views(
            of: user, profile, changing: item, by: receivers, app: app, in: transaction)
        guard let shared = views.first else { return .unchanged }
        let seen = item.visiblePart(
            of: explained.kind, seen: shared.view, before: shared.before, now: profile,
            app.settings)
        explained.comes = seen != nil
        // The fields decide, whether the event comes or not.
        ladder.ends(.eventField)
        rows.profile = profile
        for path in item.fieldPaths {
            explained.fields.append(
                try rows.explained(path, seenBy: shared.view, hasValue: item.hasValue(of: path)))
        }
        return .unchanged
    }
}

extension WatchedEvents.Explained {
    /// Adds the fields of an event of the stream's own user.
    fileprivate mutating func addOwnFields(
        of event: ChangeRecord?, _ rows: RungRows
    ) throws(StorageError) {
        guard let event else { return }
        let view = ChangeView(isAdmin: false, rows.app.settings)
        var known: Set<ExactText> = []
        for item in event.items {
            var paths: [(path: String, owner: CustomFieldOwner, hasValue: Bool)] = []
            for path in item.fieldPaths {
                paths.append((path, .profile, item.hasValue(of: path)))
            }
            for value in item.friendEntry?.custom ?? [] {
                paths.append((CustomPath.prefix + value.key, .friend, true))
            }
            for (path, owner, hasValue) in paths where known.insert(ExactText(path)).inserted {
                var ladder = NotedRungs()
                var isShown = true
                if let key = CustomPath.key(in: path) {
                    isShown = view.shows(customKey: key, of: owner, noting: &ladder)
                }
                if isShown { ladder.ends(.otherUser) }
                fields.append(
                    try rows.explained(
                        path, state: isShown ? hasValue ? .unspecified : .notSet : .hidden,
                        hasValue: hasValue, by: ladder))
            }
        }
    }
}

extension ProfileSubscribers.Watched {
    /// One user, as if a stream followed it.
    fileprivate static func only(_ user: UserID) -> Self {
        Self(count: 1, contains: { $0 == user }, all: { [user] })
    }
}

extension ChangeItemRecord {
    /// The paths of the profile's fields that the item reports, in the order of an explained
    /// profile: a request may have named them in any order.
    fileprivate var fieldPaths: [String] {
        fields.filter(ProfilePath.isOfField).sorted { ProfilePath($0) < ProfilePath($1) }
    }

    /// Whether the item has a value of the profile's field of that path.
    fileprivate func hasValue(of path: String) -> Bool {
        guard let profile else { return false }
        if let key = CustomPath.key(in: path) { return profile.custom.value(of: key) != nil }
        let day = CalendarDay(of: Timestamp(milliseconds: 0))
        return ProfileField(named: path)?.isSet(in: profile, on: day) ?? false
    }
}
