package import Protobuf

/// How far the trimming of an app's events has come.
package struct RetentionRecord: Message, Equatable {
    /// No event of the feed is older than this: until it is too old itself, no lane is looked at.
    package var oldestMs: Int64 = 0
    /// The lane with which a walk over all of them goes on; 0 if none is under way.
    package var lane: UInt32 = 0
    /// The time of the oldest event that is left in the lanes before that one.
    package var walkedMs: Int64 = 0
    /// How many events a user might have when all users were looked at, and the last that was
    /// looked at if that is not over.
    package var lookedFor: Int64 = 0
    package var isLooking = false
    package var lookedAt = ""

    package init() {}

    package static let schema = Schema("relation.store.Retention", RetentionRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "oldest_ms", &oldestMs)
        visitor.field(2, "lane", &lane)
        visitor.field(3, "walked_ms", &walkedMs)
        visitor.field(4, "looked_for", &lookedFor)
        visitor.field(5, "is_looking", &isLooking)
        visitor.field(6, "looked_at", &lookedAt)
    }
}
