import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import Storage

/// The changes that a stream missed since the position of its token.
///
/// Changes of other users' profiles come first. Then come the events of the logs in the order of
/// the feed, each with the token of its own position. So a stream that breaks here continues after
/// the last event that it got, and only profiles may come again. If the logs do not reach back to
/// the position, the source sends the present state instead.
///
/// `@unchecked Sendable`: batches are read one after another, in an order that the queues keep.
/// Only ``close()`` may come at the same time, and it touches only state that is safe to share.
final class MissedSource: WatchSource, @unchecked Sendable {
    private enum Stage {
        case first
        case profiles(FollowedUsers.Cursor)
        case events
        case presence(FollowedUsers.Cursor)
        case last
        /// The logs do not reach back to the position.
        case state(StateSource)
    }

    /// A profile that changed.
    private struct Changed {
        let seen: Profiles.Seen
        let kind: ChangeKind
        /// The users that get it, if the stream follows several users.
        let receivers: [UserID]
    }

    private let reading: WatchReading
    private let least: LeastSequence
    /// The position that the client has reached.
    private var position: Int64
    /// The position of the latest event at the read version of the source.
    private var goal: Int64 = 0
    private var missed = MissedEvents()
    private var stage = Stage.first
    /// The users of a stream of several users; empty for other streams.
    private let followed: Set<UserID>

    private var plan: WatchPlan { reading.plan }
    private var snapshot: KeptSnapshot { reading.snapshot }
    private var now: Timestamp { reading.now }

    init(_ reading: WatchReading, since position: Int64, _ least: LeastSequence) {
        self.reading = reading
        self.position = position
        self.least = least
        followed = reading.plan.namesReceivers ? Set(reading.plan.users) : []
    }

    func close() {
        snapshot.close()
    }

    func add(to batch: inout WatchBatch, _ arena: Arena) throws(RPCError) {
        switch stage {
        case .first: try begin(&batch, arena)
        case .profiles(let cursor): try addProfiles(at: cursor, to: &batch, arena)
        case .events: try addEvents(to: &batch, arena)
        case .presence(let cursor): try addPresence(at: cursor, to: &batch, arena)
        case .last:
            // The client passes all events without a message too, so the next stream does not read
            // them again.
            let token = ResumeToken.text(of: goal, sign: reading.app.tokenSign)
            try encoding { () throws(CodecError) in try batch.add([], token: token, arena) }
            batch.position = goal
            batch.end = goal
        case .state(let source): try source.add(to: &batch, arena)
        }
    }

    private func begin(_ batch: inout WatchBatch, _ arena: Arena) throws(RPCError) {
        let missing = try plan.check(least, snapshot)
        let (app, plan, position) = (reading.app, plan, position)
        var goal: Int64 = 0
        let gone = Set(missing)
        let missed = try snapshot.read { (transaction) throws(StorageError) -> MissedEvents? in
            let feed = try Feed.state(of: app, in: transaction)
            goal = feed.position
            // A position that this store has not reached belongs to another store, or to a copy
            // that was lost.
            guard position <= goal else { return nil }
            return switch plan.scope {
            case .app: MissedEvents(of: feed, since: position)
            case .user, .users:
                // A missing user has no log, and the logs of the others are still read.
                try MissedEvents(
                    of: plan.users.filter { !gone.contains($0) }, since: position, app: app,
                    in: transaction)
            }
        }
        self.goal = goal
        guard let missed else {
            stage = .state(StateSource(reading, .any, isResync: true))
            return
        }
        self.missed = missed
        let token = ResumeToken.text(of: position, sign: app.tokenSign)
        try batch.add(missing: missing, token: token, arena)
        stage = plan.wants(.profiles) ? .profiles(FollowedUsers.Cursor()) : .events
    }

    // MARK: Others' profiles

    private func addProfiles(
        at cursor: FollowedUsers.Cursor, to batch: inout WatchBatch, _ arena: Arena
    ) throws(RPCError) {
        let (app, users, position, now) = (reading.app, plan.users, position, now)
        var changed: [Changed] = []
        var asked = 0
        let limit = FollowedUsers.subjects(app, withProfiles: true)
        let page = try snapshot.read { (transaction) throws(StorageError) -> FollowedUsers.Page? in
            let page = try FollowedUsers.page(
                of: users, at: cursor, limit, app: app, at: now, in: transaction)
            for seen in try page?.profiles(asChanges: true, app, in: transaction) ?? []
            where seen.record.position > position {
                asked += followed.count
                for view in try views(of: seen, on: page, app, transaction) {
                    let viewers =
                        view.receivers.isEmpty ? page.map { [$0.user] } ?? [] : view.receivers
                    if let kind = try kind(of: view.seen, viewers, app, transaction) {
                        changed.append(
                            Changed(seen: view.seen, kind: kind, receivers: view.receivers))
                    }
                }
            }
            return page
        }
        batch.rows += (page?.subjects.count ?? 0) + asked
        stage = page?.next.map { .profiles($0) } ?? .events
        let token = ResumeToken.text(of: position, sign: app.tokenSign)
        try encoding { () throws(CodecError) in
            for change in changed {
                var event = ChangeRecord()
                event.kind = change.kind
                event.timeMs = now.milliseconds
                event.feedPosition = change.seen.record.position
                event.items = [change.seen.changeItem(app.settings)]
                try batch.add(
                    EventSuffix(change.seen.user).bytes(ending: event, arena), token: token,
                    for: change.receivers, arena)
            }
        }
    }

    /// The views of a profile on a page of one of the stream's users, each with its viewers.
    ///
    /// The result is empty if the page of another user has reported the profile. If several users
    /// of the stream see a profile alike, the stream gets it once. A live stream does the same.
    private func views(
        of seen: Profiles.Seen, on page: FollowedUsers.Page?, _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [(seen: Profiles.Seen, receivers: [UserID])] {
        guard !followed.isEmpty else { return [(seen, [])] }
        let (followed, users) = (followed, plan.users)
        let watched = ProfileSubscribers.Watched(
            count: users.count, contains: { followed.contains($0) }, all: { users })
        let receivers = try ProfileSubscribers.ofProfile(
            of: seen.user, among: watched, at: now, app: app, in: transaction)
        guard receivers.min() == page?.user else { return [] }
        let groups = try ProfileSubscribers.views(
            of: seen.user, seen.record, by: receivers, app: app, in: transaction)
        return groups.map { group in
            var seen = seen
            seen.view = group.view
            return (seen, group.viewers.sorted())
        }
    }

    /// The kind of event that reports the missed changes of a profile.
    ///
    /// It is nil if the viewer could see none of the changes, or if the stream wants none of their
    /// kinds.
    private func kind(
        of seen: Profiles.Seen, _ viewers: [UserID], _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> ChangeKind? {
        let wanted = [ChangeKind.profileChange, .visibilityChanged].filter { plan.wants($0) }
        let missed = try MissedEvents(of: [seen.user], since: position, app: app, in: transaction)
        // If the log does not reach back, the viewer may have been able to see a change.
        guard var missed else { return wanted.first }
        let events = try missed.next(WatchLimits.rowsPerBatch, app: app, in: transaction)
        let changes = events.filter { $0.kind == .profileChange || $0.kind == .visibilityChanged }
        guard missed.isDone, !changes.isEmpty else { return wanted.first }
        var kinds: Set<ChangeKind> = []
        for change in changes {
            let item: ChangeItemRecord?
            do throws(CodecError) {
                item = try change.record(transaction.arena).items.first
            } catch {
                throw StorageError(
                    .corrupted, "an event of \(seen.user) does not decode: \(error)")
            }
            if let item, try isShown(item, change.kind, of: seen, viewers, app, transaction) {
                kinds.insert(change.kind)
            }
        }
        return wanted.first { kinds.contains($0) }
    }

    /// Whether one of the viewers, who see the profile alike now, sees the change.
    private func isShown(
        _ item: ChangeItemRecord, _ kind: ChangeKind, of seen: Profiles.Seen, _ viewers: [UserID],
        _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        func isShown(before: ProfileView?) -> Bool {
            item.visiblePart(
                of: kind, seen: seen.view, before: before, now: seen.record, app.settings) != nil
        }
        guard !item.formerFieldVisibilities.isEmpty, !isShown(before: nil) else {
            return isShown(before: nil)
        }
        // They may have seen a field before that they do not see now.
        return try ProfileSubscribers.views(
            of: seen.user, seen.record, changing: item, by: viewers, app: app, in: transaction
        ).contains { isShown(before: $0.before) }
    }

    // MARK: Events

    private func addEvents(to batch: inout WatchBatch, _ arena: Arena) throws(RPCError) {
        let app = reading.app
        let events = try snapshot.read { (transaction) throws(StorageError) in
            try missed.next(WatchLimits.rowsPerBatch, app: app, in: transaction)
        }
        batch.rows += events.count
        // An older version wrote an event that no message has room for. Its change is in the lists.
        if events.contains(where: { $0.byteCount > Limits.messageBytes }) {
            stage = .state(StateSource(reading, .any, isResync: true))
            return
        }
        try encoding { () throws(CodecError) in
            for event in events {
                position = event.position
                guard try plan.wants(event, arena) else { continue }
                try batch.add(
                    event.bytes(reading.view, arena),
                    token: ResumeToken.text(of: position, sign: app.tokenSign), arena)
            }
        }
        batch.position = position
        guard missed.isDone else { return }
        stage = plan.wants(SyncType.presence) ? .presence(FollowedUsers.Cursor()) : .last
    }

    // MARK: Presence

    /// Adds the present presence of the users on a page: presence has no past.
    private func addPresence(
        at cursor: FollowedUsers.Cursor, to batch: inout WatchBatch, _ arena: Arena
    ) throws(RPCError) {
        let (app, users, board, now) = (reading.app, plan.users, reading.board, now)
        var present: [Presence] = []
        let limit = FollowedUsers.subjects(app, withProfiles: false)
        let page = try snapshot.read { (transaction) throws(StorageError) -> FollowedUsers.Page? in
            let page = try FollowedUsers.page(
                of: users, at: cursor, limit, app: app, at: now, in: transaction)
            present = try page?.presence(app, board, at: now, in: transaction) ?? []
            return page
        }
        batch.rows += page?.subjects.count ?? 0
        let next = page?.next
        stage = next.map { .presence($0) } ?? .last
        let token = ResumeToken.text(of: position, sign: app.tokenSign)
        try encoding { () throws(CodecError) in
            if let page {
                let receivers = plan.namesReceivers ? [page.user] : []
                try batch.add(present, for: receivers, at: now, token: token, arena)
            }
            guard next == nil else { return }
            var end = ChangeEvent(.syncCompleted, at: now, [])
            end.syncType = .presence
            try batch.add(end.bytes(arena), token: token, arena)
        }
    }
}
