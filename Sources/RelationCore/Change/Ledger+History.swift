import Memory
import RelationModel
package import Storage

extension Ledger {
    /// Lets the history of the app have nothing of this call.
    ///
    /// A deletion of an account removes the history of its user, and an import of an app brings no
    /// history.
    package func omitHistory() { hasHistory = false }

    /// Writes what the call has changed into the history of the app: an entry for each two users,
    /// and one for each user with changes of its own.
    func writeHistory(of recorder: HistoryTransaction) throws(StorageError) {
        guard hasHistory else { return }
        let rows = try recorder.changedRows()
        guard !rows.isEmpty else { return }
        var entries = HistoryEntries(of: self)
        for row in rows where row.table != Tables.groups.kind {
            if row.table == Tables.profiles.kind {
                try entries.addProfile(row)
            } else {
                entries.add(row)
            }
        }
        try entries.addGroups(rows)
        try write(entries.all)
    }

    private func write(_ entries: [HistoryRecord]) throws(StorageError) {
        guard !entries.isEmpty else { return }
        let (table, partition) = (Tables.history, app.historyPartition)
        let old = try Tables.historyStates.record(partition, OnlyKey(), in: transaction)
        var state = old ?? HistoryState()
        for index in entries.indices {
            state.last += 1
            state.count += 1
            let output = try table.encoded(entries[index], in: transaction)
            state.bytes += Int64(output.bytes.count)
            try table.set(encoded: output.bytes, at: partition, state.last, in: transaction)
            try HistoryLog.list(entries[index], at: state.last, in: self)
        }
        try Tables.historyStates.set(state, at: partition, OnlyKey(), in: transaction)
    }
}

extension App {
    /// The entries of the app's history by their positions, with their number.
    package var historyPartition: Partition { Partition(app: id, name: [0x06, 0x28]) }

    /// The entries of the app's history by the request ids of their calls.
    package var historyRequests: Partition { Partition(app: id, name: [0x06, 0x2b]) }

    /// Whether the app keeps a history.
    package var keepsHistory: Bool { settings.historyDays > 0 }
}
