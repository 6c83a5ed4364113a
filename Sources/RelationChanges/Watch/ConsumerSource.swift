import GRPC
import Memory
import Protobuf
package import RPC
package import RelationCalls
package import RelationCore
package import RelationModel
import Storage

/// The source of a consumer's stream: it looks whether the reader is the present one, and then
/// reads on from the stream's position, or from that of the consumer.
///
/// A consumer without a position begins with the present state, after RESYNC. An earlier reader may
/// have kept a part of a present state, and then this one does not know of it.
///
/// `@unchecked Sendable`: batches are read one after another, in an order that the queues keep.
/// Only ``close()`` may come at the same time, and it touches only the snapshot, which is safe to
/// share.
final class ConsumerSource: WatchSource, @unchecked Sendable {
    private let reading: WatchReading
    private let claim: ConsumerClaim
    private let start: WatchStart
    /// The source that the stream reads once its reader is known; nil before.
    private var source: (any WatchSource)?

    init(_ reading: WatchReading, _ claim: ConsumerClaim, _ start: WatchStart) {
        self.reading = reading
        self.claim = claim
        self.start = start
    }

    func close() {
        reading.snapshot.close()
    }

    func add(to batch: inout WatchBatch, _ arena: Arena) throws(RPCError) {
        try checked().add(to: &batch, arena)
    }

    private func checked() throws(RPCError) -> any WatchSource {
        if let source { return source }
        let (app, claim) = (reading.app, claim)
        let record = try reading.snapshot.read { (transaction) throws(StorageError) in
            try Consumers.record(of: claim.name, app: app, in: transaction)
        }
        guard let record, record.reader == claim.reader else {
            throw .readerFenced(present: record?.reader ?? 0)
        }
        let source: any WatchSource
        if let position = start.position {
            source = MissedSource(reading, since: position, start.least)
        } else if record.beginsWithState {
            source = StateSource(reading, start.least, isResync: true, isTooLate: false)
        } else {
            let isOwn = record.historyID == app.history.id
            source = MissedSource(
                reading, since: isOwn ? record.position : ResumeToken.nowhere, start.least)
        }
        self.source = source
        return source
    }
}

extension RPCError {
    /// The caller is not the present reader of the consumer.
    ///
    /// - Parameter present: The number of the present reader; 0 if there is no such consumer.
    package static func readerFenced(present: Int64) -> RPCError {
        RPCError(
            .aborted, .readerFenced,
            "consumer: the caller is not, or no longer, its reader; acquire it again",
            metadata: ["reader": "\(present)"])
    }
}

extension Violations {
    /// The consumer that a request names; if its name is malformed, a violation and a name that is
    /// never used.
    package mutating func consumer(_ text: String, _ field: String = "consumer") -> ConsumerName {
        if let name = ConsumerName(text) { return name }
        add(
            field,
            "must be 1 to \(Limits.consumerBytes) letters, digits, dots, hyphens and underscores")
        return ConsumerName(stored: "?")
    }

    /// The consumer and the reader that a request names.
    package mutating func claim(
        _ consumer: String, _ field: String = "consumer", _ reader: Int64,
        _ readerField: String = "reader"
    ) -> ConsumerClaim {
        let name = self.consumer(consumer, field)
        if reader < 1 { add(readerField, "is \(reader); it must be at least 1") }
        return ConsumerClaim(name, reader: reader)
    }
}
