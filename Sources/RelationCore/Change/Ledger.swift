import Protobuf
package import RelationModel
package import Storage

/// Everything that one write call changes.
///
/// Rows are changed through the transaction. The user records and the events are collected,
/// and ``close()`` writes each of them once at the end.
///
/// However many users it names, a call makes one event for each kind and receiver. It makes several
/// where one would be longer than ``Limits/eventBytes``: each has its own sequence, and whole items
/// in the order in which they were noted. A sequence is taken when the call first notifies that
/// receiver of something, or reports more than fits. So rows can carry the sequence of the event
/// that reports them.
package final class Ledger {
    package let app: App
    package let now: Timestamp
    package let origin: Origin
    package let transaction: any WriteTransaction

    /// The change of the app by this call, for the parts that keep apps in memory; nil if the call
    /// did not change it.
    package var appChange: AppChange?
    /// The changes of the app's credentials by this call.
    package var credentialChanges: [CredentialChange] = []
    /// The additions of the call to the ends of users' sessions.
    package var sessionChanges: [SessionChange] = []
    /// How much the call may reveal of other users' blacklists.
    package var blocks = BlockDisclosure.first
    /// Whether a rule ignored a blacklist that forbids what the call has written.
    package var hasOverlookedBlock = false
    /// Whether the call adds friends by force: the app's feed tells it, and no user's log does.
    package var isForced = false
    /// Whether the call answers applications: the app's feed tells it, and no user's log does.
    package var isResponse = false
    /// The earliest time at which something that the call made ends by itself, or a little earlier;
    /// nil if it made no such thing.
    package private(set) var soonestEndMs: Int64?
    /// Whether the history of the app gets what the call changes, if the app has one.
    var hasHistory = true
    /// The users whose rows the call has taken back.
    var undoneUsers = UndoneUsers()
    /// The rows as they were before the call; nil in an app without a history.
    private let recorder: HistoryTransaction?

    /// The user record of a user that the call has read.
    private struct Known {
        /// The user record as it is now; nil if it was removed.
        var userRecord: UserRecord?
        /// The user record before the first change.
        var before: UserRecord?
        var isChanged = false
    }

    // One thread has a ledger, and a change of a user record or of the feed's state never reads the
    // ledger. So no two accesses to these overlap, and Swift need not check that at each access.

    /// The users whose user records were read, in the order in which they were.
    @exclusivity(unchecked) private var knownUsers: [UserID] = []
    /// Their user records.
    @exclusivity(unchecked) private var known: [Known] = []
    /// Where the user records stand in `known`, once they are more than ``few``.
    private var userIndices: [UserID: Int] = [:]
    /// The indices of the two users that were asked for last: an item of a long call is about two.
    @exclusivity(unchecked) private var lastIndices = (0, 0)
    @exclusivity(unchecked) private var events: [Event] = []
    /// The indices of the events that may still take items: the last event for each receiver and
    /// kind.
    ///
    /// It is used once the events are more than ``few``.
    private var indices: [EventKey: Int] = [:]
    /// The events that only the app's feed holds, with their positions.
    private var feedOnly: [(position: Int64, event: FeedEventRecord)] = []
    /// Users whose logs have become too long.
    private var longLogs: [UserID] = []
    /// The state of the app's feed, if the call has read it; it is written at the end if the call
    /// has changed it.
    @exclusivity(unchecked) private var knownFeedState: FeedState?
    @exclusivity(unchecked) private var isFeedStateChanged = false

    /// Up to this number a linear search is faster than a hash: most calls are about two users.
    private static let few = 8

    package init(
        app: App, now: Timestamp, origin: Origin, transaction: any WriteTransaction
    ) {
        self.app = app
        self.now = now
        self.origin = origin
        let recorder = app.keepsHistory ? HistoryTransaction(over: transaction) : nil
        self.recorder = recorder
        self.transaction = recorder.map { $0 as any WriteTransaction } ?? transaction
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

    // MARK: User records

    /// The user record of `user` as this call has left it, or nil if there is no such account.
    package func userRecord(of user: UserID) throws(StorageError) -> UserRecord? {
        if let index = index(of: user) { return known[index].userRecord }
        let userRecord = try Tables.userRecords.record(
            partition(of: user), OnlyKey(), in: transaction)
        if let userRecord { remember(user, userRecord) }
        return userRecord
    }

    /// Changes the user record of an account that exists, or of one that this call makes.
    package func changeUserRecord(
        of user: UserID, _ change: (inout UserRecord) -> Void
    ) throws(StorageError) {
        let index = try changing(user)
        if known[index].userRecord == nil { known[index].userRecord = UserRecord() }
        // It was set above if it was nil; it is changed in place, because it is a long record.
        change(&known[index].userRecord!)
    }

    /// Removes the user record of an account: from then on the user is not an account.
    package func removeUserRecord(of user: UserID) throws(StorageError) {
        known[try changing(user)].userRecord = nil
    }

    private func index(of user: UserID) -> Int? {
        guard knownUsers.count > Self.few else { return knownUsers.firstIndex(of: user) }
        if knownUsers[lastIndices.0] == user { return lastIndices.0 }
        if knownUsers[lastIndices.1] == user { return lastIndices.1 }
        guard let index = userIndices[user] else { return nil }
        lastIndices = (index, lastIndices.0)
        return index
    }

    @discardableResult
    private func remember(_ user: UserID, _ userRecord: UserRecord?) -> Int {
        knownUsers.append(user)
        known.append(Known(userRecord: userRecord))
        let index = known.count - 1
        if known.count == Self.few + 1 {
            for (index, user) in knownUsers.enumerated() { userIndices[user] = index }
        } else if known.count > Self.few {
            userIndices[user] = index
        }
        lastIndices = (index, lastIndices.0)
        return index
    }

    /// The index of a user record that is about to change, with a note of how it was.
    private func changing(_ user: UserID) throws(StorageError) -> Int {
        // A user record that is there is known after it was asked for.
        let userRecord = try userRecord(of: user)
        let index = index(of: user) ?? remember(user, userRecord)
        if !known[index].isChanged {
            known[index].before = known[index].userRecord
            known[index].isChanged = true
        }
        return index
    }

    /// Notes that the last change of `owner`'s groups is the event of that sequence.
    package func noteGroups(of owner: UserID, at sequence: Int64) throws(StorageError) {
        try changeUserRecord(of: owner) { $0.groupsSequence = max($0.groupsSequence, sequence) }
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

    /// The position in the app's feed of this call's event of `kind` for `receiver`.
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
    package func notify(
        _ receiver: UserID, _ kind: ChangeKind, _ item: ChangeItemRecord, taking bytes: Int? = nil
    ) throws(StorageError) {
        let bytes = bytes ?? Self.bytes(of: item)
        let index = try index(of: kind, for: receiver, adding: bytes)
        events[index].bytes += bytes
        events[index].record.items.append(item)
    }

    /// Adds to this call's event of `kind` for `receiver` that `user` is a friend with that row, or
    /// is no longer a friend.
    ///
    /// All items of one event are reported in this way, or none is.
    ///
    /// - Parameter row: The encoded row; nil if it was removed.
    func notify(
        _ receiver: UserID, _ kind: ChangeKind, of user: UserID, row: UnsafeRawBufferPointer?
    ) throws(StorageError) {
        let rowBytes = row.map { 1 + EncodedFields.bytes(of: UInt64($0.count)) + $0.count } ?? 0
        let length = EncodedFields.bytes(ofField: user.text) + rowBytes
        let bytes = length + Self.itemHeadBytes
        let index = try index(of: kind, for: receiver, adding: bytes)
        events[index].bytes += bytes
        events[index].items.reserve(bytes)
        events[index].items.appendPrefix(ChangeRecord.itemsNumber, length: length)
        events[index].items.append(ChangeItemRecord.userNumber, user.text)
        if let row { events[index].items.append(ChangeItemRecord.friendNumber, message: row) }
    }

    /// The bytes that an item about the friend `user` takes in its event, with a row of at most
    /// `row` bytes.
    static func bytes(ofFriend user: UserID, row: Int) -> Int {
        EncodedFields.bytes(ofField: user.text) + row + 2 * itemHeadBytes
    }

    /// The bytes that an item takes in its event.
    package static func bytes(of item: ChangeItemRecord) -> Int { item.bytesAtMost + itemHeadBytes }

    /// The bytes that an event needs to report a group that `member` enters or leaves, whether or
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
    package func notify(
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

    /// Notifies the followers of the app that `user` became an account or stopped being one.
    ///
    /// The event is in the feed alone, so no user's sequence moves.
    ///
    /// - Returns: The event's position in the feed.
    package func notifyApp(
        _ kind: ChangeKind, _ item: ChangeItemRecord, about user: UserID
    ) throws(StorageError) -> Int64 {
        var record = newRecord(kind)
        record.feedPosition = try nextPosition()
        record.items = [item]
        var entry = FeedEventRecord()
        entry.userID = user.text
        entry.event = record
        feedOnly.append((record.feedPosition, entry))
        return record.feedPosition
    }

    private func index(
        of kind: ChangeKind, for receiver: UserID, adding bytes: Int = 0
    ) throws(StorageError) -> Int {
        if let index = lastIndex(of: kind, for: receiver), events[index].hasRoom(for: bytes) {
            return index
        }
        var sequence: Int64 = 0
        var excess: Int64 = 0
        let floor = settings.history.floor
        try changeUserRecord(of: receiver) { userRecord in
            userRecord.begin(after: floor)
            userRecord.sequence += 1
            sequence = userRecord.sequence
            kind.stamp(&userRecord)
            excess = userRecord.sequence - userRecord.logFloor - Int64(settings.logEvents)
        }
        if excess > 0, excess % Limits.logSlack == 0 { longLogs.append(receiver) }
        var record = newRecord(kind)
        record.feedPosition = try nextPosition()
        events.append(Event(receiver: receiver, sequence: sequence, record: record))
        let index = events.count - 1
        if events.count == Self.few + 1 {
            for (index, event) in events.enumerated() { indices[event.key] = index }
        } else if events.count > Self.few {
            indices[events[index].key] = index
        }
        return index
    }

    /// Lets this call's event of `kind` for `receiver` take no more items: what comes next has an
    /// event of its own.
    func endEvent(of kind: ChangeKind, for receiver: UserID) {
        guard let index = lastIndex(of: kind, for: receiver) else { return }
        events[index].isEnded = true
    }

    /// Lets none of this call's events take more items.
    func endEvents() {
        for index in events.indices { events[index].isEnded = true }
    }

    /// Takes user, device and request id out of this call's last event of `kind` for `receiver`, if
    /// there is one: they would tell the receiver of a blacklist.
    func hideOrigin(of kind: ChangeKind, for receiver: UserID) {
        guard let index = lastIndex(of: kind, for: receiver) else { return }
        events[index].record.actorUserID = ""
        events[index].record.deviceID = ""
        events[index].record.requestID = ""
    }

    private func lastIndex(of kind: ChangeKind, for receiver: UserID) -> Int? {
        guard events.count <= Self.few else {
            return indices[EventKey(receiver: receiver, kind: kind)]
        }
        return events.lastIndex { $0.record.kind == kind && $0.receiver == receiver }
    }

    private func newRecord(_ kind: ChangeKind) -> ChangeRecord {
        var record = ChangeRecord()
        record.kind = kind
        record.timeMs = now.milliseconds
        record.actorUserID = origin.user?.text ?? ""
        record.deviceID = origin.deviceID
        record.requestID = origin.isImport ? "" : origin.requestID
        return record
    }

    // MARK: The feed

    /// The state of the app's feed as this call has left it.
    package func feedState() throws(StorageError) -> FeedState {
        if let knownFeedState { return knownFeedState }
        let state = try Feed.state(of: app, in: transaction)
        knownFeedState = state
        return state
    }

    package func changeFeedState(_ change: (inout FeedState) -> Void) throws(StorageError) {
        var state = try feedState()
        change(&state)
        knownFeedState = state
        isFeedStateChanged = true
    }

    private func nextPosition() throws(StorageError) -> Int64 {
        var position: Int64 = 0
        try changeFeedState { record in
            record.position += 1
            position = record.position
        }
        return position
    }

    // MARK: The end of the call

    /// Writes the user records, the events, and their effects on the feed's state.
    ///
    /// After it, nothing may be noted or changed through this ledger.
    package func close() throws(StorageError) {
        if let recorder { try writeHistory(of: recorder) }
        for index in events.indices {
            try addGroups(to: &events[index])
            try write(events[index])
        }
        try writeFeed()
        var counts = FeedState()
        for (index, user) in knownUsers.enumerated() where known[index].isChanged {
            if let userRecord = known[index].userRecord {
                try Tables.userRecords.set(
                    userRecord, at: partition(of: user), OnlyKey(), in: transaction)
            } else {
                Tables.userRecords.remove(partition(of: user), OnlyKey(), in: transaction)
            }
            guard user.isAccountID else { continue }
            counts.count(known[index].before, -1)
            counts.count(known[index].userRecord, 1)
        }
        if counts != FeedState() { try changeFeedState { $0.add(counts) } }
        for user in longLogs {
            try Tables.longLogs.set(EmptyRecord(), at: app.maintenance, user, in: transaction)
        }
        if isFeedStateChanged, let knownFeedState {
            try Tables.feedStates.set(knownFeedState, at: app.feed, OnlyKey(), in: transaction)
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

    /// Writes an event into its receiver's log.
    private func write(_ event: Event) throws(StorageError) {
        let partition = partition(of: event.receiver)
        guard !event.items.isEmpty else {
            return try Tables.changes.set(
                event.record, at: partition, UInt64(event.sequence), in: transaction)
        }
        precondition(event.record.items.isEmpty, "an event has items of two forms")
        try event.record.encoding(with: event.items).bytes.withUnsafeBufferPointer {
            (bytes) throws(StorageError) in
            try Tables.changes.set(
                encoded: UnsafeRawBufferPointer(bytes), at: partition, UInt64(event.sequence),
                in: transaction)
        }
    }

    /// Writes the events of the call into the app's feed: one row names them all, or as many as
    /// ``Limits/feedRowEvents``.
    private func writeFeed() throws(StorageError) {
        guard !events.isEmpty || !feedOnly.isEmpty else { return }
        var entries = feedOnly
        entries.reserveCapacity(feedOnly.count + events.count)
        for event in events {
            var entry = FeedEventRecord()
            entry.userID = event.receiver.text
            entry.sequence = event.sequence
            entries.append((event.record.feedPosition, entry))
        }
        if !feedOnly.isEmpty { entries.sort { $0.position < $1.position } }
        let count = Int64(events.count)
        if count > 0 { try changeFeedState { $0.events += count } }
        let partition = app.feed
        let tellsCaller = isForced || !origin.administrator.isEmpty
        if feedOnly.isEmpty, entries.count <= Limits.feedRowEvents, !tellsCaller {
            // Most calls write this row alone, and only numbers and ids are in it.
            let last = entries[entries.count - 1].position
            let row = FeedRecord.encoding(
                naming: entries.map(\.event), at: now.milliseconds, isResponse: isResponse)
            return try row.bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
                try Tables.feed.set(
                    encoded: UnsafeRawBufferPointer(bytes), at: partition, UInt64(last),
                    in: transaction)
            }
        }
        var rest = entries[...]
        while let first = rest.first {
            let part = rest.prefix(Limits.feedRowEvents)
            rest = rest.dropFirst(part.count)
            let last = first.position + Int64(part.count) - 1
            precondition(
                part.last?.position == last, "the positions of a call follow one another")
            var record = FeedRecord()
            record.hasOwnEvents = part.contains { $0.event.event != nil }
            record.timeMs = now.milliseconds
            record.administrator = origin.administrator
            record.isForced = isForced
            record.isResponse = isResponse
            record.events = part.map(\.event)
            try Tables.feed.set(record, at: partition, UInt64(last), in: transaction)
        }
    }

    private struct Event {
        let receiver: UserID
        let sequence: Int64
        var record: ChangeRecord
        /// Its items, if they are encoded already: those of friends' rows.
        var items = EncodedFields()
        /// The bytes that its items take.
        var bytes = 0
        /// Whether it takes no more items.
        var isEnded = false

        var key: EventKey { EventKey(receiver: receiver, kind: record.kind) }

        /// One item always fits, because no row is as long as an event may be.
        func hasRoom(for more: Int) -> Bool {
            !isEnded
                && (record.items.isEmpty && items.isEmpty || bytes + more <= Limits.eventBytes)
        }
    }

    private struct EventKey: Hashable {
        let receiver: UserID
        let kind: ChangeKind
    }
}

extension ChangeKind {
    /// Notes the user's new sequence as the sequence of the list that this kind changes.
    fileprivate func stamp(_ userRecord: inout UserRecord) {
        switch self {
        case .addFriend, .deleteFriend, .friendChange, .listChanged:
            userRecord.friendsSequence = userRecord.sequence
        case .addFriendRequest, .deleteFriendRequest, .pendencyReport:
            userRecord.pendenciesSequence = userRecord.sequence
        case .addBlacklist, .deleteBlacklist:
            userRecord.blacklistSequence = userRecord.sequence
        case .groupCreated, .groupDeleted, .groupRenamed, .groupMembersChanged:
            userRecord.groupsSequence = userRecord.sequence
        case .subscriptionChanged, .subscriptionExpired:
            userRecord.subscriptionsSequence = userRecord.sequence
        case .consentChanged:
            userRecord.consentsSequence = userRecord.sequence
        case .followingChanged:
            userRecord.followingSequence = userRecord.sequence
        case .followersChanged:
            userRecord.followersSequence = userRecord.sequence
        case .invitationChanged:
            userRecord.invitationsSequence = userRecord.sequence
        case .dismissalsChanged:
            userRecord.dismissalsSequence = userRecord.sequence
        case .reverseFriendsChanged:
            userRecord.reverseFriendsSequence = userRecord.sequence
        default:
            break
        }
    }
}
