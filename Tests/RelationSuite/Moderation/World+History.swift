package import RelationCore
import RelationModel
import Storage

extension World {
    /// The latest entries of the history that a query wants, up to `limit`, the latest first.
    package func history(
        below position: UInt64 = 0, limit: Int = 1_000,
        _ edit: (inout HistoryLog.Query) -> Void = { _ in }
    ) throws(StorageError) -> (entries: [HistoryLog.Entry], next: UInt64?) {
        var query = HistoryLog.Query()
        edit(&query)
        return try read { [query] (transaction) throws(StorageError) in
            try HistoryLog.page(
                query, below: position, limit: limit, app: app, in: transaction)
        }
    }

    /// The kinds of the changes of the latest entry, with their owners.
    package func lastChanges() throws(StorageError) -> [String] {
        guard let entry = try history(limit: 1).entries.first else { return [] }
        return try read { (transaction) throws(StorageError) in
            try entry.record.rows(in: transaction).map { row in
                let about = row.other.map { " \($0)" } ?? ""
                return "\(row.owner) \("\(row.kind)".filter { $0 != "." })\(about)"
            }
        }
    }

    package func historyState() throws(StorageError) -> HistoryState {
        try read { (transaction) throws(StorageError) in
            try HistoryLog.state(of: app, in: transaction)
        }
    }

    package func undo(_ position: UInt64) throws(StorageError) -> FriendOutcome {
        try call(by: nil) { (ledger) throws(StorageError) in
            try HistoryUndo.undo(position, in: ledger)
        }
    }

    /// Takes back up to `limit` entries that a query wants.
    ///
    /// - Returns: Their positions and outcomes, and where the next call goes on.
    package func undoChosen(
        below position: UInt64 = 0, limit: Int = 100, _ edit: (inout HistoryLog.Query) -> Void
    ) throws(StorageError) -> (
        positions: [UInt64], outcomes: [FriendOutcome], next: UInt64?
    ) {
        var query = HistoryLog.Query()
        edit(&query)
        return try call(by: nil) { [query] (ledger) throws(StorageError) in
            let chosen = try HistoryLog.selection(
                query, below: position, limit: limit, in: ledger)
            var outcomes: [FriendOutcome] = []
            for position in chosen.positions {
                outcomes.append(try HistoryUndo.undo(position, in: ledger))
            }
            return (chosen.positions, outcomes, chosen.next)
        }
    }

    /// Takes the latest entry back.
    package func undoLast() throws(StorageError) -> FriendOutcome {
        try undo(try history(limit: 1).entries.first?.position ?? 0)
    }
}
