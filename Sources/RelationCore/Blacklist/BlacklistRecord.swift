package import Protobuf

/// One user on another's blacklist.
///
/// Its fields are those of the contract's `BlacklistEntry`, one by one.
package struct BlacklistRecord: CodedMessage, Equatable {
    package var userID = ""
    package var addTimeMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.BlacklistEntry", BlacklistRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "add_time_ms", &addTimeMs)
    }
}
