import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The users from whom the presence of another one is hidden.
@Suite struct PresenceRulesTests {
    private func areHidden(
        _ users: [UserID], from viewer: UserID, in world: World
    ) throws -> [Bool] {
        try world.read { (transaction) throws(StorageError) in
            try PresenceRules.areHidden(
                users, from: viewer, at: world.now, app: world.app, in: transaction)
        }
    }

    private func isHidden(_ user: UserID, from viewer: UserID, in world: World) throws -> Bool {
        try areHidden([user], from: viewer, in: world)[0]
    }

    /// The friend is in the owner's list, and the owner is not in that of the friend.
    @Test(arguments: [
        (Visibility.notSet, []), (.everyone, []), (.friends, ["follower", "stranger"]),
        (.followers, ["friend", "stranger"]), (.invisible, ["friend", "follower", "stranger"]),
    ])
    func presenceFollowsTheChoiceForTheWholeProfile(
        _ choice: Visibility, _ outside: [UserID]
    ) throws {
        let world = try World("A", "friend", "follower", "stranger")
        #expect(try world.importFriend("friend", of: "A") == .success)
        #expect(try world.follow("follower", "A").code == .success)
        _ = try world.show("A", to: choice)
        let viewers: [UserID] = ["friend", "follower", "stranger"]
        let hidden = try viewers.filter { try isHidden("A", from: $0, in: world) }
        #expect(hidden == outside)
        #expect(try !isHidden("A", from: "A", in: world))
    }

    @Test(arguments: [Visibility.friends, .followers, .invisible])
    func thoseThatAreNotifiedSeeWhatOthersDoNot(_ choice: Visibility) throws {
        let world = try World("A", "has", "subscribes", "blocked")
        _ = try world.show("A", to: choice)
        #expect(try isHidden("A", from: "has", in: world))
        #expect(try world.importFriend("A", of: "has") == .success)
        #expect(try !isHidden("A", from: "has", in: world))
        #expect(try isHidden("A", from: "subscribes", in: world))
        #expect(try world.subscribe("subscribes", to: "A") == .success)
        #expect(try !isHidden("A", from: "subscribes", in: world))
        #expect(try world.subscribe("blocked", to: "A") == .success)
        #expect(try world.block("blocked", by: "A") == .success)
        #expect(try isHidden("A", from: "blocked", in: world))
    }

    /// Each user has its own answer, also where some users are read further than others.
    @Test func severalUsersAreJudgedOneByOne() throws {
        let world = try World("V", "open", "friends", "mine", "followers", "none", "blocks")
        _ = try world.show("friends", to: .friends)
        _ = try world.show("mine", to: .friends)
        #expect(try world.importFriend("V", of: "mine") == .success)
        _ = try world.show("followers", to: .followers)
        #expect(try world.follow("V", "followers").code == .success)
        _ = try world.show("none", to: .invisible)
        #expect(try world.block("V", by: "blocks") == .success)
        let users: [UserID] = ["none", "open", "friends", "V", "blocks", "mine", "followers"]
        let hidden = try areHidden(users, from: "V", in: world)
        #expect(hidden == [true, false, true, false, true, false, false])
    }
}
