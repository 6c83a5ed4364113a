import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// ReportPendencies: the read mark, and the unread applications after it.
@Suite struct PendencyReportTests {
    private let applicants: [UserID] = ["B", "C", "D", "E"]

    /// User "A", to whom four users applied, one second after each other.
    private func world() throws -> World {
        let world = try World("A", "B", "C", "D", "E")
        try world.allow(.needConfirm, for: "A")
        for user in applicants {
            world.advance(milliseconds: 1_000)
            try #require(try world.add("A", to: user, .single).code == .pending)
        }
        return world
    }

    @Test(arguments: [
        (999, 4), (1_000, 3), (1_001, 3), (3_000, 1), (3_999, 1), (4_000, 0), (90_000, 0),
    ])
    func theMarkIsInclusive(_ offset: Int64, _ unread: Int) throws {
        let world = try world()
        #expect(try world.report(upTo: World.start + offset, of: "A") == unread)
        #expect(try world.pendencies(of: "A").unread == unread)
        #expect(try world.pendencies(of: "A").items.count == 4, "what is read still waits")
        #expect(try Audit(world, ["A", "B", "C", "D", "E"]).findings == [])
    }

    @Test func theUsersDevicesAreNotifiedAndNoOtherUser() throws {
        let world = try world()
        let counts = try ["A", "B"].map {
            try world.userRecord(of: UserID(stored: $0.utf8))!.sequence
        }
        #expect(try world.report(upTo: World.start + 2_000, of: "A") == 2)
        let notified = try world.events(of: "A", after: counts[0])
        #expect(notified.map(\.kind) == [.pendencyReport])
        #expect(notified.first?.items.map(\.readTimeMs) == [World.start + 2_000])
        #expect(try world.userRecord(of: "B")?.sequence == counts[1])
        #expect(try world.pendencies(of: "A").sequence == counts[0] + 1)
    }

    @Test func aReportThatMovesNothingTellsNothing() throws {
        let world = try world()
        func reports(_ timeMs: Int64) throws(StorageError) -> Bool {
            try world.call(by: "A") { (ledger) throws(StorageError) in
                let report = try ApplicationRules.report(upTo: timeMs, of: "A", in: ledger)
                return report.changed
            }
        }
        #expect(try reports(World.start + 2_000))
        let before = try world.snapshot(of: ["A"])
        for offset: Int64 in [2_000, 1_999, 1, -World.start + 1] {
            #expect(try !reports(World.start + offset))
            #expect(try world.report(upTo: World.start + offset, of: "A") == 2)
        }
        #expect(try world.snapshot(of: ["A"]) == before, "the mark moves only forward")
        world.advance(milliseconds: 60_000)
        #expect(try world.report(upTo: .max, of: "A") == 0)
        let all = try world.snapshot(of: ["A"])
        #expect(try world.report(upTo: .max, of: "A") == 0)
        #expect(try world.snapshot(of: ["A"]) == all)
    }

    @Test func aUserWithoutApplicationsReportsNothing() throws {
        let world = try World("A")
        #expect(try world.report(upTo: .max, of: "A") == 0)
        #expect(try world.userRecord(of: "A")?.sequence == 0)
    }

    @Test func aReportFromTheFutureDoesNotReadWhatComesLater() throws {
        let world = try world()
        #expect(try world.report(upTo: .max, of: "A") == 0)
        // The applications come in the same millisecond, and with a clock that went back.
        for pause: Int64 in [0, -60_000, 1] {
            world.advance(milliseconds: pause)
            #expect(try world.add("A", to: "B", .single).code == .pending)
            #expect(try world.pendencies(of: "A").unread == 1)
            let newest = try #require(try world.pendencies(of: "A").items.first)
            #expect(newest.record.userID == "B", "renewed, it is the newest")
            #expect(try world.report(upTo: newest.record.timeMs, of: "A") == 0)
        }
    }

    @Test func whatWasSentIsNeverUnread() throws {
        let world = try world()
        try world.allow(.needConfirm, for: "B")
        #expect(try world.add("B", to: "A", .single).code == .pending)
        #expect(try world.pendencies(of: "A").unread == 4)
        #expect(try world.report(upTo: World.start + 3_999, of: "A") == 1)
        #expect(try world.pendencies(of: "A", .sendOut).unread == 1)
    }

    @Test func handlingWhatIsReadLeavesTheCount() throws {
        let world = try world()
        #expect(try world.report(upTo: World.start + 2_000, of: "A") == 2)
        #expect(try world.respond(to: "B", of: "A", .reject) == .success)
        #expect(try world.pendencies(of: "A").unread == 2)
        #expect(try world.withdraw(from: "A", of: "E") == .success)
        #expect(try world.pendencies(of: "A").unread == 1)
        #expect(try world.deletePendency(.comeIn, with: "D", of: "A") == .success)
        #expect(try world.pendencies(of: "A").unread == 0)
        #expect(try Audit(world, ["A", "B", "C", "D", "E"]).findings == [])
    }
}
