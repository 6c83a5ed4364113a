package import Protobuf
package import RelationModel

/// A user that another does not want as a suggestion any more.
///
/// Its fields are those of the contract's `DismissedSuggestion`, one by one.
package struct DismissalRecord: CodedMessage, Equatable {
    /// The dismissed user.
    package var userID = ""
    package var dismissTimeMs: Int64 = 0

    package init() {}

    package init(_ user: UserID, at timeMs: Int64) {
        userID = user.text
        dismissTimeMs = timeMs
    }

    package static let schema = Schema("relation.store.DismissedSuggestion", DismissalRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "dismiss_time_ms", &dismissTimeMs)
    }
}
