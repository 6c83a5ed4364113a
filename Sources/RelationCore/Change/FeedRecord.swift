package import Protobuf

/// The events of one call in an app's feed, in the order of their positions, which follow one
/// another.
///
/// The row's key is the position of the last of them. So the rows after a position begin with the
/// one that holds the next event.
package struct FeedRecord: CodedMessage, Equatable {
    /// Whether some of the events are in no log.
    package var hasOwnEvents = false
    /// The time at which the events were made; retention by age goes by it.
    package var timeMs: Int64 = 0
    package var events: [FeedEventRecord] = []
    /// Whether the row was written again without the events of an erased user: it tells nothing
    /// new.
    package var isRewritten = false
    /// The administrator of TIM's REST API who made the call; empty without one.
    package var administrator = ""
    /// Whether the call added friends by force.
    package var isForced = false
    /// Whether the call answered applications.
    package var isResponse = false

    package init() {}

    package static let schema = Schema("relation.store.Feed", FeedRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "has_own_events", &hasOwnEvents)
        visitor.field(2, "time_ms", &timeMs)
        visitor.field(3, "events", &events)
        visitor.field(4, "is_rewritten", &isRewritten)
        visitor.field(120, "administrator", &administrator)
        visitor.field(121, "is_forced", &isForced)
        visitor.field(122, "is_response", &isResponse)
    }

    /// The caller; nil if the row does not name one.
    package var caller: FeedCaller? {
        guard !administrator.isEmpty || isForced || isResponse else { return nil }
        return FeedCaller(
            administrator: administrator, isForced: isForced, isResponse: isResponse)
    }

    /// The encoding of a row that only names events of logs, as the codec would write it.
    ///
    /// - Parameter isResponse: Whether the call answered applications, which the row tells too.
    static func encoding(
        naming events: [FeedEventRecord], at timeMs: Int64, isResponse: Bool = false
    ) -> EncodedFields {
        var fields = EncodedFields()
        fields.reserve(16 + events.reduce(0) { $0 + $1.userID.utf8.count + 20 })
        fields.append(2, timeMs)
        for event in events {
            let length =
                EncodedFields.bytes(ofField: event.userID) + 1
                + EncodedFields.bytes(of: UInt64(bitPattern: event.sequence))
            fields.appendPrefix(3, length: length)
            fields.append(1, event.userID)
            fields.append(2, event.sequence)
        }
        fields.append(122, isResponse ? 1 : 0)
        return fields
    }

    /// Whether an encoded row has events that are in no log; only its first field is looked at.
    static func hasOwnEvents(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var walk = FieldWalk(bytes)
        guard case (1, .varint(let value))? = try? walk.next() else { return false }
        return value != 0
    }

    /// Whether an encoded row has events that are in no log, and in no row before.
    static func hasUnloggedEvents(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard hasOwnEvents(bytes) else { return false }
        var walk = FieldWalk(bytes)
        while let field = try? walk.next() {
            if case (4, .varint(let value)) = field { return value == 0 }
        }
        return true
    }

    /// Whether this row is `old`, or what an erasure has left of it.
    package func isLeft(of old: FeedRecord) -> Bool {
        timeMs == old.timeMs && events.count == old.events.count
            && zip(events, old.events).allSatisfy { $0 == $1 || $0.isErased }
    }

    /// The events with their positions, in a row whose key is `last`.
    package func entries(endingAt last: Int64) -> [(position: Int64, event: FeedEventRecord)] {
        let first = last - Int64(events.count) + 1
        return events.enumerated().map { (first + Int64($0.offset), $0.element) }
    }
}

/// One event in an app's feed: the user in whose log it is and its sequence there, or the event
/// itself if it is in no log.
package struct FeedEventRecord: CodedMessage, Equatable {
    package var userID = ""
    /// The event's sequence in the user's log; 0 if it is in no log.
    package var sequence: Int64 = 0
    /// The event that an account was made or deleted, which is in no user's log.
    package var event: ChangeRecord?

    package init() {}

    /// Whether the event was erased: its position and its sequence are all that is left.
    package var isErased: Bool { userID.isEmpty }

    package static let schema = Schema("relation.store.FeedEvent", FeedEventRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "sequence", &sequence)
        visitor.field(3, "event", &event)
    }
}
