import Memory
package import Protobuf
package import RelationAPI
package import RelationModel

/// The contents with which a demo begins: apps, each with its users and all that they have.
///
/// It is read from JSON, in which the parts that the contract knows have its names and forms.
package struct DemoFixture: CodedMessage {
    /// The users of app 1, which every store has.
    package var users: [DemoUser] = []
    package var apps: [DemoApp] = []

    package init() {}

    package static let schema = Schema("relation.demo.Fixture", DemoFixture.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "users", &users)
        visitor.field(2, "apps", &apps)
    }

    /// Why a text is not a fixture, with the path of the field.
    package struct FixtureError: Error, Equatable {
        package let words: String
    }

    /// The fixture that a JSON text is.
    package init(json: String) throws(FixtureError) {
        do throws(CodecError) {
            self = try Arena.temporary { (arena) throws(CodecError) in
                try DemoFixture(json: json, arena)
            }
        } catch {
            throw FixtureError(words: error.message)
        }
        try check()
    }

    private func check() throws(FixtureError) {
        guard apps.count <= DemoLimits.apps else {
            throw FixtureError(
                words: "apps: has \(apps.count), and at most \(DemoLimits.apps) are taken")
        }
        var names: Set<String> = []
        for (index, app) in apps.enumerated() {
            guard !app.name.isEmpty else {
                throw FixtureError(words: "apps[\(index)].name: is missing")
            }
            guard names.insert(app.name).inserted else {
                throw FixtureError(words: "apps[\(index)].name: another app has it")
            }
        }
        let places = [("users", users)] + apps.enumerated().map { ("apps[\($0)].users", $1.users) }
        let count = places.reduce(0) { $0 + $1.1.count }
        guard count <= DemoLimits.users else {
            throw FixtureError(
                words: "users: has \(count), and at most \(DemoLimits.users) are taken")
        }
        for (place, users) in places { try Self.check(users, at: place) }
    }

    private static func check(_ users: [DemoUser], at place: String) throws(FixtureError) {
        var ids: Set<String> = []
        for (index, user) in users.enumerated() {
            let place = "\(place)[\(index)]"
            guard !user.userID.isEmpty else {
                throw FixtureError(words: "\(place).user_id: is missing")
            }
            guard ids.insert(user.userID).inserted else {
                throw FixtureError(words: "\(place).user_id: another user has it")
            }
            if let other = user.profile?.userID, !other.isEmpty {
                throw FixtureError(words: "\(place).profile.user_id: stands beside the profile")
            }
        }
        // An import of friends refuses such a row too, but names it by a number.
        for (index, user) in users.enumerated() {
            for (row, friend) in user.friends.enumerated() where !ids.contains(friend.userID) {
                throw FixtureError(
                    words: "\(place)[\(index)].friends[\(row)].user_id: the fixture has no such "
                        + "user")
            }
        }
    }
}

/// An app of a fixture.
package struct DemoApp: CodedMessage {
    package var name = ""
    package var preset = AppPreset.unspecified
    package var settings: AppSettingsMessage?
    package var users: [DemoUser] = []

    package init() {}

    package static let schema = Schema("relation.demo.App", DemoApp.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "preset", &preset)
        visitor.field(3, "settings", &settings)
        visitor.field(4, "users", &users)
    }
}

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
