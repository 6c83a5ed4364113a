import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@Suite struct ReportTests {
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

    private func refusal(_ reason: Reason) -> FriendOutcome {
        FriendOutcome(.invalidParameter, reason)
    }

    // MARK: Reporting

    @Test func aUserHasOneReportAboutAnotherAndALaterOneTakesItsPlace() throws {
        let world = try world()
        let start = world.now.milliseconds
        #expect(try world.report("B", by: "A", .spam, text: "one") == .success)
        #expect(try world.resolve(1, .dismissed, note: "nothing") == .success)
        world.advance(milliseconds: 5)
        #expect(try world.report("B", by: "A", .fraud, text: "two") == .success)
        let rows = try world.reports().rows
        let record = try #require(rows.first)
        #expect(rows.count == 1 && record.reportID == "2" && record.count == 2)
        #expect(record.category == .fraud && record.text == "two")
        #expect(record.isOpen && record.note.isEmpty && record.resolveTimeMs == 0)
        #expect(record.firstReportTimeMs == start && record.reportTimeMs == start + 5)
        // A moderator who saw the first one has to look anew.
        #expect(try world.resolve(1, .warned) == refusal(Reason.ReportResolve.notExist))
        try expectWhole(world)
    }

    @Test func theFirstReasonThatAppliesIsTheAnswer() throws {
        let world = try world()
        var bounds = Reports.Bounds()
        (bounds.perWindow, bounds.aboutUser) = (2, 1)
        #expect(try world.report("A", by: "A") == refusal(Reason.UserReport.oneself))
        #expect(
            try world.report("ghost", by: "A")
                == FriendOutcome(.accountNotFound, Reason.UserReport.accountNotExist))
        #expect(try world.report("C", by: "B", within: bounds) == .success)
        // The user has as many reports as are kept; one's own is replaced.
        #expect(try world.report("C", by: "A", within: bounds) == refusal(Reason.UserReport.full))
        #expect(try world.report("C", by: "B", within: bounds) == .success)
        let often = refusal(Reason.UserReport.tooFrequent)
        #expect(try world.report("C", by: "B", within: bounds) == often)
        #expect(try world.report("D", by: "B", within: bounds) == often)
        // The next day in UTC counts anew.
        world.advance(milliseconds: 86_400_000)
        #expect(try world.report("D", by: "B", within: bounds) == .success)
        try expectWhole(world)
    }

    @Test(arguments: [60_000, 5_400_000, 7 * 86_400_000])
    func reportsAreCountedInTheWindowsThatTheAppSets(_ length: Int64) throws {
        let world = try world()
        world.settings.reportsWindowMs = length
        world.now = Timestamp(milliseconds: World.start / length * length)
        var bounds = Reports.Bounds()
        bounds.perWindow = 2
        #expect(try world.report("B", by: "A", within: bounds) == .success)
        world.advance(milliseconds: length - 1)
        #expect(try world.report("C", by: "A", within: bounds) == .success)
        let often = refusal(Reason.UserReport.tooFrequent)
        #expect(try world.report("D", by: "A", within: bounds) == often)
        #expect(try world.report("C", by: "B", within: bounds) == .success)
        world.advance(milliseconds: 1)
        #expect(try world.report("D", by: "A", within: bounds) == .success)
        #expect(try world.userRecord(of: "A")?.reportsMade(at: world.now, world.settings) == 1)
        // A window that began at another moment counts anew.
        world.advance(milliseconds: length / 2)
        world.settings.reportsWindowMs = length / 2
        #expect(try world.userRecord(of: "A")?.reportsMade(at: world.now, world.settings) == 0)
        try expectWhole(world)
    }

    @Test func anAppThatIsFullDropsTheOldestReport() throws {
        let world = try world()
        var bounds = Reports.Bounds()
        bounds.ofApp = 2
        #expect(try world.report("B", by: "A", within: bounds) == .success)
        #expect(try world.report("C", by: "A", within: bounds) == .success)
        #expect(try world.resolve(1, .warned) == .success)
        #expect(try world.report("D", by: "A", within: bounds) == .success)
        #expect(try world.reports().rows.map(\.reportedUserID) == ["D", "C"])
        let counts = try world.reportCounts()
        #expect(counts.count == 2 && counts.openCount == 2)
        try expectWhole(world)
    }

    /// Else a hundred that were dismissed would shield a user from all others.
    @Test func aClosedReportAboutAUserGivesWayToAnOpenOne() throws {
        let world = try world()
        var bounds = Reports.Bounds()
        bounds.aboutUser = 2
        #expect(try world.report("D", by: "A", within: bounds) == .success)
        #expect(try world.report("D", by: "B", within: bounds) == .success)
        let full = refusal(Reason.UserReport.full)
        #expect(try world.report("D", by: "C", within: bounds) == full)
        #expect(try world.resolve(2, .dismissed) == .success)
        #expect(try world.report("D", by: "C", within: bounds) == .success)
        #expect(try world.reports(about: "D").rows.map(\.reporterUserID) == ["C", "A"])
        #expect(try world.report("D", by: "B", within: bounds) == full)
        // Of two that are closed the older one goes.
        #expect(try world.resolve(1, .warned) == .success)
        #expect(try world.resolve(3, .dismissed) == .success)
        #expect(try world.report("D", by: "B", within: bounds) == .success)
        #expect(try world.reports(about: "D").rows.map(\.reporterUserID) == ["B", "C"])
        let counts = try world.reportCounts()
        #expect(counts.count == 2 && counts.openCount == 1)
        try expectWhole(world)
    }

    @Test func noLogTellsOfAReport() throws {
        let world = try world()
        let before = try Self.users.map { try world.userRecord(of: $0)?.sequence }
        #expect(try world.report("B", by: "A") == .success)
        #expect(try world.resolve(1, .suspended) == .success)
        #expect(try Self.users.map { try world.userRecord(of: $0)?.sequence } == before)
        let events = try world.rows(of: Tables.feed, in: world.app.feed)
            .flatMap { $0.record.events.compactMap(\.event) }
            .filter { $0.kind == .userReported || $0.kind == .reportResolved }
        #expect(events.map(\.kind) == [.userReported, .reportResolved])
        #expect(events.flatMap(\.items).map(\.userID) == ["B", "B"])
        #expect(events.last?.items.first?.report?.outcome == .suspended)
    }

    // MARK: Closing

    @Test func anOutcomeClosesAReportOnceAndMayBeChanged() throws {
        let world = try world()
        #expect(try world.report("B", by: "A") == .success)
        #expect(try world.resolve(2, .warned) == refusal(Reason.ReportResolve.notExist))
        #expect(try world.resolve(1, .warned, note: "first") == .success)
        #expect(try world.resolve(1, .warned, note: "first") == .unchanged)
        #expect(try world.userRecord(of: "B")?.openReportCount == 0)
        world.advance(milliseconds: 3)
        #expect(try world.resolve(1, .suspended, note: "again") == .success)
        #expect(try world.reports().rows.first?.resolveTimeMs == world.now.milliseconds)
        #expect(try world.reportCounts().openCount == 0)
        try expectWhole(world)
    }

    // MARK: The end

    @Test func aReportGoesAfterItsTimeInSteps() throws {
        let world = try world()
        for user: UserID in ["B", "C", "D"] {
            #expect(try world.report(user, by: "A") == .success)
            world.advance(milliseconds: 1)
        }
        world.advance(milliseconds: Limits.reportMilliseconds - 2)
        #expect(try world.removeReports(limit: 1) == 2)
        #expect(try world.reports().rows.map(\.reportedUserID) == ["D"])
        world.advance(milliseconds: 1)
        #expect(try world.removeReports() == 1)
        #expect(try world.reports().rows.isEmpty)
        try expectWhole(world)
    }

    @Test func reportsAboutADeletedAccountGoAndThoseThatItMadeStayWithoutItsID() throws {
        let world = try world()
        #expect(try world.report("B", by: "A", text: "words") == .success)
        #expect(try world.report("A", by: "C") == .success)
        #expect(try world.resolve(2, .dismissed) == .success)
        try world.deleteAccount("A")
        try world.runJobs()
        let rows = try world.reports().rows
        #expect(rows.map(\.reportedUserID) == ["B"] && rows.map(\.reporterUserID) == [""])
        #expect(rows.first?.text == "words")
        let counts = try world.reportCounts()
        #expect(counts.count == 1 && counts.openCount == 1)
        try expectWhole(world)
    }

    // MARK: The list

    @Test func pagesAreTheLatestFirst() throws {
        let world = try world()
        for (reported, reporter): (UserID, UserID) in [("B", "A"), ("C", "A"), ("B", "D")] {
            #expect(try world.report(reported, by: reporter) == .success)
        }
        func ids(_ user: UserID?, _ limit: Int) throws -> [[String]] {
            var (pages, below): ([[String]], UInt64) = ([], 0)
            repeat {
                let page = try world.reports(about: user, below: below, limit: limit)
                pages.append(page.rows.map(\.reportID))
                below = page.next ?? 0
            } while below != 0
            return pages
        }
        #expect(try ids(nil, 2) == [["3", "2"], ["1"]])
        #expect(try ids("B", 1) == [["3"], ["1"]])
        #expect(try ids("D", 1) == [[]])
    }

    // MARK: Damage

    @Test func aCheckFindsAndRepairsWhatDoesNotFit() throws {
        let damages = [
            Damage("report") { (ledger) throws(StorageError) in
                try ledger.changeUserRecord(of: "B") { $0.openReportCount = 7 }
            },
            Damage("report") { ledger in
                Tables.reportIndex.remove(ledger.app.reports, 1, in: ledger.transaction)
            },
            Damage("report") { ledger in
                Tables.madeReports.remove(ledger.partition(of: "A"), "B", in: ledger.transaction)
            },
            Damage("report") { (ledger) throws(StorageError) in
                var indexRecord = ReportIndexRecord()
                indexRecord.userID = "C"
                try Tables.reportIndex.set(
                    indexRecord, at: ledger.app.reports, 9, in: ledger.transaction)
            },
            Damage("report") { (ledger) throws(StorageError) in
                var indexRecord = ReportIndexRecord()
                indexRecord.number = 9
                try Tables.madeReports.set(
                    indexRecord, at: ledger.partition(of: "D"), "C", in: ledger.transaction)
            },
            Damage("report") { ledger in
                Tables.reportCounts.remove(ledger.app.reports, OnlyKey(), in: ledger.transaction)
            },
        ]
        for (index, damage) in damages.enumerated() {
            let world = try world()
            #expect(try world.report("B", by: "A") == .success)
            try world.call(by: nil, damage.make)
            #expect(try !world.integrity().isEmpty, "\(index)")
            try world.call(by: nil) { (ledger) throws(StorageError) in
                for user in Self.users { _ = try Integrity.repair(user, in: ledger) }
                _ = try Integrity.repairReports(in: ledger)
            }
            try expectWhole(world)
        }
    }
}
