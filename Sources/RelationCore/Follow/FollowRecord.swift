package import Protobuf

/// One user that another follows.
///
/// Its fields are those of the contract's `FollowEntry`, one by one.
package struct FollowRecord: CodedMessage, Equatable {
    /// The user on the other side.
    package var userID = ""
    package var followTimeMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.FollowEntry", FollowRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "follow_time_ms", &followTimeMs)
    }
}

/// The numbers of a user's followers, and of its mutual follows.
///
/// They stand beside the user record, because an import writes follows of users whose account comes
/// later.
package struct FollowCountRecord: CodedMessage, Equatable {
    package var followers: UInt32 = 0
    package var mutual: UInt32 = 0

    package init() {}

    package static let schema = Schema("relation.store.FollowCount", FollowCountRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "followers", &followers)
        visitor.field(2, "mutual", &mutual)
    }
}
