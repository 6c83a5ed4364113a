import Protobuf
package import RelationModel
package import Storage

/// Everything that one write call changes.
///
/// Rows are changed through the transaction. The users' heads and the events are collected, and
/// ``close()`` writes each of them once at the end.
///
/// However many users it names, a call makes one event for each kind and receiver. It makes several
/// where one would be longer than ``Limits/eventBytes``: each has its own sequence, and whole items
/// in the order in which they were told. A sequence is taken when the call first tells that
/// receiver something, or tells more than fits. So rows can carry the sequence of the event that
/// tells of them.
package final class Ledger {
    package let app: App
    package let now: Timestamp
    package let origin: Origin
    package let transaction: any WriteTransaction

    /// The change of the app by this call, for the parts that keep apps in memory; nil if the call
    /// did not change it.
    package var appChange: AppChange?
    /// The change of a credential of the app by this call; nil if the call did not change one.
    package var credentialChange: CredentialChange?
    /// The earliest time at which something that the call made ends by itself, or a little earlier;
    /// nil if it made no such thing.
    package private(set) var soonestEndMs: Int64?

    /// Heads that were read; a head that was removed is in the dictionary as nil.
    private var heads: [UserID: HeadRecord?] = [:]
    /// The heads that were changed, as they were before.
    private var changedHeads: [UserID: HeadRecord?] = [:]
    private var events: [Event] = []
    /// The indices of the events that may still take items: the last event for each receiver and
    /// kind.
    private var indices: [EventKey: Int] = [:]
    /// The events that only the app's feed holds, in the order of their positions in each lane.
    private var feedOnly: [FeedRecord] = []
    /// Users whose logs have become too long.
    private var longLogs: [UserID] = []
    /// The lanes that were changed, as they now are.
    private var lanes: [UInt8: LaneRecord] = [:]

    package init(
        app: App, now: Timestamp, origin: Origin, transaction: any WriteTransaction
    ) {
        self.app = app
        self.now = now
        self.origin = origin
        self.transaction = transaction
    }

    package var settings: AppSettings { app.settings }
    package var limits: AppLimits { app.settings.limits }

    package func partition(of user: UserID) -> Partition { app.partition(of: user) }

    /// Fetches together the rows to which only the content of rows that were read leads.
    func fetch(_ keys: KeyList) throws(StorageError) {
        guard keys.count > 0 else { return }
        try transaction.prefetch(keys)
    }

    /// Notes that something that the call made ends by itself at `timeMs`.
    func noteEnd(at timeMs: Int64) {
        soonestEndMs = min(soonestEndMs ?? timeMs, timeMs)
    }

    // MARK: Heads

    /// The head of `user` as this call has left it, or nil if there is no such account.
    package func head(of user: UserID) throws(StorageError) -> HeadRecord? {
        if let known = heads[user] { return known }
        let head = try Tables.heads.record(partition(of: user), OnlyKey(), in: transaction)
        if let head { heads[user] = head }
        return head
    }

    /// Changes the head of an account that exists, or of one that this call makes.
    package func changeHead(
        of user: UserID, _ change: (inout HeadRecord) -> Void
    ) throws(StorageError) {
        let old = try head(of: user)
        var head = old ?? HeadRecord()
        change(&head)
        heads[user] = head
        if changedHeads[user] == nil { changedHeads[user] = .some(old) }
    }

    /// Removes the head of an account: from then on the user is not an account.
    package func removeHead(of user: UserID) throws(StorageError) {
        let old = try head(of: user)
        heads[user] = .some(nil)
        if changedHeads[user] == nil { changedHeads[user] = .some(old) }
    }

    /// Notes that the last change of `owner`'s groups is the event of that sequence.
    package func noteGroups(of owner: UserID, at sequence: Int64) throws(StorageError) {
        try changeHead(of: owner) { $0.groupsSequence = max($0.groupsSequence, sequence) }
    }

    // MARK: Events

    /// The sequence of this call's event of `kind` for `receiver`.
    ///
    /// It is taken now if the call has no such event yet, or if that event has no room for `bytes`
    /// more.
    ///
    /// - Parameter bytes: The length of the next addition, from ``bytes(of:)`` or
    ///   ``bytes(ofGroupMoving:)``.
    package func sequence(
        of kind: ChangeKind, for receiver: UserID, adding bytes: Int = 0
    ) throws(StorageError) -> Int64 {
        events[try index(of: kind, for: receiver, adding: bytes)].sequence
    }

    /// The position of this call's event of `kind` for `receiver` in the receiver's lane of the
    /// app's feed.
    ///
    /// It is taken now if the call has no such event yet.
    package func position(
        of kind: ChangeKind, for receiver: UserID
    ) throws(StorageError) -> Int64 {
        events[try index(of: kind, for: receiver)].record.feedPosition
    }

    /// Adds `item` to this call's event of `kind` for `receiver`.
    ///
    /// - Parameter bytes: The length of the item, if it was counted before.
    package func tell(
        _ receiver: UserID, _ kind: ChangeKind, _ item: ChangeItemRecord, taking bytes: Int? = nil
    ) throws(StorageError) {
        let bytes = bytes ?? Self.bytes(of: item)
        let index = try index(of: kind, for: receiver, adding: bytes)
        events[index].bytes += bytes
        events[index].record.items.append(item)
    }

    /// The bytes that an item takes in its event.
    package static func bytes(of item: ChangeItemRecord) -> Int { item.bytesAtMost + itemHeadBytes }

    /// The bytes that an event needs to tell of a group that `member` enters or leaves, whether or
    /// not the event names the group already.
    package static func bytes(ofGroupMoving member: UserID) -> Int {
        groupBytes + memberBytes(member)
    }

    private static func memberBytes(_ member: UserID) -> Int {
        member.text.utf8.count + itemHeadBytes
    }

    /// The tag and the length before an item, or a part of one.
    private static let itemHeadBytes = 6
    /// A group with its name, its earlier name, and two numbers.
    private static let groupBytes = 2 * (AppLimits.maxGroupName.count + itemHeadBytes) + 40

    /// Changes the item about the group `name` in this call's event of `kind` for `owner`.
    ///
    /// The group is one item of an event, however many members a call moves. Its row is added at
    /// the end of the call, so that it shows the state after the whole call.
    ///
    /// - Parameter member: The user that enters or leaves the group, if the change is about one.
    package func tell(
        _ owner: UserID, _ kind: ChangeKind, ofGroup name: String, moving member: UserID? = nil,
        _ change: (inout ChangeItemRecord) -> Void
    ) throws(StorageError) {
        let moved = member.map(Self.memberBytes) ?? 0
        let index = try index(of: kind, for: owner, adding: Self.groupBytes + moved)
        events[index].bytes += moved
        let known = events[index].record.items.lastIndex { item in
            item.group.map { $0.name.isExactly(name) } ?? false
        }
        if known == nil {
            var item = ChangeItemRecord()
            item.group = ChangedGroup()
            item.group?.name = name
            events[index].record.items.append(item)
            events[index].bytes += Self.groupBytes
        }
        let item = known ?? events[index].record.items.count - 1
        change(&events[index].record.items[item])
    }

    /// Tells the followers of the app that `user` became an account or stopped being one.
    ///
    /// The event is in the feed alone, so no user's sequence moves.
    ///
    /// - Returns: The event's position in the user's lane.
    package func tellApp(
        _ kind: ChangeKind, _ item: ChangeItemRecord, about user: UserID
    ) throws(StorageError) -> Int64 {
        var record = newRecord(kind)
        record.feedPosition = try nextPosition(in: Lane.of(user))
        record.items = [item]
        var entry = FeedRecord()
        entry.userID = user.text
        entry.timeMs = record.timeMs
        entry.event = record
        feedOnly.append(entry)
        return record.feedPosition
    }

    private func index(
        of kind: ChangeKind, for receiver: UserID, adding bytes: Int = 0
    ) throws(StorageError) -> Int {
        let key = EventKey(receiver: receiver, kind: kind)
        if let index = indices[key], events[index].hasRoom(for: bytes) { return index }
        var sequence: Int64 = 0
        var excess: Int64 = 0
        try changeHead(of: receiver) { head in
            head.sequence += 1
            sequence = head.sequence
            kind.stamp(&head)
            excess = head.sequence - head.logFloor - Int64(settings.logEvents)
        }
        if excess > 0, excess % Limits.logSlack == 0 { longLogs.append(receiver) }
        var record = newRecord(kind)
        record.feedPosition = try nextPosition(in: Lane.of(receiver))
        events.append(Event(receiver: receiver, sequence: sequence, record: record))
        indices[key] = events.count - 1
        return events.count - 1
    }

    private func newRecord(_ kind: ChangeKind) -> ChangeRecord {
        var record = ChangeRecord()
        record.kind = kind
        record.timeMs = now.milliseconds
        record.actorUserID = origin.user?.text ?? ""
        record.deviceID = origin.deviceID
        record.requestID = origin.requestID
        return record
    }

    // MARK: Lanes

    /// A lane of the app's feed as this call has left it.
    package func lane(_ number: UInt8) throws(StorageError) -> LaneRecord {
        if let known = lanes[number] { return known }
        let partition = app.partition(ofLane: number)
        return try Tables.lanes.record(partition, OnlyKey(), in: transaction) ?? LaneRecord()
    }

    /// Changes a lane of the app's feed.
    package func changeLane(
        _ number: UInt8, _ change: (inout LaneRecord) -> Void
    ) throws(StorageError) {
        var record = try lane(number)
        change(&record)
        lanes[number] = record
    }

    private func nextPosition(in lane: UInt8) throws(StorageError) -> Int64 {
        var position: Int64 = 0
        guard settings.recording == .all else { return position }
        try changeLane(lane) { record in
            record.position += 1
            position = record.position
        }
        return position
    }

    // MARK: The end of the call

    /// Writes the heads, the events, and their effects on the lanes.
    ///
    /// After it, nothing may be told or changed through this ledger.
    package func close() throws(StorageError) {
        for index in events.indices {
            try addGroups(to: &events[index])
            try write(events[index])
        }
        for entry in feedOnly {
            try feed(entry, Lane.of(UserID(stored: entry.userID.utf8)), entry.event)
        }
        for (user, old) in changedHeads {
            guard let head = heads[user] else { continue }
            if let head {
                try Tables.heads.set(head, at: partition(of: user), OnlyKey(), in: transaction)
            } else {
                Tables.heads.remove(partition(of: user), OnlyKey(), in: transaction)
            }
            guard user.isAccountID else { continue }
            var change = LaneRecord()
            change.count(old, -1)
            change.count(head, 1)
            if change != LaneRecord() { try changeLane(Lane.of(user)) { $0.add(change) } }
        }
        for user in longLogs {
            try Tables.longLogs.set(Nothing(), at: app.maintenance, user, in: transaction)
        }
        for (number, record) in lanes {
            try Tables.lanes.set(
                record, at: app.partition(ofLane: number), OnlyKey(), in: transaction)
        }
    }

    /// Adds the rows of the groups that the event names; an event about a deleted group has its
    /// last state already.
    private func addGroups(to event: inout Event) throws(StorageError) {
        switch event.record.kind {
        case .groupCreated, .groupRenamed, .groupMembersChanged: break
        default: return
        }
        for index in event.record.items.indices {
            guard let name = event.record.items[index].group?.name else { continue }
            let record = try Tables.groups.record(
                partition(of: event.receiver), GroupName(name), in: transaction)
            if let record { event.record.items[index].group = ChangedGroup(name, record) }
        }
    }

    /// Writes an event into its receiver's log and into the app's feed.
    private func write(_ event: Event) throws(StorageError) {
        guard settings.recording != .nothing else { return }
        try Tables.changes.set(
            event.record, at: partition(of: event.receiver), UInt64(event.sequence),
            in: transaction)
        guard settings.recording == .all else { return }
        let lane = Lane.of(event.receiver)
        try changeLane(lane) { $0.events += 1 }
        var entry = FeedRecord()
        entry.userID = event.receiver.text
        entry.sequence = event.sequence
        entry.timeMs = event.record.timeMs
        try feed(entry, lane, event.record)
    }

    private func feed(
        _ entry: FeedRecord, _ lane: UInt8, _ event: ChangeRecord?
    ) throws(StorageError) {
        guard let event, settings.recording == .all else { return }
        try Tables.feed.set(
            entry, at: app.partition(ofLane: lane), UInt64(event.feedPosition), in: transaction)
    }

    private struct Event {
        let receiver: UserID
        let sequence: Int64
        var record: ChangeRecord
        /// The bytes that its items take.
        var bytes = 0

        /// One item always fits, because no row is as long as an event may be.
        func hasRoom(for more: Int) -> Bool {
            record.items.isEmpty || bytes + more <= Limits.eventBytes
        }
    }

    private struct EventKey: Hashable {
        let receiver: UserID
        let kind: ChangeKind
    }
}

extension ChangeKind {
    /// Notes the user's new sequence as the sequence of the list that this kind changes.
    fileprivate func stamp(_ head: inout HeadRecord) {
        switch self {
        case .addFriend, .deleteFriend, .friendChange, .listChanged:
            head.friendsSequence = head.sequence
        case .addFriendRequest, .deleteFriendRequest, .pendencyReport:
            head.pendenciesSequence = head.sequence
        case .addBlacklist, .deleteBlacklist:
            head.blacklistSequence = head.sequence
        case .groupCreated, .groupDeleted, .groupRenamed, .groupMembersChanged:
            head.groupsSequence = head.sequence
        case .subscriptionChanged, .subscriptionExpired:
            head.subscriptionsSequence = head.sequence
        default:
            break
        }
    }
}
