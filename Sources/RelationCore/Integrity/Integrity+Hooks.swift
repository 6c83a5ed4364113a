import RelationModel
import Storage

// A hook of an app has a row of its progress, and no other has one. Failures are rows of hooks that
// are there, with the last numbers.

extension Integrity {
    /// The error of the rows of the app's hooks; nil if they have none.
    package static func hookFinding(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Finding? {
        guard let rows = try HookRows(of: app, in: transaction) else { return nil }
        if !rows.lacking.isEmpty {
            return Finding(user: nil, fault: .rowWithoutIndex, subject: "hook_progress")
        }
        if !rows.strays.isEmpty {
            return Finding(user: nil, fault: .indexWithoutRow, subject: "hook_progress")
        }
        guard rows.strayFailures.isEmpty else {
            return Finding(user: nil, fault: .indexWithoutRow, subject: "hook_failures")
        }
        return nil
    }

    /// Repairs the rows of the app's hooks.
    ///
    /// A hook without a position begins with the first event that is kept: it may get some twice,
    /// and loses none without a word.
    ///
    /// - Returns: Whether they had an error.
    package static func repairHooks(in ledger: Ledger) throws(StorageError) -> Bool {
        let (app, transaction) = (ledger.app, ledger.transaction)
        guard let rows = try HookRows(of: app, in: transaction), rows.areWrong else { return false }
        for id in rows.lacking {
            var progress = HookProgressRecord()
            progress.historyID = rows.historyID
            try Tables.hookProgress.set(progress, at: app.partition, id, in: transaction)
        }
        for id in rows.strays { Tables.hookProgress.remove(app.partition, id, in: transaction) }
        for key in rows.strayFailures {
            Tables.hookFailures.remove(app.partition, key, in: transaction)
        }
        return true
    }
}

/// The rows of an app's hooks, beside the hooks that its record has.
private struct HookRows {
    let historyID: UInt64
    /// Hooks without a position.
    let lacking: [HookID]
    /// Positions of hooks that are not there.
    let strays: [HookID]
    /// Failures that no list of a hook reaches.
    let strayFailures: [HookFailureKey]

    /// Nil for an app that is gone.
    init?(of app: App, in transaction: any ReadTransaction) throws(StorageError) {
        guard let record = try AppRules.record(of: app.id, in: transaction) else { return nil }
        historyID = record.historyID
        let wanted = record.hooks.map { HookID($0.id) }
        let table = Tables.hookProgress
        var found: [HookID: HookProgressRecord] = [:]
        var isBroken = false
        try table.scan(table.all(of: app.partition), limit: .max, in: transaction) { key, bytes in
            guard let row = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            found[key] = row
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "the progress of a hook does not decode") }
        var failures: [HookFailureKey] = []
        let rows = Tables.hookFailures.all(of: app.partition)
        try Tables.hookFailures.scan(rows, limit: .max, in: transaction) { key, _ in
            failures.append(key)
            return .more
        }
        let present = Set(wanted)
        lacking = wanted.filter { found[$0] == nil }
        strays = found.keys.filter { !present.contains($0) }.sorted { $0.text < $1.text }
        strayFailures = failures.filter { key in
            guard present.contains(key.hook), let progress = found[key.hook] else { return true }
            return !Hooks.kept(progress).contains(key.number)
        }
    }

    var areWrong: Bool { !lacking.isEmpty || !strays.isEmpty || !strayFailures.isEmpty }
}
