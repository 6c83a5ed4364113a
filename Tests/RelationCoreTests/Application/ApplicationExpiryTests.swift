import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// Applications end when the app's lifetime of them has passed: for every rule at once, and in the
/// store a little later.
@Suite struct ApplicationExpiryTests {
    private static let lifetime: Int64 = 7 * 24 * 3_600 * 1_000

    /// A applied to B, in an app with RongCloud's settings, and all of the lifetime but the last
    /// millisecond has passed.
    private func world() throws -> World {
        let world = try World("A", "B", "C", settings: .rongCloud)
        for user: UserID in ["A", "B", "C"] { try world.allow(.needConfirm, for: user) }
        try #require(try world.add("B", to: "A", .single).code == .pending)
        world.advance(milliseconds: Self.lifetime - 1)
        return world
    }

    @Test func acceptingAfterSevenDaysIsTooLateAndTheListSaysExpired() throws {
        let world = try world()
        #expect(try world.pendencies(of: "B").items.count == 1)
        #expect(try world.pendencies(of: "B").unread == 1)
        world.advance(milliseconds: 1)
        let before = try world.snapshot(of: ["A", "B"])
        for type in [FriendResponseType.agree, .agreeAndAdd, .reject] {
            #expect(try world.respond(to: "A", of: "B", type).code.rawValue == 30614)
        }
        #expect(try world.withdraw(from: "B", of: "A").code == .noApplication)
        #expect(try world.deletePendency(.comeIn, with: "A", of: "B").code == .noApplication)
        #expect(try world.deletePendency(.sendOut, with: "B", of: "A").code == .noApplication)
        #expect(try world.snapshot(of: ["A", "B"]) == before)
        for user: UserID in ["A", "B"] {
            let page = try world.pendencies(of: user)
            #expect(page.items.isEmpty && page.timestampMs == 0 && page.unread == 0)
            let lines = try world.applications(of: user).lines
            #expect(lines.map(\.status) == [.expired])
            #expect(lines.first?.position.timeMs == World.start + Self.lifetime)
        }
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func aDayBeforeItIsAnsweredAsAnyOther() throws {
        let world = try world()
        #expect(try world.sweep() == 0)
        #expect(try world.respond(to: "A", of: "B", .agreeAndAdd) == .success)
        world.advance(milliseconds: Self.lifetime)
        #expect(try world.sweep() == 0)
        #expect(try world.userRecord(of: "A")?.oldestPendencyMs == 0)
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func theSweepEndsItOnBothSidesWithItsEvents() throws {
        let world = try world()
        let counts = try ["A", "B"].map {
            try world.userRecord(of: UserID(stored: $0.utf8))!.sequence
        }
        #expect(try world.sweep() == 0)
        world.advance(milliseconds: 1 + 500)
        let shown = try world.applications(of: "B").lines.map(\.position)
        #expect(try world.sweep() == 1)
        for (user, count) in [(UserID("A"), counts[0]), (UserID("B"), counts[1])] {
            let notified = try world.events(of: user, after: count)
            #expect(notified.map(\.kind) == [.deleteFriendRequest])
            #expect(notified.first?.items.map(\.application?.status) == [.expired])
            #expect(notified.first?.actorUserID == "", "no user did it")
            let userRecord = try #require(try world.userRecord(of: user))
            #expect(userRecord.comeInCount + userRecord.sendOutCount + userRecord.unreadCount == 0)
            #expect(userRecord.oldestPendencyMs == 0)
        }
        // The stored state equals the one that was shown before.
        #expect(try world.applications(of: "B").lines.map(\.position) == shown)
        #expect(try world.applications(of: "B").lines.map(\.status) == [.expired])
        #expect(try world.sweep() == 0)
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test(arguments: [false, true])
    func applyingAgainAfterExpiryIsANewApplication(_ isSwept: Bool) throws {
        let world = try world()
        let old = try world.pendency(.sendOut, with: "B", of: "A")?.applicationID
        world.advance(milliseconds: 1)
        if isSwept { #expect(try world.sweep() == 1) }
        let count = try world.userRecord(of: "B")!.sequence
        #expect(try world.add("B", to: "A", .single).code == .pending)
        let new = try #require(try world.pendency(.comeIn, with: "A", of: "B"))
        #expect(new.applicationID != old && new.timeMs >= world.now.milliseconds)
        #expect(
            try world.events(of: "B", after: count).map(\.kind)
                == (isSwept ? [] : [.deleteFriendRequest]) + [.addFriendRequest])
        #expect(try world.pendencies(of: "B").unread == 1)
        #expect(try world.applications(of: "A").lines.map(\.status) == [.unhandled, .expired])
        #expect(try world.respond(to: "A", of: "B", .agree) == .success)
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func aRenewedApplicationWaitsAnew() throws {
        let world = try world()
        #expect(try world.add("B", to: "A", .single).code == .pending)
        world.advance(milliseconds: Self.lifetime - 1)
        // The index still names the first time: the sweep finds nothing to end there, and moves the
        // row.
        #expect(try world.sweep() == 0)
        #expect(try world.userRecord(of: "A")?.oldestPendencyMs != World.start)
        #expect(try world.respond(to: "A", of: "B", .agree) == .success)
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func whoApplicationsExpiredMeetsIsAskedAndNotBefriended() throws {
        let world = try world()
        world.advance(milliseconds: 1)
        // B adds A. If A's application still waited, they would now be friends.
        #expect(try world.add("A", to: "B", .both).code == .pending)
        #expect(try world.relation(of: "A", to: "B") == FriendRelation.none)
        try world.allow(.denyAny, for: "C")
        #expect(try world.add("A", to: "C").code == .pending)
        world.advance(milliseconds: Self.lifetime + 1)
        #expect(try world.add("C", to: "A").code == .friendSideForbidsAdd)
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func whatHasExpiredTakesNoRoom() throws {
        let world = try world()
        world.settings.limits.pendencies = 1
        #expect(try world.add("C", to: "A").code == .pendencyLimit)
        #expect(try world.add("B", to: "C").code == .pendencyLimit)
        world.advance(milliseconds: 1)
        #expect(try world.add("C", to: "A").code == .pending)
        #expect(try world.add("B", to: "C").code == .pending)
        #expect(try world.userRecord(of: "A")?.sendOutCount == 2, "the expired one is still stored")
        #expect(try world.add("B", to: "A").code == .pendencyLimit)
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
        #expect(try world.sweep() == 1)
        #expect(try world.userRecord(of: "A")?.sendOutCount == 1)
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func countsPassOverWhatHasExpired() throws {
        let world = try world()
        #expect(try world.add("B", to: "C").code == .pending)
        #expect(try world.add("C", to: "B").code == .success, "they met")
        #expect(try world.add("A", to: "B").code == .success, "they met too")
        #expect(try world.add("B", to: "C", .single).code == .invalidParameter)
        try world.create(["D", "E"])
        #expect(try world.add("B", to: "D").code == .pending)
        world.advance(milliseconds: Self.lifetime - 10)
        #expect(try world.add("B", to: "E").code == .pending)
        func counts() throws -> [Int] {
            let counts = try world.read { (transaction) throws(StorageError) in
                let partition = world.app.partition(of: "B")
                let userRecord = try Tables.userRecords.record(
                    partition, OnlyKey(), in: transaction)
                return try Applications.counts(
                    of: userRecord ?? UserRecord(), "B", world.app,
                    cutoff: world.settings.expiryCutoffMs(at: world.now), in: transaction)
            }
            return [counts.comeIn, counts.sendOut, counts.unread]
        }
        #expect(try counts() == [2, 0, 2])
        world.advance(milliseconds: 20)
        #expect(try counts() == [1, 0, 1])
        #expect(try world.pendencies(of: "B").items.map(\.record.userID) == ["E"])
        #expect(try world.report(upTo: .max, of: "B") == 0)
        #expect(try counts() == [1, 0, 0])
        #expect(try world.sweep() == 1)
        #expect(try counts() == [1, 0, 0])
        #expect(try Audit(world, ["A", "B", "C", "D", "E"]).findings == [])
    }

    @Test(arguments: [true, false])
    func aBlacklistOrAFriendshipEndsWhatHasExpiredAsExpired(_ blocks: Bool) throws {
        let world = try world()
        world.advance(milliseconds: 1)
        if blocks {
            #expect(try world.block("A", by: "B") == .success)
        } else {
            #expect(try world.add("B", to: "A", .single, force: true) == .success)
        }
        for user: UserID in ["A", "B"] {
            #expect(try world.applications(of: user).lines.map(\.status) == [.expired])
        }
        #expect(try world.rows(of: Tables.pendencies, of: "A").isEmpty)
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func theLifetimeOfTheMomentDecides() throws {
        let world = try world()
        world.settings.applicationLifetimeMs = nil
        world.advance(milliseconds: 10 * Self.lifetime)
        #expect(try world.pendencies(of: "B").unread == 1)
        #expect(try world.sweep() == 0)
        world.settings.applicationLifetimeMs = Self.lifetime
        #expect(try world.pendencies(of: "B").unread == 0)
        // An application that counts as in time again before the sweep waits again.
        world.settings.applicationLifetimeMs = 20 * Self.lifetime
        #expect(try world.pendencies(of: "B").items.count == 1)
        world.settings.applicationLifetimeMs = 60_000
        #expect(try world.sweep() == 1)
        world.settings.applicationLifetimeMs = nil
        #expect(try world.pendencies(of: "B").items.isEmpty, "what was swept stays ended")
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func aShorterLifetimeReachesWhatAppliedUnderNone() throws {
        let world = try World("A", "B")
        try world.allow(.needConfirm, for: "B")
        #expect(try world.add("B", to: "A").code == .pending)
        world.advance(milliseconds: 60_000)
        world.settings.applicationLifetimeMs = 60_000
        #expect(try world.respond(to: "A", of: "B", .agree).code == .noApplication)
        #expect(try world.sweep() == 1)
        #expect(try Audit(world, ["A", "B"]).findings == [])
    }

    @Test func bothSidesExpireInTheSameMillisecond() throws {
        let world = try World("A", "B", "C", settings: .rongCloud)
        for user: UserID in ["A", "B", "C"] { try world.allow(.needConfirm, for: user) }
        // B's list has another application in this millisecond, A's has none.
        for user: UserID in ["C", "A"] { _ = try world.add("B", to: user, .single) }
        let mine = try #require(try world.pendency(.sendOut, with: "B", of: "A"))
        #expect(try world.pendency(.comeIn, with: "A", of: "B")?.timeMs == mine.timeMs)
        #expect(mine.timeMs == World.start + 1)
    }

    @Test func theSweepGoesInBoundedBatches() throws {
        let world = try World("A", settings: .rongCloud)
        var users: [UserID] = ["A"]
        try world.allow(.needConfirm, for: "A")
        for number in 0..<10 {
            let user = UserID(stored: "user\(number)".utf8)
            users.append(user)
            try world.create([user])
            #expect(try world.add("A", to: user, .single).code == .pending)
        }
        world.advance(milliseconds: Self.lifetime + 100)
        // All have applied to A: one batch of A's ends some, and those of the users themselves end
        // the others.
        let due = try world.read { (transaction) throws(StorageError) in
            try ApplicationExpiry.due(world.app, at: world.now, limit: 3, in: transaction)
        }
        #expect(due.count == 3)
        let first = TimedUser(timeMs: try world.userRecord(of: "A")!.oldestPendencyMs, user: "A")
        let ended = try world.call(by: nil) { (ledger) throws(StorageError) in
            try ApplicationExpiry.sweep(first, limit: 4, in: ledger)
        }
        #expect(ended == 4)
        #expect(try world.userRecord(of: "A")?.comeInCount == 6)
        #expect(try world.userRecord(of: "A")?.oldestPendencyMs == first.timeMs + 4)
        #expect(try Audit(world, users).findings == [])
        var rounds = 0
        while try world.sweep(users: 3, applications: 2) > 0 { rounds += 1 }
        #expect((2...6).contains(rounds))
        #expect(try world.userRecord(of: "A")?.comeInCount == 0)
        #expect(try Audit(world, users).findings == [])
    }

    @Test(arguments: [1, 3, 100])
    func stepsEndEverythingThatHasExpiredAndThenSaySo(_ limit: Int) throws {
        let world = try World("A", "B", settings: .rongCloud)
        var users: [UserID] = ["A", "B"]
        for user in users { try world.allow(.needConfirm, for: user) }
        for number in 0..<4 {
            let user = UserID(stored: "user\(number)".utf8)
            users.append(user)
            try world.create([user])
            for asked: UserID in ["A", "B"] {
                #expect(try world.add(asked, to: user, .single).code == .pending)
            }
        }
        world.advance(milliseconds: Self.lifetime + 100)
        #expect(try world.add("B", to: "A", .single).code == .pending)
        var ended: [Int] = []
        func waiting() throws -> Int {
            try users.reduce(0) { try $0 + Int(world.userRecord(of: $1)?.comeInCount ?? 0) }
        }
        func step() throws -> Bool {
            try world.store.write(touching: []) { (transaction) throws(StorageError) in
                try ApplicationExpiry.step(
                    world.app, at: world.now, limit: limit, in: transaction)
            }
        }
        var before = try waiting()
        while try step() {
            ended.append(before - (try waiting()))
            before = try waiting()
            try #require(ended.count < 50)
        }
        #expect(ended.reduce(0, +) == 8 && ended.allSatisfy { $0 <= limit })
        #expect(try world.pendencies(of: "B").items.map(\.record.userID) == ["A"])
        #expect(try Audit(world, users).findings == [])
    }

    @Test func aRowOfTheIndexThatHasNoOwnerAnyMoreGoes() throws {
        let world = try world()
        world.advance(milliseconds: 1)
        let stale = TimedUser(timeMs: 5, user: "A")
        let bucket = world.app.partition(ofExpiryBucketOf: "A")
        try world.write { (transaction) throws(StorageError) in
            try Tables.expiries.set(EmptyRecord(), at: bucket, stale, in: transaction)
        }
        #expect(try world.sweep() == 1)
        #expect(try world.rows(of: Tables.expiries, in: bucket).isEmpty)
    }

    @Test func theReadMarkAndTheVersionDoNotMoveBySweepingWhatWasRead() throws {
        let world = try world()
        #expect(try world.report(upTo: .max, of: "B") == 0)
        let version = try world.pendencies(of: "B").sequence
        world.advance(milliseconds: 1)
        #expect(try world.pendencies(of: "B", knowing: version).items.isEmpty)
        #expect(try world.pendencies(of: "B").sequence == version, "no read writes")
        #expect(try world.sweep() == 1)
        #expect(try world.pendencies(of: "B").sequence == version + 1)
        #expect(try world.userRecord(of: "B")?.readMarkMs == World.start)
    }
}
