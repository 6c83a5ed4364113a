import Memory
import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct SuspensionTests {
    private static let users: [UserID] = ["A", "B", "C", "D"]

    private func world() throws -> World {
        let world = try World(settings: .tim)
        try world.create(Self.users)
        return world
    }

    private func expectWhole(_ world: World) throws {
        #expect(try Audit(world, Self.users).findings == [])
        #expect(try world.integrity() == [])
    }

    private func level(_ user: UserID, _ world: World) throws -> SuspensionLevel? {
        try world.userRecord(of: user)?.suspension(at: world.now)
    }

    private func sends(_ sender: UserID, _ world: World) throws -> Reason {
        let arena = Arena()
        defer { arena.free() }
        let names = ["D"].compactMap { arena.text($0) }
        return try names.withUnsafeBufferPointer { names in
            var answers: [SendRules.Answer] = []
            let asked = CacheLookup(world.memory, loading: [sender], world.app)
            for lookup in [nil, asked] {
                let exists = try world.read { (transaction) throws(StorageError) in
                    try SendRules.check(
                        from: sender, to: names, at: world.now, app: world.app, asking: lookup,
                        in: transaction, arena
                    ) { answers.append($0) }
                }
                #expect(exists)
            }
            var cached: [SendRules.Answer] = []
            let look = try SendRules.cached(
                from: sender, to: names, app: world.app, from: world.adjacency, arena
            ) { cached.append($0) }
            if case .answered = look { answers += cached }
            #expect(Set(answers.map(\.reason)).count == 1)
            return answers[0].reason
        }
    }

    // MARK: Suspending

    @Test func eachLevelForbidsWhatTheOnesBeforeItDo() {
        let actions: [SuspendedAction] = [.free, .write, .text, .reach]
        func forbidden(_ level: SuspensionLevel) -> [Bool] { actions.map(level.forbids) }
        #expect(forbidden(.unspecified) == [false, false, false, false])
        #expect(forbidden(.limited) == [false, false, true, true])
        #expect(forbidden(.suspended) == [false, true, true, true])
        #expect(forbidden(.banned) == [false, true, true, true])
        // A level of a later server is at least as hard.
        #expect(forbidden(SuspensionLevel(rawValue: 9)) == [false, true, true, true])
    }

    @Test func aSuspensionGoesOnFromItsBeginningUntilItHasEnded() throws {
        let world = try world()
        let start = world.now.milliseconds
        #expect(try world.suspend("A", .limited, until: start + 1_000) == .success)
        #expect(try world.suspend("A", .limited, until: start + 1_000) == .unchanged)
        world.advance(milliseconds: 400)
        #expect(try world.suspend("A", .suspended, until: start + 1_000, reason: "x") == .success)
        let record = try #require(try world.suspensions().rows.first?.record)
        #expect(record.startTimeMs == start && record.endTimeMs == start + 1_000)
        #expect(record.reasonText == "x" && record.level == .suspended)
        #expect(try world.suspensionCount() == 1)
        world.advance(milliseconds: 600)
        // It has ended, and the next one is another, although the row is there still.
        #expect(try world.suspend("A", .suspended) == .success)
        #expect(try world.suspensions().rows.first?.record.startTimeMs == start + 1_000)
        try expectWhole(world)
    }

    @Test func onlyAccountsAreSuspendedAndNoMoreThanTheAppMayHave() throws {
        let world = try world()
        let unknown = FriendOutcome(.accountNotFound, Reason.AccountSuspend.accountNotExist)
        #expect(try world.suspend("ghost", .banned) == unknown)
        #expect(try world.reinstate("ghost") == unknown)
        #expect(try world.suspend("A", .limited, limit: 2) == .success)
        #expect(try world.suspend("B", .limited, limit: 2) == .success)
        let full = FriendOutcome(.invalidParameter, Reason.AccountSuspend.full)
        #expect(try world.suspend("C", .limited, limit: 2) == full)
        // A change of one that the app has takes no room.
        #expect(try world.suspend("A", .banned, limit: 2) == .success)
        #expect(try world.reinstate("B") == .success)
        #expect(try world.suspend("C", .limited, limit: 2) == .success)
        try expectWhole(world)
    }

    @Test func aSuspensionThatIsTakenBackLeavesNothing() throws {
        let world = try world()
        #expect(try world.reinstate("A") == .unchanged)
        #expect(try world.suspend("A", .suspended, until: world.now.milliseconds + 5) == .success)
        #expect(try world.reinstate("A") == .success)
        #expect(try world.reinstate("A") == .unchanged)
        #expect(try level("A", world) == .unspecified)
        #expect(try world.rows(of: Tables.suspensions, of: "A").isEmpty)
        let notified = try world.log(of: "A").map(\.1).filter { $0.kind == .suspensionChanged }
        #expect(notified.flatMap(\.items).map(\.suspension?.level) == [.suspended, .unspecified])
        try expectWhole(world)
    }

    @Test func theUserNeverGetsTheTextForModerators() throws {
        let world = try world()
        #expect(try world.suspend("A", .banned, reason: "spam") == .success)
        let item = try #require(try world.log(of: "A").last?.1.items.first)
        #expect(item.userID == "A" && item.suspension?.reasonText == "")
        #expect(item.suspension?.level == .banned)
        #expect(item.suspension?.startTimeMs == world.now.milliseconds)
    }

    // MARK: What others see

    @Test func noUserAddsOrFollowsASuspendedUser() throws {
        let world = try world()
        world.makeFriends("A", "B")
        #expect(try world.suspend("A", .limited) == .success)
        #expect(try world.add("A", to: "C") == .success)
        #expect(try world.suspend("A", .suspended) == .success)
        let add = FriendOutcome(.addRestricted, Reason.Suspended.friendAdd)
        #expect(try world.add("A", to: "D") == add)
        // It comes before what else stands in the way, and after an unknown user.
        #expect(try world.add("A", to: "B") == add)
        #expect(try world.block("A", by: "D") == .success)
        #expect(try world.add("A", to: "D") == add)
        #expect(try world.unblock("A", by: "D") == .success)
        #expect(
            try world.follow("D", "A")
                == FollowOutcome(.addRestricted, Reason.Suspended.followAdd))
        // The rows of others stay.
        #expect(try world.rows(of: Tables.friends, of: "B").map(\.key) == ["A"])
        #expect(try world.add("A", to: "D", force: true) == .success)
        #expect(try world.reinstate("A") == .success)
        #expect(try world.follow("D", "A") == .success)
        try expectWhole(world)
    }

    @Test func noUserUsesAnInvitationOfASuspendedUser() throws {
        let world = try world()
        #expect(try world.invite(1, of: "A") { $0.preApproved = true } == .success)
        #expect(try world.suspend("A", .suspended) == .success)
        #expect(
            try world.accept(1, by: "B")
                == FriendOutcome(.addRestricted, Reason.Suspended.invitationAccept))
        #expect(try world.reinstate("A") == .success)
        #expect(try world.accept(1, by: "B") == .success)
        try expectWhole(world)
    }

    @Test func anApplicationThatWaitsMayBeAnswered() throws {
        let world = try world()
        try world.allow(.needConfirm, for: "B")
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.suspend("A", .suspended) == .success)
        #expect(try world.respond(to: "A", of: "B", .agreeAndAdd) == .success)
        try expectWhole(world)
    }

    @Test func onlyABannedUserIsHidden() throws {
        let world = try world()
        for (level, hides) in [
            (SuspensionLevel.limited, false), (.suspended, false),
            (.banned, true),
        ] {
            #expect(try world.suspend("A", level) == .success)
            let userRecord = try #require(try world.userRecord(of: "A"))
            let isFound = userRecord.canBeFound(
                by: .id, at: world.now, world.app.settings)
            #expect(isFound == !hides, "\(level)")
        }
    }

    /// The row is still there, since no sweep has come; the clock alone decides.
    @Test func aBanEndsByItself() throws {
        let world = try world()
        let end = world.now.milliseconds + 60_000
        #expect(try world.suspend("A", .banned, until: end) == .success)
        func mayAct() throws -> [Bool] {
            let userRecord = try #require(try world.userRecord(of: "A"))
            let isFound = userRecord.canBeFound(by: .id, at: world.now, world.app.settings)
            return [isFound, !userRecord.isSuspended(at: world.now)]
        }
        world.advance(milliseconds: 59_999)
        #expect(try mayAct() == [false, false])
        world.advance(milliseconds: 1)
        #expect(try mayAct() == [true, true])
        #expect(try world.follow("D", "A") == .success)
        try expectWhole(world)
    }

    // MARK: Sending

    /// With an adjacency list of the sender in memory, without one, and after it was kept again.
    @Test func aSuspendedUserSendsToNoUser() throws {
        let world = try world()
        world.makeFriends("A", "D")
        #expect(try sends("A", world) == .none)
        #expect(try world.suspend("A", .limited) == .success)
        #expect(try sends("A", world) == .none)
        let end = world.now.milliseconds + 1_000
        #expect(try world.suspend("A", .suspended, until: end) == .success)
        for _ in 0..<3 { #expect(try sends("A", world) == Reason.Suspended.sendCheck) }
        // The other user's answers are as they were.
        #expect(try sends("B", world) == .none)
        world.advance(milliseconds: 999)
        #expect(try sends("A", world) == Reason.Suspended.sendCheck)
        world.advance(milliseconds: 1)
        #expect(try sends("A", world) == .none)
        #expect(try world.removeSuspensions() == 1)
        for _ in 0..<3 { #expect(try sends("A", world) == .none) }
        #expect(try world.suspend("A", .banned) == .success)
        #expect(try sends("A", world) == Reason.Suspended.sendCheck)
        #expect(try world.reinstate("A") == .success)
        for _ in 0..<3 { #expect(try sends("A", world) == .none) }
    }

    // MARK: The end

    @Test func itEndsByTheClockAndTheRowGoesInSteps() throws {
        let world = try world()
        let start = world.now.milliseconds
        for (index, user) in Self.users.enumerated() {
            #expect(try world.suspend(user, .suspended, until: start + Int64(index)) == .success)
        }
        #expect(try level("A", world) == .unspecified)
        #expect(try world.removeSuspensions(limit: 1) == 1)
        world.advance(milliseconds: 2)
        #expect(
            try Self.users.map { try level($0, world) } == [
                .unspecified, .unspecified, .unspecified, .suspended,
            ])
        #expect(try world.suspensions().rows.map(\.user) == ["D"])
        #expect(try world.suspensionCount() == 3)
        let sequence = try world.userRecord(of: "B")?.sequence
        #expect(try world.removeSuspensions(limit: 1) == 2)
        #expect(try world.suspensionCount() == 1)
        // No event reports the removal.
        #expect(try world.userRecord(of: "B")?.sequence == sequence)
        #expect(try world.userRecord(of: "B")?.suspensionEndMs == 0)
        try expectWhole(world)
    }

    @Test func aDeletedAccountTakesItsSuspensionAlong() throws {
        let world = try world()
        #expect(
            try world.suspend("A", .suspended, until: world.now.milliseconds + 5) == .success)
        try world.deleteAccount("A")
        #expect(try world.suspensionCount() == 0)
        try world.runJobs()
        #expect(try world.make("A") == .made)
        #expect(try level("A", world) == .unspecified)
        try expectWhole(world)
    }

    // MARK: The list

    @Test func pagesAreInTheOrderOfTheIdsWithoutThoseThatEnded() throws {
        let world = try world()
        let end = world.now.milliseconds + 1
        for user in Self.users.reversed() {
            #expect(
                try world.suspend(user, .limited, until: user == "B" ? end : 0) == .success)
        }
        world.advance(milliseconds: 1)
        var (users, pages): ([UserID], [Int]) = ([], [])
        var last: UserID?
        repeat {
            let page = try world.suspensions(after: last, limit: 2)
            users += page.rows.map(\.user)
            pages.append(page.rows.count)
            last = page.next
        } while last != nil
        #expect(users == ["A", "C", "D"] && pages == [1, 2])
    }

    // MARK: Damage

    @Test func aCheckFindsAndRepairsWhatDoesNotFit() throws {
        let damages = [
            Damage("suspension") { (ledger) throws(StorageError) in
                try ledger.changeUserRecord(of: "A") { $0.suspensionLevel = .unspecified }
            },
            Damage("suspension") { ledger in
                Tables.suspensionEnds.remove(
                    ledger.app.suspensionEnds,
                    TimedUser(timeMs: ledger.now.milliseconds + 9, user: "A"),
                    in: ledger.transaction)
            },
            Damage("suspensions") { ledger in
                Tables.suspendedUsers.remove(
                    ledger.app.suspensions, "A", in: ledger.transaction)
            },
            Damage("suspensions") { (ledger) throws(StorageError) in
                try Tables.suspendedUsers.set(
                    EmptyRecord(), at: ledger.app.suspensions, "B", in: ledger.transaction)
            },
            Damage("suspensions") { ledger in
                Tables.suspensionCounts.remove(
                    ledger.app.suspensions, OnlyKey(), in: ledger.transaction)
            },
        ]
        for damage in damages {
            let world = try world()
            #expect(
                try world.suspend("A", .limited, until: world.now.milliseconds + 9) == .success)
            try world.call(by: nil, damage.make)
            let findings = try world.integrity()
            #expect(!findings.isEmpty && findings.allSatisfy { $0.contains(damage.subject) })
            try world.call(by: nil) { (ledger) throws(StorageError) in
                for user in Self.users { _ = try Integrity.repair(user, in: ledger) }
                _ = try Integrity.repairSuspensions(in: ledger)
            }
            try expectWhole(world)
        }
    }
}
