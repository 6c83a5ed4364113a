import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct SubscriptionTests {
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

    /// The user's events about subscriptions: for each of them whether subscriptions ended by time,
    /// and the users that it names.
    private func notified(_ user: UserID, _ world: World) throws -> [String] {
        try world.events(of: user).compactMap { event in
            let users = event.items.map(\.userID).joined(separator: " ")
            return switch event.kind {
            case .subscriptionChanged: "changed \(users)"
            case .subscriptionExpired: "expired \(users)"
            default: nil
            }
        }
    }

    // MARK: The ladder

    @Test func theFirstRungThatAppliesIsTheAnswer() throws {
        let world = try world {
            $0.limits.subscriptions = 1
            $0.limits.subscribers = 1
        }
        #expect(try world.subscribe("A", to: "B") == .success)
        // A subscription to oneself is refused before anything else, and an unknown user before any
        // limit.
        #expect(try world.subscribe("A", to: "A") == .publisherInvalid)
        #expect(try world.subscribe("A", to: "ghost") == .accountNotFound)
        // Both lists are full, and the answer names the caller's own.
        #expect(try world.subscribe("C", to: "D") == .success)
        #expect(try world.subscribe("A", to: "D") == .subscriberFull)
        #expect(try world.subscribe("B", to: "D") == .publisherFull)
        // To renew a subscription needs no room.
        #expect(try world.subscribe("A", to: "B") == .success)
        try expectWhole(world)
    }

    @Test func eachTypeHasQuotasOfItsOwn() throws {
        let world = try world {
            $0.limits.subscriptions = 1
            $0.limits.subscribers = 1
        }
        #expect(try world.subscribe("A", to: "B", .onlineStatus) == .success)
        #expect(try world.subscribe("A", to: "B", .userProfile) == .success)
        #expect(try world.subscribe("A", to: "C", .userProfile) == .subscriberFull)
        #expect(try world.subscribe("C", to: "B", .userProfile) == .publisherFull)
        let userRecord = try #require(try world.userRecord(of: "A"))
        #expect(
            userRecord[subscriptions: .onlineStatus] == 1
                && userRecord[subscriptions: .userProfile] == 1)
        try expectWhole(world)
    }

    @Test func theQuotasOfATimAppAreThoseOfTheSources() throws {
        let limits = AppLimits.tim
        #expect((limits.subscriptions, limits.subscribers) == (1_000, 5_000))
        let world = try World("A", "last")
        let others = (0..<1_000).map { UserID(stored: "u\($0)".utf8) }
        try world.create(others)
        try world.call(by: "A") { (ledger) throws(StorageError) in
            for other in others {
                let outcome = try Subscriptions.subscribe(
                    "A", to: other, .onlineStatus, until: World.start + 60_000, in: ledger)
                #expect(outcome == .success)
            }
        }
        #expect(try world.subscribe("A", to: "last") == .subscriberFull)
        #expect(try world.unsubscribe("A", from: others[7]) == .success)
        #expect(try world.subscribe("A", to: "last") == .success)
    }

    @Test func fiveThousandFollowOneUserAndNoMore() throws {
        let world = try World("B", "last")
        let others = (0..<5_000).map { UserID(stored: "u\($0)".utf8) }
        try world.create(others)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for other in others {
                let outcome = try Subscriptions.subscribe(
                    other, to: "B", .userProfile, until: World.start + 60_000, in: ledger)
                #expect(outcome == .success)
            }
        }
        #expect(try world.subscribe("last", to: "B", .userProfile) == .publisherFull)
        #expect(try world.subscribers(of: "B", .userProfile).count == 5_000)
        world.advance(milliseconds: 60_000)
        #expect(try world.subscribe("last", to: "B", .userProfile) == .success)
    }

    @Test func aWriteMakesAccountsOfWhomItNamesWhereTheAppSaysSo() throws {
        let world = try world { $0.makesAccountsImplicitly = true }
        #expect(try world.subscribe("A", to: "new") == .success)
        #expect(try world.userRecord(of: "new") != nil)
        #expect(try world.unsubscribe("A", from: "newer") == .success)
        #expect(try world.userRecord(of: "newer") == nil)
    }

    @Test func aRefusalAndEndingNothingChangeNoRowEvenIfOthersHaveExpired() throws {
        let world = try world {
            $0.limits.subscriptions = 2
            $0.limits.subscribers = 1
        }
        #expect(try world.subscribe("A", to: "B", seconds: 60) == .success)
        #expect(try world.subscribe("A", to: "C", seconds: 90_000) == .success)
        world.advance(milliseconds: 60_000)
        let before = try world.everything()
        func call(
            _ body: (Ledger) throws(StorageError) -> SubscriptionOutcome
        ) throws(StorageError) -> SubscriptionOutcome {
            try world.call(by: "A", body)
        }
        let end = world.now.milliseconds + 60_000
        let full = try call { (ledger) throws(StorageError) in
            try Subscriptions.subscribe("D", to: "C", .onlineStatus, until: end, in: ledger)
        }
        #expect(full == SubscriptionOutcome(.publisherFull, Reason.Subscribe.publisherFull))
        for user: UserID in ["B", "D", "ghost"] {
            let ended = try call { (ledger) throws(StorageError) in
                try Subscriptions.unsubscribe("A", from: user, .onlineStatus, in: ledger)
            }
            #expect(ended == .unchanged, "\(user): the subscription has expired, or never was")
        }
        #expect(try world.everything() == before)
        // The expired one ends with the write that needs its room.
        #expect(try world.subscribe("A", to: "D", seconds: 90_000) == .success)
        #expect(try notified("A", world).suffix(2) == ["expired B", "changed D"])
        let kept = try world.everything()
        #expect(try world.subscribe("A", to: "B") == .subscriberFull)
        #expect(try world.everything() == kept)
        try expectWhole(world)
    }

    // MARK: Rows and events

    @Test func theSubscriberIsNotifiedAndTheFollowedUserIsNot() throws {
        let world = try world()
        #expect(try world.subscribe("A", to: "B", .userProfile, seconds: 90) == .success)
        let event = try #require(try world.events(of: "A").last)
        let item = try #require(event.items.first?.subscription)
        #expect(event.kind == .subscriptionChanged && event.items.count == 1)
        #expect(item.userID == "B" && item.subscribeType == .userProfile)
        #expect(item.subscribeTimeMs == World.start)
        #expect(item.expireTimeMs == World.start + 90_000)
        #expect(try world.events(of: "B").isEmpty)
        #expect(try world.userRecord(of: "A")?.subscriptionsSequence == 1)
        #expect(try world.subscriptions(of: "A") == [item])
    }

    @Test func renewingCountsTheTimeFromNow() throws {
        let world = try world()
        #expect(try world.subscribe("A", to: "B", seconds: 600) == .success)
        world.advance(milliseconds: 1_000)
        #expect(try world.subscribe("A", to: "B", seconds: 60) == .success)
        let records = try world.subscriptions(of: "A")
        #expect(records.map(\.subscribeTimeMs) == [World.start + 1_000])
        #expect(records.map(\.expireTimeMs) == [World.start + 61_000])
        #expect(try notified("A", world) == ["changed B", "changed B"])
        try expectWhole(world)
    }

    @Test func endingNotifiesOnceAndEndingNothingNotifiesNoUser() throws {
        let world = try world()
        #expect(try world.subscribe("A", to: "B") == .success)
        #expect(try world.unsubscribe("A", from: "B", .userProfile) == .success)
        #expect(try world.unsubscribe("A", from: "B") == .success)
        #expect(try world.unsubscribe("A", from: "B") == .success)
        #expect(try world.unsubscribe("A", from: "ghost") == .success)
        #expect(try world.unsubscribe("A", from: "A") == .publisherInvalid)
        #expect(try notified("A", world) == ["changed B", "changed B"])
        #expect(try world.events(of: "A").last?.items.first?.subscription?.expireTimeMs == 0)
        #expect(try world.subscriptions(of: "A").isEmpty)
        #expect(try world.subscribers(of: "B").isEmpty)
        try expectWhole(world)
    }

    @Test func bothSidesAreListedByType() throws {
        let world = try world()
        for (owner, user) in [("A", "B"), ("C", "B"), ("A", "D")] as [(UserID, UserID)] {
            #expect(try world.subscribe(owner, to: user) == .success)
        }
        #expect(try world.subscribe("D", to: "B", .userProfile) == .success)
        #expect(try world.subscribers(of: "B") == ["A", "C"])
        #expect(try world.subscribers(of: "B", .userProfile) == ["D"])
        #expect(try world.targets(of: "A") == ["B", "D"])
        #expect(try world.targets(of: "A", limit: 1) == ["B"])
        #expect(try world.targets(of: "A", after: "B", limit: 1) == ["D"])
        #expect(try world.targets(of: "A", .userProfile) == [])
    }

    @Test func aBlacklistEndsNoSubscription() throws {
        let world = try world()
        #expect(try world.subscribe("A", to: "B") == .success)
        #expect(try world.block("A", by: "B") == .success)
        #expect(try world.subscriptions(of: "A").map(\.userID) == ["B"])
        #expect(try notified("A", world) == ["changed B"])
    }

    // MARK: The end by time

    @Test func fromItsEndOnNoUserSeesIt() throws {
        let world = try world()
        #expect(try world.subscribe("A", to: "B") == .success)
        world.advance(milliseconds: 59_999)
        #expect(try world.subscribers(of: "B") == ["A"])
        world.advance(milliseconds: 1)
        #expect(try world.subscribers(of: "B").isEmpty)
        #expect(try world.targets(of: "A").isEmpty)
        #expect(try world.subscriptions(of: "A").isEmpty)
        let counts = try world.read { (transaction) throws(StorageError) in
            let userRecord = try Tables.userRecords.record(
                world.app.partition(of: "A"), OnlyKey(), in: transaction)
            return [
                try Subscriptions.count(
                    of: "A", userRecord ?? UserRecord(), nil, at: world.now, app: world.app,
                    in: transaction),
                try Subscriptions.subscriberCount(
                    of: "B", .onlineStatus, at: world.now, app: world.app, in: transaction),
            ]
        }
        #expect(counts == [0, 0])
        #expect(try notified("A", world) == ["changed B"])
    }

    @Test func aSweepEndsWhatIsOverAndTellsTheSubscriber() throws {
        let world = try world()
        #expect(try world.subscribe("A", to: "B", seconds: 60) == .success)
        #expect(try world.subscribe("A", to: "C", .userProfile, seconds: 60) == .success)
        #expect(try world.subscribe("A", to: "D", seconds: 61) == .success)
        world.advance(milliseconds: 59_999)
        #expect(try world.endSubscriptions() == 0)
        world.advance(milliseconds: 1)
        #expect(try world.endSubscriptions() == 1)
        #expect(try notified("A", world).last == "expired B C")
        let ended = try #require(try world.events(of: "A").last)
        #expect(ended.actorUserID.isEmpty)
        let endMs = World.start + 60_000
        #expect(ended.items.map(\.subscription?.expireTimeMs) == [endMs, endMs])
        #expect(try world.subscriptions(of: "A").map(\.userID) == ["D"])
        try expectWhole(world)
        world.advance(milliseconds: 1_000)
        #expect(try world.endSubscriptions() == 1)
        #expect(try notified("A", world).last == "expired D")
        #expect(try world.endSubscriptions() == 0)
        try expectWhole(world)
    }

    @Test func aStepEndsSoManyAndLeavesTheRestWhole() throws {
        let world = try world()
        for owner in ["A", "B", "C"] as [UserID] {
            for user in Self.users where user != owner {
                #expect(try world.subscribe(owner, to: user) == .success)
            }
        }
        world.advance(milliseconds: 60_000)
        #expect(try world.endSubscriptions(limit: 2) == 5)
        try expectWhole(world)
        #expect(try notified("B", world).suffix(2) == ["expired A", "expired C D"])
    }

    @Test func whoRenewedInTimeIsOnlyLookedAt() throws {
        let world = try world()
        #expect(try world.subscribe("A", to: "B") == .success)
        world.advance(milliseconds: 30_000)
        #expect(try world.subscribe("A", to: "B") == .success)
        world.advance(milliseconds: 30_000)
        #expect(try world.endSubscriptions() == 1)
        #expect(try notified("A", world) == ["changed B", "changed B"])
        let next = try world.read { (transaction) throws(StorageError) in
            try SubscriptionExpiry.nextDueMs(world.app, in: transaction)
        }
        #expect(next == World.start + 90_000)
        try expectWhole(world)
    }

    @Test func whatHasExpiredFillsNoQuotaAndIsEndedWhereItWould() throws {
        let world = try world {
            $0.limits.subscriptions = 2
            $0.limits.subscribers = 2
        }
        #expect(try world.subscribe("A", to: "B") == .success)
        #expect(try world.subscribe("A", to: "C") == .success)
        #expect(try world.subscribe("D", to: "C") == .success)
        world.advance(milliseconds: 60_000)
        // The subscriber's own list was full of subscriptions that have expired.
        #expect(try world.subscribe("A", to: "D") == .success)
        #expect(try notified("A", world).suffix(2) == ["expired B C", "changed D"])
        // The followed user's list has one expired subscription; its subscriber is notified.
        #expect(try world.subscribe("A", to: "C") == .success)
        #expect(try notified("D", world) == ["changed C"])
        #expect(try world.subscribe("B", to: "C") == .success)
        #expect(try notified("D", world) == ["changed C", "expired C"])
        #expect(try world.subscribers(of: "C") == ["A", "B"])
        try expectWhole(world)
    }

    @Test func moreExpiredThanOneLookEndsStillMakeRoom() throws {
        let world = try world { $0.limits.subscribers = 20 }
        let others = (0..<20).map { UserID(stored: "u\($0)".utf8) }
        try world.create(others)
        for other in others { #expect(try world.subscribe(other, to: "B") == .success) }
        world.advance(milliseconds: 60_000)
        world.settings.limits.subscribers = 3
        #expect(try world.subscribe("A", to: "B") == .success)
        #expect(try world.subscribers(of: "B") == ["A"])
        #expect(try world.rows(of: Tables.subscribers, of: "B").count == 1)
        #expect(try Audit(world, Self.users + others).findings == [])
    }

    @Test func oneThatIsFollowedAnewAfterItsEndIsReportedInOrder() throws {
        let world = try world()
        #expect(try world.subscribe("A", to: "B") == .success)
        world.advance(milliseconds: 60_000)
        try world.call(by: "A") { (ledger) throws(StorageError) in
            for user in ["C", "B"] as [UserID] {
                _ = try Subscriptions.subscribe(
                    "A", to: user, .onlineStatus, until: ledger.now.milliseconds + 60_000,
                    in: ledger)
            }
        }
        // A client that follows only the log ends with both.
        #expect(try notified("A", world) == ["changed B", "expired B", "changed C B"])
        var mirror = Mirror()
        #expect(try mirror.follow(world, Self.users) == [])
        try expectWhole(world)
    }

    // MARK: Deletion

    @Test func aDeletedAccountFollowsNoUserAndIsFollowedByNone() throws {
        let world = try world()
        #expect(try world.subscribe("A", to: "B") == .success)
        #expect(try world.subscribe("B", to: "A") == .success)
        #expect(try world.subscribe("C", to: "A", .userProfile) == .success)
        _ = try world.call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start("A", in: ledger)
        }
        #expect(try world.subscribe("D", to: "A") == .accountNotFound)
        try world.runJobs()
        #expect(try world.kinds(of: "A") == [Tables.departed.kind])
        #expect(try notified("B", world) == ["changed A", "changed A"])
        #expect(try world.events(of: "C").last?.items.first?.subscription?.expireTimeMs == 0)
        #expect(try world.subscribers(of: "B").isEmpty)
        world.advance(milliseconds: 60_000)
        #expect(try world.endSubscriptions() == 1)
        try expectWhole(world)
    }

    @Test func manySubscribersOfADeletedAccountAreAllNotified() throws {
        let world = try World()
        let others = (0..<100).map { UserID(stored: "u\($0)".utf8) }
        try world.create(["X"] + others)
        for other in others { #expect(try world.subscribe(other, to: "X") == .success) }
        _ = try world.call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start("X", in: ledger)
        }
        var steps = 0
        while try !world.stepJob() {
            steps += 1
            #expect(try Audit(world, ["X"] + others).findings == [])
        }
        #expect(steps > 1)
        for other in others {
            #expect(try world.subscriptions(of: other).isEmpty)
            #expect(try world.events(of: other).count == 2)
        }
        #expect(try Audit(world, ["X"] + others).findings == [])
        #expect(try world.integrity() == [])
    }

    @Test func twoThatAreDeletedAtOnceLeaveNothing() throws {
        let world = try world()
        #expect(try world.subscribe("A", to: "B") == .success)
        #expect(try world.subscribe("B", to: "A") == .success)
        for user in ["A", "B"] as [UserID] {
            _ = try world.call(by: nil) { (ledger) throws(StorageError) in
                try AccountDeletion.start(user, in: ledger)
            }
        }
        try world.runJobs()
        for user in ["A", "B"] as [UserID] {
            #expect(try world.kinds(of: user) == [Tables.departed.kind])
        }
        try expectWhole(world)
    }
}
