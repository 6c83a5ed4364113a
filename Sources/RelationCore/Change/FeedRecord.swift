package import Protobuf

/// One event in an app's feed: whose log holds it, and at which sequence; or the event itself, if
/// it is in nobody's log.
package struct FeedRecord: Message, Equatable {
    package var userID = ""
    /// The event's sequence in the user's log; 0 for one that is in none.
    package var sequence: Int64 = 0
    /// When it was made: what retention by age goes by.
    package var timeMs: Int64 = 0
    /// That an account was made, or is none any more: no log is there to tell of it.
    package var event: ChangeRecord?

    package init() {}

    package static let schema = Schema("relation.store.Feed", FeedRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "sequence", &sequence)
        visitor.field(3, "time_ms", &timeMs)
        visitor.field(4, "event", &event)
    }
}
