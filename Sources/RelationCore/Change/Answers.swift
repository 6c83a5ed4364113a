package import RelationModel
import Storage

/// Answers that are kept under the request ids of a user's writes.
///
/// With them a request that was sent twice is done once, even if the first answer was lost or the
/// server restarted.
package enum Answers {
    /// The state of a request id.
    package enum Known: Equatable {
        /// The id is new, or its answer is too old to count.
        case none
        /// The same request was answered with these bytes.
        case answer([UInt8])
        /// The id belongs to another request.
        case otherRequest
    }

    /// Adds the row that ``known(_:digest:of:in:)`` reads.
    package static func keysForKnowing(
        _ id: RequestID, of user: UserID, app: App, into keys: inout KeyList
    ) {
        Tables.answers.add(app.id, user.text.utf8, id, to: &keys)
    }

    /// Whether the request id has an answer, whatever the request was.
    package static func isKnown(
        _ id: RequestID, of user: UserID, app: App, at now: Timestamp,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        let record = try Tables.answers.record(app.partition(of: user), id, in: transaction)
        return record.map { $0.timeMs > now.milliseconds - Limits.requestIDMilliseconds } ?? false
    }

    package static func known(
        _ id: RequestID, digest: [UInt8], of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> Known {
        let record = try Tables.answers.record(
            ledger.partition(of: user), id, in: ledger.transaction)
        guard let record, record.timeMs > ledger.now.milliseconds - Limits.requestIDMilliseconds
        else { return .none }
        return record.digest == digest ? .answer(record.response) : .otherRequest
    }

    /// Keeps `response`, and removes answers that are too old or too many.
    ///
    /// Each call removes at most two, so that no call pays for the past of others.
    package static func store(
        _ response: [UInt8], under id: RequestID, digest: [UInt8], of user: UserID,
        in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: user)
        let transaction = ledger.transaction
        let old = try Tables.answers.record(partition, id, in: transaction)
        if let old {
            Tables.answersByTime.remove(
                partition, TimedRequest(timeMs: old.timeMs, id: id), in: transaction)
        }
        var record = AnswerRecord()
        record.timeMs = ledger.now.milliseconds
        record.digest = digest
        record.response = response
        try Tables.answers.set(record, at: partition, id, in: transaction)
        try Tables.answersByTime.set(
            EmptyRecord(), at: partition, TimedRequest(timeMs: record.timeMs, id: id),
            in: transaction)
        if old == nil { try ledger.changeUserRecord(of: user) { $0.answerCount += 1 } }
        try forget(of: user, in: ledger)
    }

    private static func forget(of user: UserID, in ledger: Ledger) throws(StorageError) {
        let partition = ledger.partition(of: user)
        var excess =
            Int(try ledger.userRecord(of: user)?.answerCount ?? 0) - Limits.requestIDsPerUser
        let oldest = ledger.now.milliseconds - Limits.requestIDMilliseconds
        var gone: [TimedRequest] = []
        try Tables.answersByTime.scan(
            Tables.answersByTime.all(of: partition), limit: 2, in: ledger.transaction
        ) { key, _ in
            guard key.timeMs <= oldest || excess > 0 else { return .stop }
            excess -= 1
            gone.append(key)
            return .more
        }
        for key in gone {
            Tables.answersByTime.remove(partition, key, in: ledger.transaction)
            Tables.answers.remove(partition, key.id, in: ledger.transaction)
        }
        guard !gone.isEmpty else { return }
        try ledger.changeUserRecord(of: user) { $0.answerCount.decrease(by: gone.count) }
    }
}
