package import Protobuf
package import RelationModel

/// One user in another's friend list.
///
/// Its fields are those of the contract's `Friend`, one by one, so that a page of friends consists
/// of stored bytes that no code decodes. A test compares the two descriptions.
package struct FriendRecord: CodedMessage, Equatable {
    package var userID = ""
    package var remark = ""
    package var groups: [String] = []
    package var source = ""
    package var wording = ""
    package var addTimeMs: Int64 = 0
    package var remarkTimeMs: Int64 = 0
    /// The owner's sequence at the last change of this row.
    package var sequence: Int64 = 0
    /// The values of custom fields, in the order of their keys; no element is without a value.
    package var custom: [CustomValue] = []

    package init() {}

    package static let schema = Schema("relation.store.Friend", FriendRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "remark", &remark)
        visitor.field(3, "groups", &groups)
        visitor.field(4, "source", &source)
        visitor.field(5, "wording", &wording)
        visitor.field(6, "add_time_ms", &addTimeMs)
        visitor.field(7, "remark_time_ms", &remarkTimeMs)
        visitor.field(8, "sequence", &sequence)
        visitor.field(9, "custom", &custom)
    }
}

/// The beginning of a ``FriendRecord``, for readers that need nothing else of it.
package struct FriendNameRecord: CodedMessage, Equatable {
    package var userID = ""
    package var remark = ""

    package init() {}

    package static let schema = Schema("relation.store.FriendName", FriendNameRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "remark", &remark)
    }
}
