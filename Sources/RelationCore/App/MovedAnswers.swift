import RelationModel
import Storage

/// The answers of operators' calls about one app, which stand in the registry of its database.
///
/// They go with the app to another database. So a call that is sent again there, such as the one
/// that made the app, gets the same answer.
package enum MovedAnswers {
    package struct Answer: Equatable {
        package let id: RequestID
        package let record: AnswerRecord
    }

    /// - Parameter isAbout: Whether the bytes of an answer are about the app.
    package static func all(
        in transaction: any ReadTransaction, _ isAbout: ([UInt8]) -> Bool
    ) throws(StorageError) -> [Answer] {
        var answers: [Answer] = []
        var isBroken = false
        let table = Tables.answers
        try table.scan(
            table.all(of: App.registry.partition), limit: .max, in: transaction
        ) { id, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            if isAbout(record.response) { answers.append(Answer(id: id, record: record)) }
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a kept answer does not decode") }
        return answers
    }

    /// Keeps them in the registry of the database to which the app comes.
    static func store(
        _ answers: [Answer], at now: Timestamp, in transaction: any WriteTransaction
    ) throws(StorageError) {
        guard !answers.isEmpty else { return }
        let ledger = Ledger(
            app: .registry, now: now, origin: Origin(user: nil), transaction: transaction)
        let partition = App.registry.partition
        for answer in answers {
            if let known = try Tables.answers.record(partition, answer.id, in: transaction) {
                Tables.answersByTime.remove(
                    partition, TimedRequest(timeMs: known.timeMs, id: answer.id), in: transaction)
            } else {
                try ledger.changeUserRecord(of: .administrator) { $0.answerCount += 1 }
            }
            try Tables.answers.set(answer.record, at: partition, answer.id, in: transaction)
            try Tables.answersByTime.set(
                EmptyRecord(), at: partition,
                TimedRequest(timeMs: answer.record.timeMs, id: answer.id), in: transaction)
        }
        try ledger.close()
    }
}
