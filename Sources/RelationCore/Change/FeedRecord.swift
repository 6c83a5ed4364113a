package import Protobuf

/// One event in an app's feed: the user in whose log it is and its sequence there, or the event
/// itself if it is in no log.
package struct FeedRecord: CodedMessage, Equatable {
    package var userID = ""
    /// The event's sequence in the user's log; 0 if it is in no log.
    package var sequence: Int64 = 0
    /// The time at which the event was made; retention by age goes by it.
    package var timeMs: Int64 = 0
    /// The event that an account was made or deleted, which is in no user's log.
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
