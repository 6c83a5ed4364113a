import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The explanation of AddFriends is what the rule did, up to its first write.
@Suite struct ExplainAddTests {
    private typealias Explained = Explanation<FriendOutcome>

    private func deciding(_ explained: Explained) -> [RungKind] {
        explained.rungs.filter(\.decided).map(\.kind)
    }

    private func rung(_ kind: RungKind, _ explained: Explained) throws -> ExplainedRung {
        try #require(explained.rungs.first { $0.kind == kind })
    }

    /// The rung of each obstacle; an addition without texts meets no others.
    private static let rungs: [Obstacle: RungKind] = [
        .unknown: .peerAccount, .mayNotSend: .addForbidden, .onMyBlacklist: .ownBlacklist,
        .onTheirBlacklist: .peerBlacklist, .friends: .missingRow, .denyAny: .peerAllowType,
        .sentTooMany: .applicationsSent, .mySendOutFull: .ownApplicationRoom,
        .theirComeInFull: .peerApplicationRoom, .myListFull: .ownFriendRoom,
        .theirListFull: .peerFriendRoom,
    ]

    @Test(arguments: AddLadderTests.ways)
    func theRungOfTheFirstObstacleDecides(_ way: AddLadderTests.Way) throws {
        let world = try AddLadderTests.world(on: way)
        for obstacle in way.obstacles {
            if let rung = Self.rungs[obstacle] {
                let before = try world.snapshot(of: ["A", "B"])
                let explained = try world.explainAdd("B", to: "A", way.type, force: way.isForced)
                #expect(explained.answer == obstacle.answer, "\(obstacle)")
                #expect(deciding(explained) == [rung], "\(obstacle)")
                #expect(explained.rungs.last?.kind == rung, "\(obstacle)")
                #expect(try world.snapshot(of: ["A", "B"]) == before, "\(obstacle)")
            }
            try obstacle.set(false, in: world, rest: way.rest)
        }
        let explained = try world.explainAdd("B", to: "A", way.type, force: way.isForced)
        #expect(explained.answer.code == way.end)
        #expect(deciding(explained) == [.write] && explained.rungs.last?.kind == .write)
    }

    @Test func theCallAsAWholeIsAskedForFirst() throws {
        let world = try World("A", "B")
        #expect(try world.suspend("A", .limited) == .success)
        let unknown = try world.explainAdd("B", to: "ghost")
        #expect(unknown.answer == Outcome(.accountNotFound, Reason.FriendAdd.accountNotExist))
        #expect(unknown.rungs.map(\.kind) == [.ownAccount] && deciding(unknown) == [.ownAccount])
        let suspended = try world.explainAdd(nil, to: "A")
        #expect(suspended.answer == Outcome(.addRestricted, Reason.Suspended.friendAddOneself))
        #expect(deciding(suspended) == [.ownSuspension])
        #expect(try rung(.ownSuspension, suspended).value == "SUSPENSION_LEVEL_LIMITED")
        let malformed = try world.explainAdd(nil, to: "A", force: true)
        #expect(malformed.answer == Outcome(.invalidParameter, Reason.FriendAdd.userIDIllegal))
        #expect(deciding(malformed) == [.peerID])
        let oneself = try world.explainAdd("A", to: "A", force: true)
        #expect(oneself.answer == Outcome(.invalidParameter, Reason.FriendAdd.oneself))
        #expect(deciding(oneself) == [.otherUser])
        let end = world.now.milliseconds + 1_000
        #expect(try world.suspend("B", .suspended, until: end) == .success)
        #expect(try world.reinstate("A") == .success)
        let shielded = try world.explainAdd("B", to: "A")
        #expect(shielded.answer == Outcome(.addRestricted, Reason.Suspended.friendAdd))
        #expect(deciding(shielded) == [.peerSuspension])
        #expect(shielded.rungs.last?.rows.map(\.endTimeMs) == [end])
        #expect(try deciding(world.explainAdd("B", to: "A", force: true)) == [.write])
    }

    @Test func aUserLearnsOfABlockLast() throws {
        let world = try World("A", "B")
        #expect(try world.block("A", by: "B") == .success)
        try world.allow(.denyAny, for: "B")
        #expect(try deciding(world.explainAdd("B", to: "A")) == [.peerBlacklist])
        let denied = try world.explainAdd("B", to: "A", isOwn: true)
        #expect(deciding(denied) == [.peerAllowType])
        #expect(!denied.rungs.contains { $0.kind == .peerBlacklist })
        #expect(try rung(.peerAllowType, denied).value == "ALLOW_TYPE_DENY_ANY")
        #expect(try rung(.peerAllowType, denied).setting == nil)
        for type in [AllowType.allowAny, .needConfirm] {
            try world.allow(type, for: "B")
            let blocked = try world.explainAdd("B", to: "A", isOwn: true)
            #expect(blocked.answer == .blocked)
            #expect(deciding(blocked) == [.peerBlacklist])
            #expect(blocked.rungs.last?.rows.map(\.isPresent) == [true])
        }
    }

    @Test func numbersStandBesideTheirBounds() throws {
        let world = try World("A", "B", "C")
        world.settings.limits.friends = 1
        world.settings.newAccountQuarantineMs = 60_000
        #expect(try world.add("C", to: "B", .single, force: true) == .success)
        let young = try world.explainAdd("B", to: "A")
        #expect(young.answer == Outcome(.addRestricted, Reason.FriendAdd.newAccount))
        #expect(deciding(young) == [.quarantine])
        world.advance(milliseconds: 59_999)
        let age = try rung(.quarantine, world.explainAdd("B", to: "A"))
        #expect(age.decided && age.bound?.count == 59_999 && age.bound?.limit == 60_000)
        #expect(age.setting?.name == "new_account_quarantine_ms" && age.setting?.isOn == true)
        world.advance(milliseconds: 1)
        let full = try world.explainAdd("B", to: "A")
        #expect(deciding(full) == [.peerFriendRoom])
        let own = try rung(.ownFriendRoom, full)
        #expect(own.bound?.count == 0 && own.bound?.limit == 1)
        let room = try rung(.peerFriendRoom, full)
        #expect(room.bound?.count == 1 && room.bound?.limit == 1)
        #expect(room.setting?.name == "limits.friends" && room.rows.map(\.owner) == ["B"])
        let allow = try rung(.peerAllowType, full)
        #expect(allow.value == "ALLOW_TYPE_ALLOW_ANY")
        #expect(allow.setting?.name == "default_allow_type")
        // One row alone takes no room of B's list.
        #expect(try deciding(world.explainAdd("B", to: "A", .single)) == [.write])
    }

    @Test func aRefusalHasTheEndOfItsTime() throws {
        let world = try World("A", "B", "C")
        world.settings.applicationCooldownMs = 60_000
        world.settings.applicationsReceivedPerDay = 2
        world.settings.defaultAllowType = .needConfirm
        #expect(try world.add("B", to: "A").code == .pending)
        let renewed = try world.explainAdd("B", to: "A")
        #expect(deciding(renewed) == [.write] && renewed.answer.code == .pending)
        #expect(!renewed.rungs.contains { $0.kind == .applicationsSent })
        world.advance(milliseconds: 10)
        #expect(try world.respond(to: "A", of: "B", .reject) == .success)
        let end = world.now.milliseconds + 60_000
        let refused = try world.explainAdd("B", to: "A")
        #expect(refused.answer == Outcome(.addRestricted, Reason.FriendAdd.coolingDown))
        #expect(deciding(refused) == [.cooldown])
        #expect(refused.rungs.last?.rows.map(\.endTimeMs) == [end])
        #expect(try world.add("B", to: "C").code == .pending)
        world.now = Timestamp(milliseconds: end)
        let busy = try world.explainAdd("B", to: "A")
        #expect(busy.answer == Outcome(.addRestricted, Reason.FriendAdd.peerRestricted))
        #expect(deciding(busy) == [.applicationsReceived])
        let received = try rung(.applicationsReceived, busy)
        #expect(received.bound?.count == 2 && received.bound?.limit == 2)
        #expect(try rung(.cooldown, busy).rows.map(\.isPresent) == [false])
        // C has applied to B, so B needs no consent of C.
        let met = try world.explainAdd("C", to: "B")
        #expect(deciding(met) == [.write] && met.answer.code == .success)
        #expect(try rung(.peerApplication, met).rows.map(\.isPresent) == [true])
    }

    @Test func aHookIsNamedAndNotAsked() throws {
        let world = try World("A", "B")
        var hook = HookRecord()
        (hook.id, hook.asks) = ("hook", [.addFriends])
        world.settings.hooks = [hook]
        let explained = try world.explainAdd("B", to: "A")
        #expect(explained.rungs.prefix(4).map(\.kind).last == .hook)
        #expect(try rung(.hook, explained).hookID == "hook" && deciding(explained) == [.write])
        world.settings.hooks[0].isPaused = true
        let paused = try world.explainAdd("B", to: "A")
        #expect(!paused.rungs.contains { $0.kind == .hook })
        #expect(try world.explainFollow("A", "B").rungs.allSatisfy { $0.kind != .hook })
    }

    @Test func anExplanationMakesNoAccount() throws {
        let world = try World("A")
        world.settings.makesAccountsImplicitly = true
        let before = try world.snapshot(of: ["A", "ghost", "other"])
        let pairs: [(UserID, UserID)] = [("A", "ghost"), ("ghost", "A"), ("ghost", "other")]
        for (one, other) in pairs {
            #expect(try deciding(world.explainAdd(other, to: one)) == [.write])
        }
        #expect(try world.snapshot(of: ["A", "ghost", "other"]) == before)
        #expect(try world.userRecord(of: "ghost") == nil)
    }

    /// A rule that would change has another explanation: in random histories both say the same of
    /// every pair, and each write is tried and taken back.
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func inRandomHistoriesTheAnswerIsThatOfATriedWrite(_ seed: UInt64) throws {
        let types: [AllowType] = [.allowAny, .needConfirm, .denyAny]
        var settings = RelationHistory.settings(
            defaultAllowType: types[Int(seed % 3)], keepsFriendships: seed % 2 == 0)
        if seed > 3 {
            settings.applicationsPerDay = 3
            settings.applicationsReceivedPerDay = 2
            settings.applicationCooldownMs = 3_600_000
            settings.newAccountQuarantineMs = 60_000
        }
        let world = try World(settings: settings)
        let users = RelationHistory.users
        try world.create(users)
        var mix = RelationHistory.Mix()
        mix.mostlyAdds = seed % 2 == 1
        var history = RelationHistory(seed: seed, mix)
        for number in 0..<150 {
            let step = history.next()
            _ = try? world.apply(step)
            for other in users + [RelationHistory.ghost] {
                let findings = try world.writeExplanationFindings(by: step.actor, about: other)
                try #require(findings == [], "seed \(seed), step \(number): \(step)")
            }
        }
    }
}
