import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import Storage

/// The present state of everything that a stream follows, at one read version, in events of many
/// rows.
///
/// The rows of each user come first, and then the profiles and presence that the users see. At the
/// end one message for each type says that all of it was sent. Only the last message has a token. A
/// client that loses the stream earlier must begin again. The token of ``ResumeToken/nowhere``
/// informs the client of it.
///
/// `@unchecked Sendable`: batches are read one after another, in an order that the queues keep.
/// Only ``close()`` may come at the same time, and it touches only state that is safe to share.
final class StateSource: WatchSource, @unchecked Sendable {
    private enum Stage {
        case first
        case own(after: AppExport.Position?)
        case followed(FollowedUsers.Cursor)
        case last
    }

    private let reading: WatchReading
    private let least: LeastSequence
    /// Whether the client has to drop the state that it has.
    private let isResync: Bool
    /// Whether it has to drop it because its token is too old.
    private let isTooLate: Bool
    private var stage = Stage.first
    private var position: Int64 = 0
    /// The user record of the user whose rows are being sent.
    private var userRecord = UserRecord()

    private var plan: WatchPlan { reading.plan }
    private var snapshot: KeptSnapshot { reading.snapshot }
    private var now: Timestamp { reading.now }

    init(
        _ reading: WatchReading, _ least: LeastSequence, isResync: Bool = false,
        isTooLate: Bool = true
    ) {
        self.reading = reading
        self.least = least
        self.isResync = isResync
        self.isTooLate = isTooLate
    }

    func close() {
        snapshot.close()
    }

    func add(to batch: inout WatchBatch, _ arena: Arena) throws(RPCError) {
        switch stage {
        case .first:
            let missing = try plan.check(least, snapshot)
            let app = reading.app
            position = try snapshot.read { (transaction) throws(StorageError) in
                try Feed.state(of: app, in: transaction).position
            }
            if isResync {
                if isTooLate { reading.resynced() }
                try encoding { () throws(CodecError) in
                    try batch.add(EventSuffix().bytes(ending: event(.resync), arena), arena)
                }
                // The position of the client's token no longer holds, even if the store reaches it
                // later.
                batch.position = ResumeToken.nowhere
            }
            try batch.add(missing: missing, arena)
            stage = .own(after: nil)
        case .own(let position): try addOwn(after: position, to: &batch, arena)
        case .followed(let cursor): try addFollowed(at: cursor, to: &batch, arena)
        case .last:
            try addEnd(to: &batch, arena)
        }
    }

    private func event(_ kind: ChangeKind, _ items: [ChangeItemRecord] = []) -> ChangeRecord {
        var event = ChangeRecord()
        event.kind = kind
        event.timeMs = now.milliseconds
        event.items = items
        return event
    }

    // MARK: The users' own rows

    private func addOwn(
        after position: AppExport.Position?, to batch: inout WatchBatch, _ arena: Arena
    ) throws(RPCError) {
        let (app, users, sections) = (reading.app, ownUsers, sections)
        var returned: [Bool] = []
        let read = try snapshot.read { (transaction) throws(StorageError) in
            let read = try AppExport.next(
                of: app, users: users, sections: sections, after: position,
                limit: WatchLimits.rowsPerBatch, in: transaction)
            returned = try Follows.returned(read.rows, app: app, in: transaction)
            return read
        }
        var nextReturned = returned.makeIterator()
        batch.rows += read.rows.count
        var run: (user: UserID, type: SyncType, items: [ChangeItemRecord])?
        try encoding { () throws(CodecError) in
            for row in read.rows {
                if case .account(let userRecord) = row.content {
                    if let ready = run { try add(ready, to: &batch, arena) }
                    run = nil
                    self.userRecord = userRecord
                }
                for (type, var item) in changeItems(row) where plan.wants(type) {
                    if item.follow != nil {
                        item.followRelation = FollowRelation(
                            mine: true, theirs: nextReturned.next() ?? false)
                    }
                    if let ready = run,
                        ready.user != row.user || ready.type != type
                            || ready.items.count >= WatchLimits.stateItems
                    {
                        try add(ready, to: &batch, arena)
                        run = nil
                    }
                    run = run ?? (row.user, type, [])
                    run?.items.append(item)
                }
            }
            if let run { try add(run, to: &batch, arena) }
        }
        stage = read.isLast ? .followed(FollowedUsers.Cursor()) : .own(after: read.position)
    }

    private var ownUsers: [UserID]? {
        if case .app = plan.scope { nil } else { plan.users }
    }

    private var sections: [AppExport.Section] {
        AppExport.Section.allCases.filter { section in
            section.syncType.map { plan.wants($0) } ?? false
        }
    }

    private func add(
        _ run: (user: UserID, type: SyncType, items: [ChangeItemRecord]),
        to batch: inout WatchBatch,
        _ arena: Arena
    ) throws(CodecError) {
        let record = reading.view.masked(event(.state, run.items), as: run.type)
        let suffix = EventSuffix(run.user, sequence: userRecord.sequence, run.type)
        try batch.add(suffix.bytes(ending: record, arena), arena)
    }

    /// Returns a row as events report it.
    private func changeItems(_ row: AppExport.Row) -> [(SyncType, ChangeItemRecord)] {
        var item = ChangeItemRecord()
        switch row.content {
        case .account(let userRecord):
            item.userID = row.user.text
            var mark = ChangeItemRecord()
            mark.readTimeMs = userRecord.readMarkMs
            return userRecord.readMarkMs == 0
                ? [(.accounts, item)] : [(.accounts, item), (.pendencies, mark)]
        case .profile(let record):
            item.userID = row.user.text
            item.profile = record.forEvent(of: row.user)
            item.visibility = record.visibility
            item.fieldVisibilities = record.fieldChoices.chosen.map { ChangedFieldVisibility($0) }
            return [(.profiles, item)]
        case .friend(let record, _):
            item.userID = record.userID
            item.friendEntry = record
            return [(.friends, item)]
        case .group(let name, let record):
            item.group = ChangedGroup(name, record)
            return [(.groups, item)]
        case .pendency(let type, let record, _):
            item.userID = record.userID
            item.application = ChangedApplication(record, type)
            return [(.pendencies, item)]
        case .blacklisted(let record):
            item.userID = record.userID
            item.blacklistEntry = record
            return [(.blacklist, item)]
        case .consent(let record):
            if case .app(let clientApp?) = plan.scope,
                !record.clientAppID.isExactly(clientApp.text)
            {
                return []
            }
            item.clientAppID = record.clientAppID
            item.permission = ChangedPermission(record, reading.app.settings)
            return [(.consents, item)]
        case .subscription(let record):
            // A subscription that has expired is left out, even if no step has ended it yet.
            guard record.expireTimeMs > now.milliseconds else { return [] }
            item.userID = record.userID
            item.subscription = record
            return [(.subscriptions, item)]
        case .follow(let record):
            item.userID = record.userID
            item.follow = record
            return [(.following, item)]
        case .invitation(let record):
            // One that ended long ago is left out, even if no step has removed it yet.
            guard !record.isGone(at: now) else { return [] }
            item.invitation = record.current(at: now)
            return [(.invitations, item)]
        case .dismissal(let record):
            item.userID = record.userID
            item.dismissedSuggestion = record
            return [(.dismissals, item)]
        case .handled, .invitationUse, .status, .suspension, .report, .contactDigests,
            .seenDevices:
            return []
        }
    }

    // MARK: The profiles and presence of others

    private func addFollowed(
        at cursor: FollowedUsers.Cursor, to batch: inout WatchBatch, _ arena: Arena
    ) throws(RPCError) {
        guard plan.wants(.profiles) || plan.wants(SyncType.presence), !plan.users.isEmpty else {
            stage = .last
            return
        }
        let (app, users, board, now) = (reading.app, plan.users, reading.board, now)
        var seen: [Profiles.Seen] = []
        var present: [Presence] = []
        let (wantsProfiles, wantsPresence) = (plan.wants(.profiles), plan.wants(SyncType.presence))
        let limit = FollowedUsers.subjects(app, withProfiles: wantsProfiles)
        let page = try snapshot.read { (transaction) throws(StorageError) -> FollowedUsers.Page? in
            let page = try FollowedUsers.page(
                of: users, at: cursor, limit, app: app, at: now, in: transaction)
            if wantsProfiles {
                seen = try page?.profiles(asChanges: false, app, in: transaction) ?? []
            }
            if wantsPresence {
                present = try page?.presence(app, board, at: now, in: transaction) ?? []
            }
            return page
        }
        batch.rows += page?.subjects.count ?? 0
        stage = page?.next.map { .followed($0) } ?? .last
        guard let page else { return }
        let receivers = plan.namesReceivers ? [page.user] : []
        try encoding { () throws(CodecError) in
            if !seen.isEmpty {
                let items = seen.map { $0.changeItem(app.settings) }
                try batch.add(
                    EventSuffix(nil, .profiles).bytes(ending: event(.state, items), arena),
                    for: receivers, arena)
            }
            try batch.add(present, for: receivers, at: now, arena)
        }
    }

    // MARK: The end

    private func addEnd(to batch: inout WatchBatch, _ arena: Arena) throws(RPCError) {
        let types = SyncType.all.filter { plan.wants($0) }
        let token = ResumeToken.text(of: position, sign: reading.app.tokenSign)
        try encoding { () throws(CodecError) in
            // If the wanted kinds have no part of the state, the client still gets a token.
            if types.isEmpty { try batch.add([], token: token, arena) }
            for type in types {
                let suffix = EventSuffix(nil, type)
                try batch.add(
                    suffix.bytes(ending: event(.syncCompleted), arena),
                    token: type == types.last ? token : "", arena)
            }
        }
        batch.position = position
        batch.end = position
    }
}

extension AppExport.Section {
    /// The part of the present state that the list holds; nil for a list that is not reported.
    fileprivate var syncType: SyncType? {
        switch self {
        case .account: .accounts
        case .friends: .friends
        case .groups: .groups
        case .pendencies: .pendencies
        case .handled: nil
        case .blacklist: .blacklist
        case .consent: .consents
        case .subscriptions: .subscriptions
        case .follows: .following
        case .invitations: .invitations
        case .dismissals: .dismissals
        case .invitationUses, .statuses, .suspensions, .reports, .contactDigests, .seenDevices:
            nil
        }
    }
}

extension ChangeView {
    /// The visible part of an event that reports rows of that type.
    fileprivate func masked(_ record: ChangeRecord, as type: SyncType) -> ChangeRecord {
        var record = record
        let kind: ChangeKind
        switch type {
        case .friends: kind = .friendChange
        case .profiles: kind = .visibilityChanged
        default: return record
        }
        let own = record.kind
        record.kind = kind
        record = masked(record)
        record.kind = own
        return record
    }
}
