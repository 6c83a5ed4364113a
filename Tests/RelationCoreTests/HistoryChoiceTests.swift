import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// Taking back what calls changed: those of a request id, or those of a caller within a time.
@Suite struct HistoryChoiceTests {
    private static let users: [UserID] = ["A", "B", "C"]

    private func world() throws -> World {
        var settings = AppSettings.tim
        settings.historyDays = 30
        return try World("A", "B", "C", settings: settings)
    }

    private func expectWhole(_ world: World) throws {
        let findings = try Audit(world, Self.users).findings
        #expect(findings == [])
        #expect(try world.integrity() == [])
    }

    /// `actor` adds these friends in one call, on both sides.
    private func add(
        _ friends: UserID..., to actor: UserID, request: String = "", _ world: World
    ) throws {
        try world.call(by: actor, requestID: request) { (ledger) throws(StorageError) in
            for friend in friends {
                _ = try FriendRules.add(
                    FriendItem(user: friend), to: actor, .both, force: true, in: ledger)
            }
        }
        world.advance(milliseconds: 1_000)
    }

    private func areFriends(_ world: World, _ one: UserID, _ other: UserID) throws -> Bool {
        try world.friend(other, of: one) != nil
    }

    // MARK: A request id

    @Test func aRequestIsTakenBackWithAllItsEntriesAndNoOther() throws {
        let world = try world()
        try add("B", "C", to: "A", request: "r1", world)
        try add("C", to: "B", request: "r10", world)
        let taken = try world.undoChosen { $0.requestID = "r1" }
        #expect(taken.positions == [2, 1] && taken.outcomes == [.success, .success])
        #expect(taken.next == nil)
        #expect(try !areFriends(world, "A", "B") && !areFriends(world, "A", "C"))
        #expect(try areFriends(world, "B", "C"))
        try expectWhole(world)
        // An entry that was taken back already is as it should be.
        let again = try world.undoChosen { $0.requestID = "r1" }
        #expect(again.positions == [2, 1] && again.outcomes == [.unchanged, .unchanged])
        #expect(try world.undoChosen { $0.requestID = "r" }.positions == [])
        try expectWhole(world)
    }

    @Test func aListOfARequestHasItsEntries() throws {
        let world = try world()
        try add("B", "C", to: "A", request: "r1", world)
        try add("C", to: "B", world)
        #expect(try world.history { $0.requestID = "r1" }.entries.map(\.position) == [2, 1])
        let first = try world.history(limit: 1) { $0.requestID = "r1" }
        #expect(first.entries.map(\.position) == [2] && first.next == 2)
        let next = try world.history(below: 2, limit: 1) { $0.requestID = "r1" }
        #expect(next.entries.map(\.position) == [1] && next.next == nil)
    }

    @Test func theRowsOfARequestGoWithItsEntries() throws {
        let world = try world()
        try add("B", to: "A", request: "r1", world)
        try add("C", to: "A", request: "r2", world)
        world.advance(milliseconds: 30 * 86_400_000)
        while try world.maintenance() {}
        #expect(
            try world.rows(of: Tables.historyOfRequests, in: world.app.historyRequests).isEmpty)
        try expectWhole(world)
    }

    @Test func theRequestOfAnErasedUserLeadsNowhere() throws {
        let world = try world()
        // It acts between two others, and about itself.
        try world.call(by: "A", requestID: "r1") { (ledger) throws(StorageError) in
            _ = try FriendRules.add(FriendItem(user: "C"), to: "B", .both, force: true, in: ledger)
        }
        try add("B", to: "A", request: "r1", world)
        try world.deleteAccount("A")
        try world.runJobs()
        #expect(try world.history().entries.map(\.record.requestID) == [""])
        #expect(
            try world.rows(of: Tables.historyOfRequests, in: world.app.historyRequests).isEmpty)
        #expect(try world.undoChosen { $0.requestID = "r1" }.positions == [])
        try expectWhole(world)
    }

    // MARK: A caller within a time

    @Test func aUsersCallsWithinATimeAreTakenBackTheLatestFirst() throws {
        let world = try world()
        try add("B", to: "A", world)
        let since = world.now.milliseconds
        try add("C", to: "A", world)
        #expect(try world.update("C", of: "A") { $0.remark = "x" } == .success)
        world.advance(milliseconds: 1_000)
        try add("C", to: "B", world)
        let until = world.now.milliseconds
        #expect(try world.block("C", by: "A") == .success)
        let taken = try world.undoChosen {
            ($0.actor, $0.sinceMs, $0.untilMs) = ("A", since, until)
        }
        #expect(taken.positions == [3, 2])
        // The later block has ended the friendship, so the addition is taken back already.
        let changed = FriendOutcome(.invalidParameter, Reason.ChangeUndo.changedSince)
        #expect(taken.outcomes == [changed, .unchanged])
        let all = try world.undoChosen { ($0.actor, $0.sinceMs) = ("A", since) }
        #expect(all.positions == [5, 3, 2] && all.outcomes == [.success, .success, .success])
        #expect(try !areFriends(world, "A", "C") && areFriends(world, "A", "B"))
        #expect(try areFriends(world, "B", "C") && !world.blocks("C", by: "A"))
        try expectWhole(world)
    }

    @Test func theKindOfTheCredentialChooses() throws {
        let world = try world()
        for caller in [CallerKind.user, .backEnd] {
            try world.commit { (transaction) throws(StorageError) in
                let ledger = Ledger(
                    app: world.app, now: world.now, origin: Origin(user: "A", caller: caller),
                    transaction: transaction)
                let friend: UserID = caller == .user ? "B" : "C"
                _ = try FriendRules.add(
                    FriendItem(user: friend), to: "A", .both, force: true, in: ledger)
                try ledger.close()
            }
        }
        let taken = try world.undoChosen { ($0.caller, $0.sinceMs) = (.backEnd, 1) }
        #expect(taken.positions == [2] && taken.outcomes == [.success])
        #expect(try areFriends(world, "A", "B") && !areFriends(world, "A", "C"))
    }

    @Test func applicationsAreLeftOut() throws {
        let world = try world()
        world.settings.defaultAllowType = .needConfirm
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.undoChosen { ($0.actor, $0.sinceMs) = ("A", 1) }.positions == [])
    }

    // MARK: Batches

    @Test func batchesGoOnWhereTheOneBeforeEnded() throws {
        let world = try world()
        try add("B", "C", to: "A", request: "r1", world)
        try add("C", to: "B", request: "r1", world)
        var positions: [[UInt64]] = []
        var below: UInt64? = 0
        while let position = below {
            let taken = try world.undoChosen(below: position, limit: 1) { $0.requestID = "r1" }
            #expect(taken.outcomes == [.success])
            positions.append(taken.positions)
            below = taken.next
        }
        #expect(positions == [[3], [2], [1]])
        try expectWhole(world)
    }

    @Test func oneCallLooksAtABoundedNumberOfEntries() throws {
        let world = try world()
        try add("B", to: "A", world)
        for number in 0..<Limits.undoneHistoryRows {
            #expect(try world.update("B", of: "A") { $0.remark = "\(number)" } == .success)
        }
        let first = try world.undoChosen { ($0.actor, $0.caller, $0.sinceMs) = ("A", .user, 1) }
        #expect(first.positions == [] && first.next == 2)
        let last = try world.undoChosen(below: 2) {
            ($0.actor, $0.caller, $0.sinceMs) = ("A", .user, 1)
        }
        #expect(last.positions == [] && last.next == nil)
    }

    @Test func noEntryIsLookedAtThatIsMuchOlder() throws {
        let world = try world()
        for _ in 0..<3 {
            try add("B", to: "A", world)
            #expect(try world.delete("B", from: "A", .both) == .success)
        }
        world.advance(milliseconds: Limits.historySkewMilliseconds + 10_000)
        let since = world.now.milliseconds
        try add("C", to: "A", world)
        let taken = try world.undoChosen(limit: 1) { ($0.actor, $0.sinceMs) = ("A", since) }
        #expect(taken.positions == [7] && taken.next == 7)
        let rest = try world.undoChosen(below: 7, limit: 1) {
            ($0.actor, $0.sinceMs) = ("A", since)
        }
        #expect(rest.positions == [] && rest.next == nil)
    }
}
