import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCore

/// SetStatus, and the reading of statuses.
@Suite struct StatusTests {
    private func read(_ user: UserID, in world: World) throws -> StatusRecord? {
        try world.read { (transaction) throws(StorageError) in
            try Statuses.records(of: [user], at: world.now, app: world.app, in: transaction)[0]
        }
    }

    @Test func aStatusHoldsUntilItsEndOrUntilItIsChanged() throws {
        let world = try World("A")
        #expect(try read("A", in: world) == nil)
        let end = World.start + 60_000
        #expect(try world.setStatus("away", of: "A", until: end) == .success)
        #expect(try read("A", in: world) == StatusRecord("away", until: end))
        world.advance(milliseconds: 59_999)
        #expect(try read("A", in: world) != nil)
        world.advance(milliseconds: 1)
        #expect(try read("A", in: world) == nil)
        #expect(try world.setStatus("back", of: "A") == .success)
        world.advance(milliseconds: 1_000_000_000)
        #expect(try read("A", in: world) == StatusRecord("back", until: 0))
        #expect(try world.setStatus("", of: "A") == .success)
        #expect(try read("A", in: world) == nil)
    }

    @Test func refusalsComeInTheirOrderAndTheSameStatusChangesNothing() throws {
        var settings = AppSettings.tim
        settings.limits.status = .characters(4)
        settings.forbiddenWords = ["bad"]
        let world = try World("A", settings: settings)
        #expect(
            try world.setStatus("bad é", of: "A")
                == Outcome(.invalidParameter, Reason.StatusSet.textIllegal))
        #expect(
            try world.setStatus("Bad", of: "A")
                == Outcome(.sensitiveText, Reason.StatusSet.sensitiveText))
        #expect(try world.setStatus("", of: "A") == .unchanged)
        #expect(try world.setStatus("éééé", of: "A") == .success)
        #expect(try world.setStatus("éééé", of: "A") == .unchanged)
    }

    @Test func theOwnLogTellsTheStatus() throws {
        let world = try World("A", "B")
        world.makeFriends("A", "B")
        let sequence = try world.userRecord(of: "B")?.sequence
        #expect(try world.setStatus("away", of: "A", until: 5) == .success)
        #expect(try world.setStatus("", of: "A") == .success)
        let notified = try world.events(of: "A").filter { $0.kind == .statusChanged }
        #expect(
            notified.map { $0.items.map(\.status) }
                == [[StatusRecord("away", until: 5)], [StatusRecord()]])
        #expect(try world.userRecord(of: "B")?.sequence == sequence)
    }

    @Test func aDeletedAccountLeavesNoStatus() throws {
        let world = try World("A")
        #expect(try world.setStatus("away", of: "A") == .success)
        try world.deleteAccount("A")
        try world.runJobs()
        #expect(try world.rows(of: Tables.statuses, of: "A").isEmpty)
    }

    @Test func aReaderLooksUpNoStatusOfWhoSurelyHasNone() throws {
        let world = try World("A", "B")
        func lacks(_ user: UserID) throws -> Bool? {
            try world.userRecord(of: user)?.lacksStatus
        }
        #expect(try lacks("A") == true)
        #expect(try world.setStatus("away", of: "A") == .success)
        #expect(try lacks("A") == false)
        // An older server knows nothing of the flag.
        try world.changeUserRecord(of: "B") { $0.lacksStatus = false }
        let users: [UserID] = ["A", "B", "C"]
        let found = try world.read { (transaction) throws(StorageError) in
            try Statuses.records(
                of: users, with: Accounts.records(of: users, app: world.app, in: transaction),
                at: world.now, app: world.app, in: transaction)
        }
        #expect(found == [StatusRecord("away", until: 0), nil, nil])
        #expect(try world.setStatus("", of: "A") == .success)
        #expect(try lacks("A") == true)
    }

    @Test func aFlagThatHidesAStatusIsFoundAndRepaired() throws {
        let world = try World("A")
        #expect(try world.setStatus("away", of: "A") == .success)
        try world.changeUserRecord(of: "A") { $0.lacksStatus = true }
        let found = try world.integrity()
        #expect(found.count == 1 && found[0].hasSuffix(" status "))
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try Integrity.repair("A", in: ledger)
        }
        #expect(try world.integrity() == [])
    }
}
