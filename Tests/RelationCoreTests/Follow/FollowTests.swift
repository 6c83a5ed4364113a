import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct FollowTests {
    private static let users: [UserID] = ["A", "B", "C", "D"]

    private func world(_ edit: (inout AppSettings) -> Void = { _ in }) throws -> World {
        var settings = AppSettings.tim
        edit(&settings)
        let world = try World(settings: settings)
        try world.create(Self.users)
        return world
    }

    private func expectWhole(_ world: World) throws {
        #expect(try Audit(world, Self.users).findings == [])
        #expect(try world.integrity() == [])
    }

    private func relation(_ one: UserID, _ other: UserID, _ world: World) throws -> FollowRelation?
    {
        try world.read { (transaction) throws(StorageError) in
            try Follows.check([other], of: one, app: world.app, in: transaction)[0]
        }
    }

    private func users(_ list: FollowList, of user: UserID, _ world: World) throws -> [UserID] {
        try world.follows(list, of: user).map(\.user)
    }

    @Test func aCountOfFollowingsThatIsTooLowStopsNoUnfollow() throws {
        let world = try world()
        #expect(try world.follow("A", "B") == .success)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try ledger.changeUserRecord(of: "A") { $0.followingCount = 0 }
        }
        #expect(try world.integrity() != [])
        #expect(try world.unfollow("A", "B") == .success)
        try expectWhole(world)
    }

    // MARK: The ladder

    @Test func theFirstRungThatAppliesIsTheAnswer() throws {
        let world = try world {
            $0.limits.followings = 1
            $0.limits.followers = 1
        }
        #expect(try world.follow("A", "B") == .success)
        #expect(try world.follow("A", "A") == Outcome(.invalidParameter, Reason.FollowAdd.oneself))
        #expect(try world.follow("A", "ghost").code == .accountNotFound)
        // A follow that exists needs no room, and is not a change.
        #expect(try world.follow("A", "B") == .unchanged)
        // Both lists are full, and the answer names the caller's own.
        #expect(try world.follow("C", "D") == .success)
        #expect(try world.follow("A", "D").code == .followingFull)
        #expect(try world.follow("B", "D").code == .followersFull)
        #expect(try world.unfollow("C", "D") == .success)
        #expect(try world.unfollow("C", "D") == .unchanged)
        #expect(try world.follow("B", "D") == .success)
        #expect(
            try world.unfollow("A", "A") == Outcome(.invalidParameter, Reason.FollowDelete.oneself))
        #expect(try world.unfollow("A", "ghost").code == .accountNotFound)
        try expectWhole(world)
    }

    @Test func mutualFollowsHaveALimitOfTheirOwnIfTheAppWants() throws {
        let world = try world { $0.limits.mutualFollows = 1 }
        for (one, other) in [("A", "B"), ("B", "A"), ("C", "A"), ("A", "D")] as [(UserID, UserID)] {
            #expect(try world.follow(one, other) == .success)
        }
        #expect(
            try world.follow("A", "C")
                == Outcome(.selfMutualFull, Reason.FollowAdd.selfMutualFull))
        #expect(
            try world.follow("D", "A")
                == Outcome(.theirMutualFull, Reason.FollowAdd.theirMutualFull))
        // One direction is not a mutual follow.
        #expect(try world.follow("D", "C") == .success)
        try expectWhole(world)
    }

    @Test func theLimitOfATimAppIsThatOfTheSource() throws {
        let world = try World("A", "last")
        let others = (0..<5_000).map { UserID(stored: "u\($0)".utf8) }
        try world.create(others)
        try world.call(by: "A") { (ledger) throws(StorageError) in
            for other in others {
                #expect(try FollowRules.follow("A", other, in: ledger) == .success)
            }
        }
        #expect(try world.follow("A", "last").code == .followingFull)
        #expect(try world.unfollow("A", others[7]) == .success)
        #expect(try world.follow("A", "last") == .success)
        #expect(try world.followCounts("A")?.following == 5_000)
    }

    // MARK: Lists and relations

    @Test func theNewestFollowComesFirst() throws {
        let world = try world()
        #expect(try world.follow("A", "B") == .success)
        world.advance(milliseconds: 5)
        #expect(try world.follow("A", "D") == .success)
        #expect(try world.follow("A", "C") == .success)
        // Follows of one millisecond come in the descending order of the ids.
        #expect(try users(.following, of: "A", world) == ["D", "C", "B"])
        world.advance(milliseconds: 5)
        #expect(try world.follow("B", "A") == .success)
        #expect(try world.follow("D", "A") == .success)
        #expect(try users(.followers, of: "A", world) == ["D", "B"])
        #expect(try users(.mutual, of: "A", world) == ["D", "B"])
        #expect(try world.follows(.mutual, of: "B").map(\.timeMs) == [World.start + 10])
        let first = try world.follows(.following, of: "A", limit: 1)
        #expect(try world.follows(.following, of: "A", after: first[0], limit: 1)[0].user == "C")
        try expectWhole(world)
    }

    @Test func aPairHasOneOfFourRelations() throws {
        let world = try world()
        #expect(try relation("A", "B", world) == FollowRelation.none)
        #expect(try world.follow("A", "B") == .success)
        #expect(try relation("A", "B", world) == .following)
        #expect(try relation("B", "A", world) == .followedBy)
        #expect(try world.follow("B", "A") == .success)
        #expect(try relation("A", "B", world) == .mutual)
        #expect(try relation("A", "A", world) == FollowRelation.none)
        #expect(try relation("A", "ghost", world) == nil)
        let counts = try #require(try world.followCounts("A"))
        #expect((counts.followers, counts.following, counts.mutual) == (1, 1, 1))
        #expect(try world.followCounts("ghost") == nil)
        #expect(try world.unfollow("A", "B") == .success)
        #expect(try relation("A", "B", world) == .followedBy)
        #expect(try world.followCounts("B")?.mutual == 0)
        try expectWhole(world)
    }

    // MARK: Events

    /// The user's events about follows: each with the user, the relation, and whether it begins.
    private func notified(_ user: UserID, _ world: World) throws -> [String] {
        try world.events(of: user).flatMap { event in
            event.items.compactMap { item in
                guard let relation = item.followRelation else { return nil }
                let sign = item.follow == nil ? "-" : "+"
                let list = event.kind == .followingChanged ? "following" : "followers"
                return "\(list) \(sign)\(item.userID) \(relation)"
            }
        }
    }

    @Test func bothUsersLearnOfAFollow() throws {
        let world = try world()
        #expect(try world.follow("A", "B") == .success)
        #expect(try world.follow("B", "A") == .success)
        #expect(try world.unfollow("A", "B") == .success)
        #expect(
            try notified("A", world) == [
                "following +B .following", "followers +B .mutual", "following -B .followedBy",
            ])
        #expect(
            try notified("B", world) == [
                "followers +A .followedBy", "following +A .mutual", "followers -A .following",
            ])
        let item = try #require(try world.events(of: "B").first?.items.first)
        #expect(item.follow?.userID == "A" && item.follow?.followTimeMs == World.start)
        try expectWhole(world)
    }

    // MARK: Blacklists

    /// The makers of the events of `user` since `sequence`, by their kinds.
    private func makers(
        _ user: UserID, since sequence: Int64, _ world: World
    ) throws -> [ChangeKind: String] {
        Dictionary(
            uniqueKeysWithValues: try world.events(of: user, after: sequence).map { event in
                (event.kind, "\(event.actorUserID) \(event.deviceID) \(event.requestID)")
            })
    }

    @Test func theEndOfAFollowByABlacklistNamesNoCallToTheFollower() throws {
        let world = try world()
        for (one, other) in [("A", "B"), ("B", "A")] as [(UserID, UserID)] {
            #expect(try world.follow(one, other) == .success)
        }
        world.makeFriends("A", "B")
        let before = try [("A" as UserID), "B"].map { user in
            try world.userRecord(of: user)?.sequence ?? 0
        }
        try world.call(by: "A", device: "phone", requestID: "r1") { (ledger) throws(StorageError) in
            #expect(try Blacklist.add("B", to: "A", in: ledger) == .success)
        }
        let events = try makers("B", since: before[1], world)
        #expect(events[.followingChanged] == "  ")
        // The others are as after an unfollow, and after the deletion of a friend on both sides.
        #expect(events[.followersChanged] == "A phone r1")
        #expect(events[.deleteFriend] == "A phone r1")
        // The devices of the user that blocks know their own calls.
        let own = try makers("A", since: before[0], world)
        #expect(own.count == 4 && Set(own.values) == ["A phone r1"])
        try expectWhole(world)
    }

    @Test func theEndOfAFollowByTheFollowerNamesTheFollower() throws {
        let world = try world()
        #expect(try world.follow("B", "A") == .success)
        #expect(try world.block("A", by: "B") == .success)
        let events = try world.events(of: "B").filter { $0.kind == .followingChanged }
        #expect(events.map(\.actorUserID) == ["B", "B"])
    }

    @Test(arguments: [false, true])
    func aBlacklistEndsFollowsInBothDirections(_ keepsFriendships: Bool) throws {
        let world = try world { $0.keepsFriendshipOnBlacklist = keepsFriendships }
        for (one, other) in [("A", "B"), ("B", "A"), ("C", "A")] as [(UserID, UserID)] {
            #expect(try world.follow(one, other) == .success)
        }
        #expect(try world.block("B", by: "A") == .success)
        #expect(try relation("A", "B", world) == FollowRelation.none)
        #expect(try relation("C", "A", world) == .following)
        #expect(
            try notified("B", world).suffix(2) == [
                "followers -A .following", "following -A .none",
            ])
        #expect(try world.follow("A", "B").code == .inSelfBlacklist)
        #expect(try world.follow("B", "A") == .followBlocked)
        #expect(try world.unblock("B", by: "A") == .success)
        #expect(try relation("A", "B", world) == FollowRelation.none)
        try expectWhole(world)
    }

    @Test func aUserLearnsOfABlockOnlyByAnAttemptInEarnest() throws {
        let world = try world { $0.limits.followings = 1 }
        #expect(try world.block("A", by: "B") == .success)
        let asked: [(BlockDisclosure, FollowOutcome, Bool)] = [
            (.first, .followBlocked, false), (.last, .followBlocked, false),
            (.never, .success, true),
        ]
        for (disclosure, outcome, isOverlooked) in asked {
            try world.call(by: "A") { (ledger) throws(StorageError) in
                ledger.blocks = disclosure
                #expect(try FollowRules.follow("A", "B", in: ledger) == outcome)
                #expect(ledger.hasOverlookedBlock == isOverlooked)
            }
            // A call would take back what comes of an overlooked block.
            #expect(try world.unfollow("A", "B").isAcceptable)
        }
        // Where the caller's own list is full, a block does not show.
        #expect(try world.follow("A", "C") == .success)
        try world.call(by: "A") { (ledger) throws(StorageError) in
            ledger.blocks = .last
            #expect(try FollowRules.follow("A", "B", in: ledger).code == .followingFull)
        }
        try expectWhole(world)
    }

    // MARK: Deletion

    @Test func aDeletedAccountLeavesNoFollow() throws {
        let world = try world()
        let fans = (0..<300).map { UserID(stored: "fan\($0)".utf8) }
        try world.create(fans)
        for fan in fans { #expect(try world.follow(fan, "A") == .success) }
        #expect(try world.follow("A", fans[3]) == .success)
        #expect(try world.follow("A", "B") == .success)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try AccountDeletion.start("A", in: ledger)
        }
        var steps = 0
        while try !world.stepJob() { steps += 1 }
        #expect(steps > 2, "it was not done in steps")
        for fan in fans { #expect(try world.followCounts(fan)?.following == 0) }
        #expect(try notified(fans[3], world).suffix(1) == ["following -A .none"])
        #expect(try world.followCounts("B")?.followers == 0)
        try world.create(["A"])
        #expect(try world.follows(.followers, of: "A").isEmpty)
        #expect(try world.follow("B", "A") == .success)
        #expect(try Audit(world, Self.users + fans).findings == [])
    }

    @Test func aCheckLooksAtManyFollowersInParts() throws {
        let world = try World("A")
        let fans = (0...CoreLimits.followersPerCheck).map { UserID(stored: "fan\($0)".utf8) }
        try world.create(fans)
        for fan in fans { #expect(try world.follow(fan, "A") == .success) }
        // One user in the index does not follow any more, and no counter knows it.
        let last = try #require(try world.follows(.followers, of: "A").last)
        try world.set(Tables.follows, nil, of: last.user, "A")
        var walk = IntegrityWalk(world.app)
        var parts: [FollowersCheck.Part] = []
        var stops = 0
        try world.read { (transaction) throws(StorageError) in
            while let part = try walk.next(in: transaction) {
                guard case .followers("A", let found) = part else { continue }
                parts.append(found)
                if walk.isBetweenUsers { stops += 1 }
            }
        }
        #expect(parts.count == 2 && stops == 1)
        let part = try #require(parts.first { !$0.findings.isEmpty })
        #expect(parts.flatMap(\.strays).map(\.user) == [last.user])
        #expect(parts.allSatisfy { $0.missing == 0 })
        // Another user follows in the meantime.
        try world.create(["late"])
        #expect(try world.follow("late", "A") == .success)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            let repaired = try FollowersCheck.repair(part, of: "A", in: ledger)
            #expect(repaired == part.findings)
        }
        #expect(try world.followCounts("A")?.followers == Int64(fans.count))
        #expect(try world.follows(.followers, of: "A").count == fans.count)
    }
}
