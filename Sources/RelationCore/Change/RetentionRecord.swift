package import Protobuf

/// How far the trimming of an app's events has come.
package struct RetentionRecord: CodedMessage, Equatable {
    /// No event of the feed is older than this.
    ///
    /// No lane is read before this time is too old itself.
    package var oldestMs: Int64 = 0
    /// The lane with which a walk over all lanes goes on; 0 if no walk is under way.
    package var lane: UInt32 = 0
    /// The time of the oldest event that is left in the lanes before `lane`.
    package var walkedMs: Int64 = 0
    /// The number of events that a user was allowed at the last check of all users.
    package var lookedFor: Int64 = 0
    /// Whether a check of all users is under way.
    package var isLooking = false
    /// The last user that the present check has reached.
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
