import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Compares the rows that lead to entries of the history, and its counts, with the entries.
    mutating func checkHistoryOfApp() throws(StorageError) {
        let entries = try world.rows(of: Tables.history, in: world.app.historyPartition)
        var wanted: Set<String> = []
        var requests: Set<String> = []
        var bytes: Int64 = 0
        for (position, record) in entries {
            for user in record.indexedUsers { wanted.insert("\(user) \(position)") }
            if !record.requestID.isEmpty { requests.insert("\(record.requestID) \(position)") }
            if record.changes.isEmpty { note("the entry \(position) has no change") }
            for change in record.changes where change.before == change.after {
                note("the entry \(position) has a row that did not change")
            }
            bytes += try world.read { (transaction) throws(StorageError) in
                Int64(try Tables.history.encode(record, in: transaction.arena).count)
            }
        }
        var found: Set<String> = []
        for user in Set(users + entries.flatMap { $0.record.indexedUsers }) {
            for (position, _) in try world.rows(of: Tables.historyOfUsers, of: user) {
                found.insert("\(user) \(position)")
            }
        }
        if found != wanted { note("the history is at \(found) instead of \(wanted)") }
        let rows = try world.rows(of: Tables.historyOfRequests, in: world.app.historyRequests)
        let named = Set(rows.map { "\($0.key.id.text) \($0.key.position)" })
        if named != requests { note("the request ids of the history are \(named)") }
        let state = try world.historyState()
        if state.count != Int64(entries.count) || state.bytes != bytes
            || state.last < entries.last?.key ?? 0
        {
            note("counts the history as \(state), with \(entries.count) entries of \(bytes) bytes")
        }
    }
}
