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
        let paths = [("users", users)] + apps.enumerated().map { ("apps[\($0)].users", $1.users) }
        let count = paths.reduce(0) { $0 + $1.1.count }
        guard count <= DemoLimits.users else {
            throw FixtureError(
                words: "users: has \(count), and at most \(DemoLimits.users) are taken")
        }
        for (path, users) in paths { try Self.check(users, at: path) }
    }

    private static func check(_ users: [DemoUser], at path: String) throws(FixtureError) {
        var ids: Set<String> = []
        for (index, user) in users.enumerated() {
            let path = "\(path)[\(index)]"
            guard !user.userID.isEmpty else {
                throw FixtureError(words: "\(path).user_id: is missing")
            }
            guard ids.insert(user.userID).inserted else {
                throw FixtureError(words: "\(path).user_id: another user has it")
            }
            if let other = user.profile?.userID, !other.isEmpty {
                throw FixtureError(words: "\(path).profile.user_id: stands beside the profile")
            }
        }
        // An import of friends refuses such a row too, but names it by a number.
        for (index, user) in users.enumerated() {
            for (row, friend) in user.friends.enumerated() where !ids.contains(friend.userID) {
                throw FixtureError(
                    words: "\(path)[\(index)].friends[\(row)].user_id: the fixture has no such "
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
