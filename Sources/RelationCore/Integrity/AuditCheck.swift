import RelationModel
import Storage

/// A check of the audit of one app, part by part: each record follows the one before, and the
/// summary names the last one.
///
/// A record that does not follow is never repaired: it is what the audit is for. Only a wrong count
/// is.
package struct AuditCheck {
    /// The errors of one part.
    package struct Part {
        /// How many records the count lacks; negative if it has too many.
        package fileprivate(set) var missing: Int64 = 0
        /// These errors as findings.
        package fileprivate(set) var findings: [Integrity.Finding] = []
    }

    package private(set) var isDone = false
    private let app: App
    private let limit: Int
    private var last: UInt64 = 0
    private var hash: [UInt8] = []
    private var count: Int64 = 0

    package init(_ app: App, limit: Int = CoreLimits.historyEntriesPerCheck) {
        self.app = app
        self.limit = limit
    }

    /// Checks the next records, and the summary after the last one.
    package mutating func next(in transaction: any ReadTransaction) throws(StorageError) -> Part {
        let rows = try AuditChain.page(after: last, limit: limit, of: app, in: transaction)
        var part = Part()
        for row in rows {
            // The records before the first one that is left were trimmed, as a later record tells.
            let previous = count > 0 ? hash : row.sequence == 1 ? AuditChain.noHash : nil
            let isNext = count == 0 || UInt64(row.sequence) == last + 1
            if !isNext || !AuditChain.isWhole(row, after: previous ?? row.previousHash) {
                part.findings.append(Self.break(at: UInt64(row.sequence)))
            }
            (last, hash) = (UInt64(row.sequence), row.hash)
            count += 1
        }
        guard rows.count < limit else { return part }
        isDone = true
        let summary = try AuditChain.summary(of: app, in: transaction)
        if summary.last != last && (count > 0 || summary.count > 0)
            || count > 0 && summary.hash != hash
        {
            part.findings.append(Self.break(at: last + 1))
        }
        part.missing = count - summary.count
        if part.missing != 0 {
            part.findings.append(
                Integrity.Finding(user: nil, fault: .wrongCounter, subject: "audit"))
        }
        return part
    }

    /// The finding that the chain is broken before the record with that sequence, or in it.
    private static func `break`(at sequence: UInt64) -> Integrity.Finding {
        Integrity.Finding(user: nil, fault: .logGap, subject: "audit \(sequence)")
    }

    // MARK: Repair

    /// Repairs the count.
    ///
    /// - Returns: The findings that it repaired.
    package static func repair(
        _ part: Part, in ledger: Ledger
    ) throws(StorageError) -> [Integrity.Finding] {
        guard part.missing != 0 else { return [] }
        var summary = try AuditChain.summary(of: ledger.app, in: ledger.transaction)
        summary.count = max(0, summary.count + part.missing)
        try Tables.auditSummaries.set(
            summary, at: ledger.app.audit, OnlyKey(), in: ledger.transaction)
        return part.findings.filter { $0.fault == .wrongCounter }
    }
}
