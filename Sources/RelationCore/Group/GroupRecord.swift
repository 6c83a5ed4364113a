package import Protobuf

/// A friend group of one user.
///
/// The rows of its members name it too.
package struct GroupRecord: CodedMessage, Equatable {
    /// The group's number among its owner's groups, which are listed in this order.
    package var number: UInt32 = 0
    package var memberCount: UInt32 = 0
    package var createdMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Group", GroupRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "number", &number)
        visitor.field(2, "member_count", &memberCount)
        visitor.field(3, "created_ms", &createdMs)
    }
}
