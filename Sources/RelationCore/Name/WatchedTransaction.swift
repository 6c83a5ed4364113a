package import Protobuf
import RelationModel
package import Storage

/// Which entries of the name cache a transaction made old.
package struct Touches: Equatable, Sendable {
    /// Users whose names it may have changed.
    package fileprivate(set) var names: Set<AppUser> = []
    /// Owners of friend lists that it changed, and users for whom other users' names became hidden
    /// or open, since those gained or lost them as friends, or blacklisted them.
    package fileprivate(set) var rosters: Set<AppUser> = []

    package init() {}

    package var isEmpty: Bool { names.isEmpty && rosters.isEmpty }
}

/// A transaction that notes which names and friend lists are written.
///
/// It looks at the keys, so that no rule can forget to tell. What was written and rolled back is
/// noted too: it is read again without need, and that is all.
package final class WatchedTransaction: WriteTransaction {
    private let inner: any WriteTransaction
    package private(set) var touched = Touches()

    package init(_ inner: any WriteTransaction) {
        self.inner = inner
    }

    package var arena: Arena { inner.arena }

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

    package func set(_ key: Key, to value: [UInt8]) {
        note(key)
        inner.set(key, to: value)
    }

    package func remove(_ key: Key) {
        note(key)
        inner.remove(key)
    }

    package func savepoint() -> Savepoint { inner.savepoint() }

    package func rollback(to savepoint: Savepoint) { inner.rollback(to: savepoint) }

    private func note(_ key: Key) {
        guard key.partitionCount < key.bytes.count else { return }
        let kind = key.bytes[key.partitionCount]
        switch kind {
        case Tables.profiles.kind:
            touched.names.insert(key.owner)
        case Tables.friends.kind:
            touched.rosters.insert(key.owner)
            touched.rosters.insert(key.named)
        case Tables.blacklist.kind:
            touched.rosters.insert(key.named)
        default: break
        }
    }
}

extension Key {
    /// The user whose rows the key is among.
    fileprivate var owner: AppUser {
        AppUser(app: app, user: UserID(stored: bytes[4..<partitionCount - 1]))
    }

    /// The user whose id follows the kind.
    fileprivate var named: AppUser {
        AppUser(app: app, user: UserID(stored: bytes[(partitionCount + 1)...]))
    }

    private var app: UInt32 {
        bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
