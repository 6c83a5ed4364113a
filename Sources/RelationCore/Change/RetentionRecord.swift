package import Protobuf

/// How far the trimming of an app's events has come.
package struct RetentionRecord: CodedMessage, Equatable {
    /// No event of the feed is older than this.
    ///
    /// The feed is not read before this time is too old itself.
    package var oldestMs: Int64 = 0
    /// When the last walk through the feed began or, once it is complete, ``oldestMs``.
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
        // Older rows may have a field 2, which is passed over: the part that a walk had reached.
        visitor.field(3, "walked_ms", &walkedMs)
        visitor.field(4, "looked_for", &lookedFor)
        visitor.field(5, "is_looking", &isLooking)
        visitor.field(6, "looked_at", &lookedAt)
    }
}
