import RelationAPI
import RelationModel
import Testing

@testable import RelationService

/// The contents with which a demo begins.
struct DemoFixtureTests {
    @Test func aFixtureHasUsersAndAppsWithAllThatTheyHave() throws {
        let fixture = try DemoFixture(
            json: """
                {"users": [{"userId": "ann"}],
                 "apps": [{"name": "chat", "preset": "APP_PRESET_RONGCLOUD", "users": [
                   {"user_id": "bob",
                    "profile": {"nick": "Bob", "allow_type": "ALLOW_TYPE_DENY_ANY"},
                    "friends": [{"user_id": "carl", "remark": "C", "groups": ["work"],
                                 "starred": true}],
                    "groups": ["empty"], "blacklist": ["dora"]},
                   {"user_id": "carl", "friends": [{"user_id": "bob", "one_way": true}]}]}]}
                """)
        #expect(fixture.users.map(\.userID) == ["ann"])
        let app = try #require(fixture.apps.first)
        #expect(app.name == "chat")
        #expect(app.preset == .rongCloud)
        let bob = try #require(app.users.first)
        #expect(bob.profile?.nick == "Bob")
        #expect(bob.groups == ["empty"])
        #expect(bob.blacklist == ["dora"])
        let row = try #require(bob.friends.first?.row(of: "bob"))
        #expect(row.userID == "bob" && row.friendUserID == "carl" && row.bothWays)
        #expect(row.remark == "C" && row.groups?.values == ["work"] && row.starred == true)
        #expect(try #require(app.users.last?.friends.first).row(of: "carl").bothWays == false)
    }

    @Test(arguments: [
        (#"{"apps": [{}]}"#, "apps[0].name: is missing"),
        (#"{"apps": [{"name": "a"}, {"name": "a"}]}"#, "apps[1].name: another app has it"),
        (#"{"users": [{}]}"#, "users[0].user_id: is missing"),
        (
            #"{"apps": [{"name": "a", "users": [{"user_id": "b"}, {"user_id": "b"}]}]}"#,
            "apps[0].users[1].user_id: another user has it"
        ),
        (
            #"{"users": [{"user_id": "a", "profile": {"user_id": "a"}}]}"#,
            "users[0].profile.user_id: stands beside the profile"
        ),
        (
            #"{"users": [{"user_id": "a", "friends": [{"user_id": "b"}]}]}"#,
            "users[0].friends[0].user_id: the fixture has no such user"
        ),
    ])
    func aFixtureThatCannotBeNamesTheField(_ json: String, _ words: String) {
        #expect(throws: DemoFixture.FixtureError(words: words)) { try DemoFixture(json: json) }
    }

    @Test func aTextThatIsNoFixtureNamesTheField() throws {
        let error = try #require(throws: DemoFixture.FixtureError.self) {
            try DemoFixture(json: #"{"users": [{"user_id": "a", "frends": []}]}"#)
        }
        #expect(error.words.contains("users[0]") && error.words.contains("frends"))
        #expect(throws: DemoFixture.FixtureError.self) { try DemoFixture(json: "ann, bob") }
    }

    @Test func aFixtureHasItsBounds() throws {
        func apps(_ count: Int) -> String {
            let apps = (0..<count).map { #"{"name": "\#($0)"}"# }.joined(separator: ",")
            return "{\"apps\": [\(apps)]}"
        }
        func users(_ count: Int) -> String {
            let users = (0..<count).map { #"{"user_id": "\#($0)"}"# }.joined(separator: ",")
            return "{\"users\": [\(users)]}"
        }
        #expect(try DemoFixture(json: apps(DemoLimits.apps)).apps.count == DemoLimits.apps)
        #expect(throws: DemoFixture.FixtureError.self) {
            try DemoFixture(json: apps(DemoLimits.apps + 1))
        }
        #expect(try DemoFixture(json: users(DemoLimits.users)).users.count == DemoLimits.users)
        #expect(throws: DemoFixture.FixtureError.self) {
            try DemoFixture(json: users(DemoLimits.users + 1))
        }
    }

    @Test func theSampleIsAFixtureWithNicknamesAndPortraits() {
        let users = DemoFixture.sample.users
        let ids = Set(users.map(\.userID))
        #expect(ids.count == users.count && users.count == 24)
        for user in users {
            #expect(user.profile?.nick.lowercased() == user.userID)
            let portrait = user.profile?.faceURL ?? ""
            #expect(portrait.hasPrefix("data:image/svg+xml,") && portrait.utf8.count <= 500)
            #expect(user.friends.allSatisfy { ids.contains($0.userID) && $0.userID != user.userID })
        }
        // Each friendship stands once.
        let pairs = users.flatMap { user in
            user.friends.map { [user.userID, $0.userID].sorted() }
        }
        #expect(Set(pairs).count == pairs.count)
    }
}
