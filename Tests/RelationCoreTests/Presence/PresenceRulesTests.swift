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
                users, from: viewer, app: world.app, in: transaction)
        }
    }

    private func isHidden(_ user: UserID, from viewer: UserID, in world: World) throws -> Bool {
        try areHidden([user], from: viewer, in: world)[0]
    }

    /// The friend is in the owner's list, and the owner is not in that of the friend.
    @Test(arguments: [
        (Visibility.notSet, []), (.everyone, []), (.friends, ["follower", "unrelated"]),
        (.followers, ["friend", "unrelated"]), (.invisible, ["friend", "follower", "unrelated"]),
    ])
    func presenceFollowsTheChoiceForTheWholeProfile(
        _ choice: Visibility, _ outside: [UserID]
    ) throws {
        let world = try World("A", "friend", "follower", "unrelated")
        #expect(try world.importFriend("friend", of: "A") == .success)
        #expect(try world.follow("follower", "A").code == .success)
        _ = try world.show("A", to: choice)
        let viewers: [UserID] = ["friend", "follower", "unrelated"]
        let hidden = try viewers.filter { try isHidden("A", from: $0, in: world) }
        #expect(hidden == outside)
        #expect(try !isHidden("A", from: "A", in: world))
    }

    @Test(arguments: [Visibility.friends, .followers, .invisible])
    func aFriendshipOpensPresenceAndASubscriptionDoesNot(_ choice: Visibility) throws {
        let world = try World("A", "has", "subscribes", "blocked")
        _ = try world.show("A", to: choice)
        #expect(try isHidden("A", from: "has", in: world))
        #expect(try world.importFriend("A", of: "has") == .success)
        #expect(try !isHidden("A", from: "has", in: world))
        #expect(try world.subscribe("subscribes", to: "A") == .success)
        #expect(try isHidden("A", from: "subscribes", in: world))
        #expect(try world.importFriend("A", of: "blocked") == .success)
        #expect(try world.block("blocked", by: "A") == .success)
        #expect(try isHidden("A", from: "blocked", in: world))
    }

    /// A presence that a call hides is in no event either.
    @Test(arguments: [
        (Visibility.notSet, ["has", "friend", "follower", "unrelated"]),
        (.everyone, ["has", "friend", "follower", "unrelated"]), (.friends, ["has", "friend"]),
        (.followers, ["has", "follower"]), (.invisible, ["has"]),
    ])
    func thoseWhoMaySeeItAreNotified(_ choice: Visibility, _ notified: [UserID]) throws {
        let world = try World("A", "has", "friend", "follower", "unrelated", "blocked", "other")
        #expect(try world.importFriend("A", of: "has") == .success)
        #expect(try world.importFriend("friend", of: "A") == .success)
        #expect(try world.follow("follower", "A").code == .success)
        let subscribers: [UserID] = ["friend", "follower", "unrelated", "blocked"]
        for user in subscribers { #expect(try world.subscribe(user, to: "A") == .success) }
        #expect(try world.block("blocked", by: "A") == .success)
        _ = try world.show("A", to: choice)
        let all: [UserID] = ["A", "has", "other"] + subscribers
        let watched = ProfileSubscribers.Watched(
            count: all.count, contains: { all.contains($0) }, all: { all })
        let receivers = try world.read { (transaction) throws(StorageError) in
            try PresenceSubscribers.users(
                of: "A", among: watched, at: world.now, app: world.app, in: transaction)
        }
        #expect(Set(receivers) == Set(notified))
        #expect(receivers.count == notified.count)
        for viewer in all where viewer != "A" && viewer != "other" {
            let isHidden = try isHidden("A", from: viewer, in: world)
            #expect(isHidden != notified.contains(viewer))
        }
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
