import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@Suite struct ErasureTests {
    private let rare: UserID = "rare"

    @discardableResult
    private func erase(
        _ user: UserID, _ world: World, digest: String = ""
    ) throws -> AccountDeletion.Start {
        try world.call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start(user, erasing: .init(digest: digest), in: ledger)
        }
    }

    /// Whether some row of the store has the text.
    private func holds(_ text: String, _ world: World) throws -> Bool {
        try world.everything().joined().contains { row in
            (row.suffix + row.value).firstRange(of: Array(text.utf8)) != nil
        }
    }

    @Test func nothingIsLeftButWhatAReceiptSays() throws {
        let world = try World()
        try ErasureFill(world, rare, "zq7").fill()
        #expect(try erase(rare, world, digest: "d") == .started(2))
        try world.runJobs()
        #expect(try !holds("rare", world) && !holds("zq7", world))
        #expect(try world.kinds(of: rare) == [])
        #expect(try world.integrity() == [])
        #expect(try Audit(world, ErasureFill.others).findings == [])
        let deletion = try #require(try world.deletion(2))
        #expect(deletion.state == .done && deletion.userID.isEmpty && deletion.digest == "d")
        let tally = try #require(deletion.tally)
        #expect(tally.events > 10 && tally.feedEntries > 5)
        #expect(tally.removedFriends > 0 && tally.applications == 2 && tally.answers == 2)
        // The long log, the end of sessions, the look at all users, an import, the failure of a
        // hook, the deletion before, and the departed record.
        #expect(tally.others == 7)
        let reports = try world.reports().rows
        #expect(tally.reports == 1 && reports.map(\.reportedUserID) == ["kim"])
        #expect(reports.map(\.text) == [""] && reports.map(\.reference) == [""])
        #expect(deletion.kept?.reportsUntilMs == 0)
        #expect(deletion.kept?.sessionEndDigest == true && deletion.kept?.sessionEnd == false)
        #expect(try world.deletion(1)?.userID == "")
    }

    @Test func itIsTheTurnOfAnErasureOrOfADeletion() throws {
        let world = try World(rare, "ann")
        try erase(rare, world)
        while try world.nextJob()?.erases == false { _ = try world.stepJob() }
        var record = JobRecord()
        (record.app, record.userID) = (world.app.id, "ann")
        let turns = try world.commit { [record] (transaction) throws(StorageError) in
            try Tables.jobs.set(record, at: Jobs.partition, 99, in: transaction)
            let turns = [
                try Jobs.next(in: transaction)?.erases,
                try Jobs.next(erasesNext: true, in: transaction)?.erases,
            ]
            Tables.jobs.remove(Jobs.partition, 99, in: transaction)
            return turns
        }
        #expect(turns == [false, true])
        // Without the other kind there is no turn to wait for.
        #expect(try world.nextJob()?.erases == true)
    }

    /// A server that delivers for a hook has events in memory, which it is to forget.
    @Test(arguments: [false, true])
    func eachHookNotesTheErasureUnlessTheLogsAreKept(keepsLogs: Bool) throws {
        var settings = AppSettings.tim
        settings.erasure.keepsLogs = keepsLogs
        let world = try World(rare, "ann", settings: settings)
        let id = HookID("a0a0a0a0a0a0a0a0")
        var progress = HookProgressRecord()
        (progress.round, progress.position, progress.holder) = (7, 3, "server")
        try world.write { [progress] (transaction) throws(StorageError) in
            try Tables.hookProgress.set(
                progress, at: world.app.partition, id, in: transaction)
        }
        try erase(rare, world)
        try world.runJobs()
        progress.erasures = keepsLogs ? 0 : 1
        let after = try world.read { (transaction) throws(StorageError) in
            try Hooks.progress(of: id, world.app, in: transaction)
        }
        #expect(after == progress)
    }

    @Test func theAppKeepsByName() throws {
        var settings = AppSettings.tim
        settings.erasure.keepsLogs = true
        settings.erasure.keepsApplications = true
        settings.erasure.keepsAnswers = true
        settings.erasure.keepsSessionEnds = true
        settings.erasure.keepsReports = true
        let world = try World(settings: settings)
        try ErasureFill(world, rare, "zq7").fill()
        let joe = try world.events(of: "joe", after: 0)
        let applications = try world.rows(of: Tables.handledApplications, of: "bob").count
        try erase(rare, world)
        try world.runJobs()
        #expect(
            try world.events(of: "joe", after: 0).prefix(joe.count).map(\.kind) == joe.map(\.kind))
        #expect(try world.rows(of: Tables.handledApplications, of: "bob").count >= applications)
        #expect(try world.rows(of: Tables.answers, of: "ann").count == 1)
        #expect(try world.rows(of: Tables.tombstones, of: "joe").isEmpty)
        #expect(try world.kinds(of: rare) == [])
        let kept = try #require(try world.deletion(2)?.kept)
        #expect(kept.logsUntilMs == world.now.milliseconds + settings.logLifetimeMs)
        #expect(kept.applicationsUntilMs > kept.logsUntilMs)
        #expect(kept.answersUntilMs == world.now.milliseconds + Limits.requestIDMilliseconds)
        #expect(kept.sessionEnd && !kept.sessionEndDigest)
        let report = try #require(try world.reports().rows.first)
        #expect(report.text == "zq7 report" && report.reporterUserID.isEmpty)
        #expect(kept.reportsUntilMs == report.reportTimeMs + Limits.reportMilliseconds)
        #expect(try world.deletion(2)?.tally?.reports == 0)
    }

    /// Once the id is out of a report, no erasure finds it any more.
    @Test func anErasureAfterADeletionLeavesTheTextsOfReportsWithoutTheID() throws {
        let world = try World("A", rare)
        #expect(try world.report("A", by: rare, text: "words") == .success)
        try world.deleteAccount(rare)
        try world.runJobs()
        try erase(rare, world)
        try world.runJobs()
        #expect(try world.reports().rows.map(\.text) == ["words"] && !holds("rare", world))
    }

    @Test func whoComesBackToATrimmedLogBeginsAnewAndLaterEventsStay() throws {
        let world = try World("A", "B", rare)
        world.makeFriends("A", rare)
        let known = try #require(try world.userRecord(of: "A")).sequence
        try erase(rare, world)
        while try world.nextJob()?.erases == false { _ = try world.stepJob() }
        #expect(try world.add("B", to: "A") == .success)
        try world.runJobs()
        let userRecord = try #require(try world.userRecord(of: "A"))
        #expect(!ChangeLog.reachesBack(to: known, userRecord))
        let left = try world.events(of: "A", after: userRecord.logFloor)
        #expect(left.map(\.kind) == [.addFriend] && left[0].items.map(\.userID) == ["B"])
        #expect(userRecord.friendsTrimmedTo >= known)
        let feed = try world.feedState()
        #expect(feed.trimmedTo >= userRecord.logFloorPosition)
        #expect(userRecord.logFloorPosition > 0)
    }

    @Test func theNextAccountOfAnyIDBeginsAboveTheErasedOne() throws {
        let world = try World("A", rare)
        for _ in 0..<5 {
            _ = try world.setProfile(of: rare, [.nick]) { $0.nick = "\(world.now.milliseconds)" }
            world.advance(milliseconds: 1)
        }
        let old = try #require(try world.userRecord(of: rare))
        let version = try world.profile(of: rare).version
        try erase(rare, world)
        #expect(try world.make(rare) == .isLeaving)
        try world.runJobs()
        #expect(try world.make(rare) == .made && world.make("B") == .made)
        for user in [rare, "B"] {
            let new = try #require(try world.userRecord(of: user))
            #expect(new.sequence > old.sequence && new.friendsSequence == new.sequence)
            #expect(!ChangeLog.reachesBack(to: old.sequence, new))
            #expect(try world.profile(of: user).version > version)
        }
        #expect(try Audit(world, ["A", "B", rare]).findings == [])
    }

    @Test func anEarlierDeletionIsErasedTooAndOneThatRunsGoesOnWithIt() throws {
        let world = try World("A", "B", rare)
        world.makeFriends("A", rare)
        try world.deleteAccount(rare)
        #expect(try erase(rare, world) == .joined(1))
        #expect(try erase(rare, world) == .isRunning(1))
        try world.runJobs()
        #expect(try world.deletion(1)?.userID == "" && !holds("rare", world))
        #expect(try erase(rare, world) == .noAccount)
        try world.deleteAccount("B")
        try world.runJobs()
        #expect(try erase("B", world) == .started(3))
        #expect(try world.make("B") == .isLeaving)
        #expect(try erase("B", world) == .isRunning(3))
        try world.runJobs()
        #expect(try world.kinds(of: "B") == [] && world.deletion(2)?.userID == "")
        #expect(try world.deletion(3)?.state == .done)
    }

    @Test func aLongLogAndManyAccountsTakeManySteps() throws {
        let world = try World("A", rare)
        world.makeFriends("A", rare)
        try world.create((0..<200).map { UserID(stored: "user\($0)".utf8) })
        for number in 0..<1_200 {
            try world.allow(number % 2 == 0 ? .needConfirm : .allowAny, for: "A")
        }
        try erase(rare, world)
        while try world.nextJob()?.erases == false { _ = try world.stepJob() }
        var steps = 0
        while try world.nextJob() != nil {
            _ = try world.stepJob()
            steps += 1
        }
        // The log is read in parts, and trimmed in parts, since the deletion's event is its last.
        #expect(steps >= 1_200 / Limits.rowsPerErasureStep + 200 / Limits.accountsPerErasureStep)
        #expect(try !holds("rare", world))
        #expect(try Audit(world, ["A"]).findings == [])
    }

    @Test func usersThatAreErasedTogetherShareAWalk() throws {
        let world = try World("A", "B", "C", rare)
        for user in ["B", "C", rare] as [UserID] { world.makeFriends("A", user) }
        for user in ["B", "C"] as [UserID] { try erase(user, world) }
        while try world.nextJob()?.erases == false { _ = try world.stepJob() }
        _ = try world.stepJob()
        try erase(rare, world)
        try world.runJobs()
        for number in 1...3 as ClosedRange<UInt64> {
            let tally = try #require(try world.deletion(number)?.tally)
            #expect(tally.others == 1 && tally.events > 0)
        }
        #expect(try world.kinds(of: "B") == [] && world.kinds(of: rare) == [])
        #expect(try world.nextJob() == nil)
    }

    @Test func anErasureTellsNoStreamAnything() throws {
        let world = try World("A", "B", rare)
        world.makeFriends("A", rare)
        // Both accounts are made and deleted by one call each, so their rows of the feed have more
        // events than the erased one's.
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try AccountDeletion.start("B", in: ledger)
            _ = try AccountDeletion.start(rare, erasing: .init(digest: ""), in: ledger)
        }
        while try world.nextJob()?.erases == false { _ = try world.stepJob() }
        var notified: [EventRow] = []
        world.didCommit = { notified += $0 }
        try world.runJobs()
        #expect(notified.isEmpty)
        let left = try world.rows(of: Tables.feed, in: world.app.feed).flatMap(\.record.events)
        #expect(left.contains { $0.userID == "B" && $0.event?.kind == .accountDeleted })
        #expect(left.contains(where: \.isErased) && !left.contains { $0.userID == "rare" })
        #expect(try world.integrity() == [])
    }

    @Test func anAppThatIsMadeAnewUnderItsNumberKeepsItsUsers() throws {
        let world = try World("A", rare)
        try erase(rare, world)
        while try world.nextJob()?.erases == false { _ = try world.stepJob() }
        try world.write { (transaction) throws(StorageError) in
            let rows = try transaction.rows(KeyRange(app: world.app.id))
            for row in rows {
                // A name ends with a zero byte.
                let count = row.suffix.firstIndex(of: 0).map { $0 + 1 } ?? 0
                let name = Array(row.suffix.prefix(count - 1))
                transaction.remove(
                    Key(
                        Partition(app: world.app.id, name: name),
                        suffix: Array(row.suffix.dropFirst(count))))
            }
        }
        try world.create(["A", rare])
        world.makeFriends("A", rare)
        let events = try world.events(of: "A", after: 0).count
        try world.runJobs()
        #expect(try world.userRecord(of: rare) != nil)
        #expect(try world.events(of: "A", after: 0).count == events)
    }

    // MARK: Imports

    /// A row of a list that names the user.
    private static func rowKey(_ section: AppExport.Section, _ user: UserID) -> [UInt8] {
        var bytes: [UInt8] = []
        switch section {
        case .pendencies: PendencyKey(.comeIn, user).append(to: &bytes)
        case .handled:
            HandledKey(timeMs: 1, type: .comeIn, status: .refused, user: user).append(to: &bytes)
        case .subscriptions: SubscriptionKey(.userProfile, user).append(to: &bytes)
        default: user.append(to: &bytes)
        }
        return bytes
    }

    /// Stores the progress of an import that stands at a row of Bob's.
    private func standImport(
        _ id: String = "one", at section: AppExport.Section, _ rowKey: [UInt8], _ world: World
    ) throws {
        var progress = ImportRecord()
        progress.timeMs = world.now.milliseconds
        var position = ImportPosition()
        position.userID = "bob"
        (position.section, position.rowKey) = (UInt32(section.rawValue), rowKey)
        progress.position = position
        try world.write { (transaction) throws(StorageError) in
            try Tables.imports.set(
                progress, at: world.app.maintenance, ImportKey("ImportApp", id), in: transaction)
        }
    }

    private func imports(_ world: World) throws -> [String] {
        try world.rows(of: Tables.imports, in: world.app.maintenance).map(\.key.id)
    }

    @Test(
        arguments: [
            .friends, .pendencies, .handled, .blacklist, .subscriptions, .follows, .dismissals,
        ] as [AppExport.Section])
    func onlyAnImportThatStandsAtTheUserItselfIsRemoved(section: AppExport.Section) throws {
        let world = try World("bob", "ann", "joann")
        try standImport(at: section, Self.rowKey(section, "joann"), world)
        try erase("ann", world)
        try world.runJobs()
        #expect(try imports(world) == ["one"])
        try erase("joann", world)
        try world.runJobs()
        #expect(try imports(world) == [])
        let others = try [1, 2].map { try #require(try world.deletion($0)?.tally).others }
        #expect(others[1] == others[0] + 1)
    }

    @Test func anImportThatNamesTheUserOtherwiseGoesOn() throws {
        let world = try World("bob", "ann")
        try standImport("group", at: .groups, Array("ann".utf8), world)
        try standImport("move-ann", at: .friends, Array("kim".utf8), world)
        try erase("ann", world)
        try world.runJobs()
        #expect(try imports(world) == ["group", "move-ann"])
    }
}
