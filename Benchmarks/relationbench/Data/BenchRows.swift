import RelationCore
import RelationModel
import Storage
import StorageRocks

/// Rows that are written by the rules of an import, without a server.
struct BenchRows {
    private let store: RocksStore
    private let app: App
    private let now: Timestamp
    private let step: Int

    /// - Parameters:
    ///   - now: The time of all rows.
    ///   - step: How many rows one transaction has.
    init(_ store: RocksStore, _ app: App, now: Timestamp, together step: Int) {
        (self.store, self.app, self.now, self.step) = (store, app, now, step)
    }

    /// Runs `body` for each number below `count`, many times in one transaction.
    func write(
        _ count: Int, _ body: (Int, Ledger) throws(StorageError) -> Void
    ) throws(StorageError) {
        for first in stride(from: 0, to: count, by: step) {
            try store.write(touching: []) { (transaction) throws(StorageError) in
                let ledger = Ledger(
                    app: app, now: now, origin: Origin(user: nil), transaction: transaction)
                for number in first..<min(first + step, count) { try body(number, ledger) }
                try ledger.close()
            }
        }
    }

    func create(_ users: [String]) throws(StorageError) {
        try write(users.count) { (number, ledger) throws(StorageError) in
            let user = UserID(stored: users[number].utf8)
            _ = try Accounts.create(user, nick: "", faceURL: "", in: ledger)
        }
    }

    func befriend(_ pairs: [(String, String)]) throws(StorageError) {
        try write(pairs.count) { (number, ledger) throws(StorageError) in
            try Self.write(Self.friendship(pairs[number].0, pairs[number].1), in: ledger)
        }
    }

    static func friendship(_ one: String, _ other: String) -> FriendImport.Row {
        var row = FriendImport.Row(
            owner: UserID(stored: one.utf8), friend: UserID(stored: other.utf8))
        row.bothWays = true
        return row
    }

    static func write(_ row: FriendImport.Row, in ledger: Ledger) throws(StorageError) {
        let outcome = try FriendImport.write(row, notify: false, in: ledger)
        precondition(outcome.code == .success, "a friendship was refused: \(outcome)")
    }
}
