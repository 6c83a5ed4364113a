package import Memory
import Protobuf
import RelationModel
package import Storage

/// The users whose entries in the read cache a transaction touches.
package struct Touches: Equatable, Sendable {
    /// Users whose names the transaction may have changed.
    package fileprivate(set) var names: Set<AppUser> = []
    /// Owners of friend lists that the transaction changed, and users for whom names of others may
    /// have become hidden or open.
    ///
    /// The latter are those that others gained or lost as a friend, or put on a blacklist, and
    /// those that began or ended a follow.
    package fileprivate(set) var lists: Set<AppUser> = []

    /// Users whose profile the transaction may have changed, users to whose blacklist it added, and
    /// users that are no longer accounts.
    package fileprivate(set) var profiles: Set<AppUser> = []

    package init() {}
}

/// A row that a transaction wrote or removed, and that an adjacency list may stand for.
package struct AdjacencyChange: Sendable {
    let key: Key
    let isSet: Bool
    /// How many changes the transaction had made before.
    let changesBefore: Int
}

/// A row that reports events: a row of a user's log, or a row of an app's feed with events that are
/// in no log.
package struct EventRow: Sendable {
    package let key: Key
    package let value: [UInt8]

    package init(key: Key, value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

/// A transaction that notes which names and friend lists are written, and every event.
///
/// It looks at the keys that are written, so no rule can forget to report a change. Names and lists
/// that were written and rolled back are noted too: they are read again without need, and nothing
/// else follows. Events that were rolled back are dropped, since they never happened.
package final class WatchedTransaction: WriteTransaction {
    private let inner: any WriteTransaction
    // One thread has the transaction, and no access to these overlaps another.
    @exclusivity(unchecked) package private(set) var touched = Touches()
    /// The events, in the order in which they were written.
    @exclusivity(unchecked) package private(set) var events: [EventRow] = []
    /// How many changes the transaction had made before each of the events.
    @exclusivity(unchecked) private var changesBefore: [Int] = []
    /// The rows that adjacency lists stand for, in the order in which they were written.
    @exclusivity(unchecked) package private(set) var adjacencyChanges: [AdjacencyChange] = []
    /// The bytes of all rows that were written or removed, also of those that were rolled back.
    @exclusivity(unchecked) package private(set) var writtenBytes = 0

    package init(_ inner: any WriteTransaction) {
        self.inner = inner
    }

    package var arena: Arena { inner.arena }

    package var scratch: OutputBuffer { inner.scratch }

    package func read(
        _ key: KeyView, _ body: (UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try inner.read(key, body)
    }

    package func read(
        _ keys: KeyList, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try inner.read(keys, body)
    }

    package func scan(
        _ range: KeyRange, _ order: ScanOrder, limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        try inner.scan(range, order, limit: limit, body)
    }

    package func prefetch(_ keys: KeyList) throws(StorageError) {
        try inner.prefetch(keys)
    }

    package func prefetch(_ lists: [KeyList]) throws(StorageError) {
        try inner.prefetch(lists)
    }

    package func lock(_ partitions: [Partition]) throws(StorageError) {
        try inner.lock(partitions)
    }

    package func set(_ key: KeyView, to value: UnsafeRawBufferPointer) {
        note(key, value)
        inner.set(key, to: value)
    }

    package func remove(_ key: KeyView) {
        note(key, nil)
        inner.remove(key)
    }

    package func set(_ key: Key, to value: [UInt8]) {
        key.bytes.withUnsafeBytes { bytes in
            value.withUnsafeBytes {
                note(KeyView(bytes: bytes, partitionCount: key.partitionCount), $0)
            }
        }
        inner.set(key, to: value)
    }

    package func remove(_ key: Key) {
        key.bytes.withUnsafeBytes {
            note(KeyView(bytes: $0, partitionCount: key.partitionCount), nil)
        }
        inner.remove(key)
    }

    package func savepoint() -> Savepoint { inner.savepoint() }

    package func rollback(to savepoint: Savepoint) {
        inner.rollback(to: savepoint)
        while let last = changesBefore.last, last >= savepoint.changes {
            changesBefore.removeLast()
            events.removeLast()
        }
        while let last = adjacencyChanges.last, last.changesBefore >= savepoint.changes {
            adjacencyChanges.removeLast()
        }
    }

    package func endWrites(_ count: Int) { inner.endWrites(count) }

    private func note(_ key: KeyView, _ value: UnsafeRawBufferPointer?) {
        writtenBytes += key.bytes.count + (value?.count ?? 0)
        guard let kind = key.kind else { return }
        noteAdjacency(kind, key, value != nil)
        switch kind {
        case Tables.profiles.kind:
            touched.names.insert(key.owner)
            touched.profiles.insert(key.owner)
        case Tables.friends.kind:
            touched.lists.insert(key.owner)
            touched.lists.insert(key.named)
        case Tables.blacklist.kind:
            touched.lists.insert(key.named)
            if value != nil { touched.profiles.insert(key.owner) }
        case Tables.follows.kind:
            // The follower may see more of the other user, or less.
            touched.lists.insert(key.owner)
        case Tables.userRecords.kind where value == nil:
            touched.profiles.insert(key.owner)
        case Tables.changes.kind, Tables.feed.kind:
            // A row of the feed that only names events of logs tells nothing that they do not.
            guard let value, kind == Tables.changes.kind || FeedRecord.hasUnloggedEvents(value)
            else { break }
            changesBefore.append(inner.savepoint().changes)
            events.append(EventRow(key: key.key, value: Array(value)))
        default: break
        }
    }
}

extension WatchedTransaction {
    /// Notes a row that an adjacency list stands for.
    ///
    /// Of user records only that they are removed: the directory says which accounts are made.
    private func noteAdjacency(_ kind: UInt8, _ key: KeyView, _ isSet: Bool) {
        switch kind {
        case Tables.friends.kind, Tables.blacklist.kind, Tables.pendencies.kind,
            Tables.mentions.kind, Tables.directory.kind, Tables.suspensions.kind:
            break
        case Tables.userRecords.kind:
            guard !isSet else { return }
        default: return
        }
        adjacencyChanges.append(
            AdjacencyChange(key: key.key, isSet: isSet, changesBefore: inner.savepoint().changes))
    }
}

extension KeyView {
    /// The user to whose rows the key belongs.
    fileprivate var owner: AppUser {
        AppUser(app: app, user: user(at: 4..<partitionCount - 1))
    }

    /// The user whose id follows the kind.
    fileprivate var named: AppUser {
        AppUser(app: app, user: user(at: partitionCount + 1..<bytes.count))
    }

    private var app: UInt32 { UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)) }

    private func user(at range: Range<Int>) -> UserID {
        UserID(stored: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
}

extension Key {
    /// The user to whose rows the key belongs.
    package var owner: AppUser {
        let name = 4..<partitionCount - 1
        return bytes.withUnsafeBytes { bytes in
            AppUser(app: app, user: UserID(stored: UnsafeRawBufferPointer(rebasing: bytes[name])))
        }
    }

    package var app: UInt32 {
        UInt32(bytes[0]) << 24 | UInt32(bytes[1]) << 16 | UInt32(bytes[2]) << 8 | UInt32(bytes[3])
    }

    package var kind: UInt8 { bytes[partitionCount] }

    /// The number that follows the kind.
    package var number: Int64 {
        bytes.withUnsafeBytes { bytes in
            let number = bytes[(partitionCount + 1)...]
            guard number.count == 8 else {
                return Int64(bitPattern: number.reduce(0) { $0 << 8 | UInt64($1) })
            }
            let value = bytes.loadUnaligned(fromByteOffset: partitionCount + 1, as: UInt64.self)
            return Int64(bitPattern: UInt64(bigEndian: value))
        }
    }
}
