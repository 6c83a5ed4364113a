package import Protobuf
package import RelationAPI

/// A user of a fixture, with all that it has.
package struct DemoUser: CodedMessage {
    package var userID = ""
    package var profile: Profile?
    package var friends: [DemoFriend] = []
    /// Friend groups; those that friends name need not stand here.
    package var groups: [String] = []
    package var blacklist: [String] = []

    package init() {}

    package static let schema = Schema("relation.demo.User", DemoUser.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "profile", &profile)
        visitor.field(3, "friends", &friends)
        visitor.field(4, "groups", &groups)
        visitor.field(5, "blacklist", &blacklist)
    }
}

/// A friend of a user of a fixture.
package struct DemoFriend: CodedMessage {
    package var userID = ""
    package var remark: String?
    package var groups: [String] = []
    package var starred: Bool?
    /// Whether only the one user has the other as a friend.
    package var isOneWay = false

    package init() {}

    package static let schema = Schema("relation.demo.Friend", DemoFriend.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "remark", &remark)
        visitor.field(3, "groups", &groups)
        visitor.field(4, "starred", &starred)
        visitor.field(5, "one_way", &isOneWay)
    }

    /// The friend as an import takes it.
    package func row(of owner: String) -> FriendRow {
        var row = FriendRow()
        row.userID = owner
        row.friendUserID = userID
        row.bothWays = !isOneWay
        row.remark = remark
        row.groups = groups.isEmpty ? nil : StringList(groups)
        row.starred = starred
        return row
    }
}
