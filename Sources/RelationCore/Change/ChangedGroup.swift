package import Protobuf

/// The part of an event about a friend group.
///
/// Its fields are those of the contract's `FriendGroup`, one by one.
package struct ChangedGroup: CodedMessage, Equatable {
    package var name = ""
    package var memberCount: Int32 = 0
    package var createTimeMs: Int64 = 0

    package init() {}

    package init(_ name: String, _ record: GroupRecord) {
        self.name = name
        memberCount = Int32(clamping: record.memberCount)
        createTimeMs = record.createdMs
    }

    package static let schema = Schema("relation.store.ChangedGroup", ChangedGroup.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "member_count", &memberCount)
        visitor.field(3, "create_time_ms", &createTimeMs)
    }
}
