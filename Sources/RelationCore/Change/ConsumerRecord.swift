package import Protobuf
import RelationModel

/// A consumer: a position in the changes of an app, and the reader that holds it.
package struct ConsumerRecord: CodedMessage, Equatable {
    /// The number of the present reader.
    package var reader: Int64 = 0
    /// The position in the feed up to which all is acknowledged; it means nothing if
    /// ``beginsWithState``.
    package var position: Int64 = 0
    /// The history of the app to which the position belongs.
    package var historyID: UInt64 = 0
    /// Whether the next stream begins with the present state.
    package var beginsWithState = false
    package var createdMs: Int64 = 0
    package var acquiredMs: Int64 = 0
    package var acknowledgedMs: Int64 = 0
    /// How long the reader holds the consumer without an acknowledgement.
    package var leaseMs: Int64 = 0
    package var leaseEndMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Consumer", ConsumerRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "reader", &reader)
        visitor.field(2, "position", &position)
        visitor.field(3, "history_id", &historyID)
        visitor.field(4, "begins_with_state", &beginsWithState)
        visitor.field(5, "created_ms", &createdMs)
        visitor.field(6, "acquired_ms", &acquiredMs)
        visitor.field(7, "acknowledged_ms", &acknowledgedMs)
        visitor.field(8, "lease_ms", &leaseMs)
        visitor.field(9, "lease_end_ms", &leaseEndMs)
    }
}

extension ConsumerRecord {
    /// Whether the reader's lease is not over.
    ///
    /// One that ends later than the longest lease could was written before the clock was set back.
    /// It counts as over: its reader may be gone, and the next one must not wait for years.
    func isHeld(at now: Int64) -> Bool {
        leaseEndMs > now && leaseEndMs - now <= Limits.consumerLeaseMs.upperBound
    }

    /// The position in `history` that is stored; nil if it has none there.
    func position(in history: History) -> Int64? {
        beginsWithState || historyID != history.id ? nil : position
    }

    /// How many events the feed has after the position.
    package func waitingEvents(of feed: FeedState, in history: History) -> Int64 {
        max(0, feed.position - (position(in: history) ?? 0))
    }

    /// Whether a stream of the app cannot go on from the position.
    package func isTrimmed(in feed: FeedState, of history: History) -> Bool {
        guard !beginsWithState else { return false }
        guard let position = position(in: history) else { return true }
        return position < feed.trimmedTo || position > feed.position
    }
}

/// The number of the newest reader of an app's consumers.
package struct ConsumersRecord: CodedMessage, Equatable {
    package var lastReader: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Consumers", ConsumersRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "last_reader", &lastReader)
    }
}
