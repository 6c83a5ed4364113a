import RelationCore
import RelationModel
import RelationSuite
import Storage
import Synchronization
import Testing

@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationChanges
@testable import RelationRuntime
@testable import RelationService

/// The background work, at a time that the test sets.
@Suite struct MaintenanceTests {
    private static let day: Int64 = 86_400_000

    private final class Watch: Sendable {
        let milliseconds = Atomic<Int64>(World.start)
    }

    /// One app with the maintenance of its server, which runs when the test says so.
    private final class Bench {
        let world: World
        let committer: Committer
        let maintenance: Maintenance
        let apps: Apps
        let presence = PresenceBoard()
        private let watch = Watch()

        /// - Parameter count: The number of apps of the server; the others have no rows.
        init(_ settings: AppSettings = .tim, apps count: Int = 1) throws {
            let store = MemoryStore()
            world = try World(on: store, settings: settings)
            committer = Committer(store: store)
            let watch = watch
            let first = world.app.id
            let others = (1..<count).map { App(id: first + UInt32($0), settings: settings) }
            apps = Apps([world.app] + others)
            maintenance = Maintenance(
                committer: committer, apps: apps, exports: ExportPoints(of: store),
                observer: presence,
                clock: ServiceClock {
                    Timestamp(milliseconds: watch.milliseconds.load(ordering: .relaxed))
                })
        }

        deinit { committer.close() }

        func advance(milliseconds: Int64) {
            world.advance(milliseconds: milliseconds)
            watch.milliseconds.store(world.now.milliseconds, ordering: .relaxed)
        }

        /// Does all work that is due now, and returns the number of steps.
        func run() throws -> Int {
            var steps = 1
            while try maintenance.step() { steps += 1 }
            return steps
        }
    }

    @Test(arguments: [1, RuntimeLimits.credentialUsesPerCommit + 1])
    func theUsesOfKeysAreStoredInBoundedSteps(count: Int) throws {
        let store = MemoryStore()
        let now = Timestamp(milliseconds: World.start)
        let app = App(id: Authenticator.defaultApp, settings: .tim)
        _ = try Apps(of: store, at: now)
        let ids = (0..<count).map { CredentialID("key\(1_000 + $0)") }
        try store.write(touching: []) { (transaction) throws(StorageError) in
            for id in ids {
                try Tables.credentials.set(
                    CredentialRecord(), at: app.partition, id, in: transaction)
            }
        }
        let apps = try Apps(of: store, at: now)
        let committer = Committer(store: store, apps: apps)
        let maintenance = Maintenance(
            committer: committer, apps: apps, exports: ExportPoints(of: store),
            observer: PresenceBoard(), clock: ServiceClock { now })
        func stored() throws -> [Int64] {
            try store.read { (transaction) throws(StorageError) in
                try CredentialRules.list(of: app, in: transaction).map(\.record.lastUseMs)
            }
        }
        maintenance.storeUses()
        #expect(try stored() == Array(repeating: 0, count: count))
        let keys = try #require(apps.keyring(of: app.id)).keys
        #expect(keys.count == count)
        for key in keys { key.use.note(0, by: ServiceClock { now }) }
        #expect(apps.usesToStore().count == keys.count)
        maintenance.storeUses()
        committer.close()
        #expect(try stored().filter { $0 == World.start }.count == keys.count)
        #expect(apps.usesToStore(all: true).isEmpty)
        let steps = RuntimeLimits.credentialUsesPerCommit
        #expect(committer.reading().background == UInt64((keys.count + steps - 1) / steps))
    }

    @Test func recordsOfCallsAreStoredInBoundedSteps() throws {
        let bench = try Bench()
        let (audit, id) = (bench.apps.audit, bench.world.app.id)
        audit.configure(days: 1, everyCall: true)
        let count = Limits.auditCallsPerCommit + 1
        for number in 0..<count {
            let row = AuditTrail.row(.call, nil, "/List\(number)", from: "[::1]:5")
            try audit.calls.enter()
            audit.calls.note(row, app: id, at: bench.world.now)
        }
        bench.maintenance.storeAuditedCalls()
        // A step comes after all work that was handed over before.
        _ = try bench.run()
        let rows = try bench.world.store.read { (transaction) throws(StorageError) in
            try AuditChain.page(
                after: 0, limit: 2 * count, of: bench.world.app, in: transaction)
        }
        #expect(Set(rows.map(\.method)).count == count && rows.count == count)
        #expect(rows.map(\.sequence) == (1...Int64(count)).map { $0 })
        // All places are free again.
        for _ in 0..<Limits.auditCalls { try audit.calls.enter() }
    }

    /// Deletions, of which there may be more and more, do not hold back an erasure.
    @Test func anErasureTakesTurnsWithDeletions() throws {
        let bench = try Bench(apps: 2)
        let world = bench.world
        try world.create(["ann"])
        let start = try world.call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start("ann", erasing: .init(digest: "d"), in: ledger)
        }
        #expect(start == .started(1))
        let other = App(id: world.app.id + 1, settings: world.settings)
        try world.store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: other, now: world.now, origin: Origin(user: nil), transaction: transaction)
            for number in 0..<50 {
                let user = UserID(stored: "user\(number)")
                _ = try Accounts.create(user, nick: "", faceURL: "", in: ledger)
                _ = try AccountDeletion.start(user, in: ledger)
            }
            try ledger.close()
        }
        while try world.deletion(1)?.state != .done {
            #expect(try bench.maintenance.step())
        }
        let left = try #require(try world.nextJob())
        #expect(!left.erases && left.record.app == other.id)
        _ = try bench.run()
        #expect(try world.nextJob() == nil)
    }

    /// Another server may erase a user whose refusals are still counted here.
    @Test func aRefusalThatIsStoredAfterAnErasureDoesNotNameItsUser() throws {
        let bench = try Bench()
        let (world, audit) = (bench.world, bench.apps.audit)
        audit.configure(days: 1, everyCall: true)
        try world.create(["ann", "bob"])
        for user in ["ann", "bob"] {
            var row = AuditTrail.row(.refusal, nil, "/List", from: "[::1]:5")
            row.userID = user
            audit.note(row, app: world.app.id, at: world.now)
            row.kind = .call
            try audit.calls.enter()
            audit.calls.note(row, app: world.app.id, at: world.now)
        }
        try world.call(by: nil) { (ledger) throws(StorageError) in
            _ = try AccountDeletion.start("ann", erasing: .init(digest: "d"), in: ledger)
        }
        try world.runJobs()
        bench.advance(milliseconds: Limits.auditRefusalMilliseconds)
        bench.maintenance.tick()
        _ = try bench.run()
        let rows = try world.store.read { (transaction) throws(StorageError) in
            try AuditChain.page(after: 0, limit: 99, of: world.app, in: transaction)
        }
        #expect(rows.filter { $0.kind == .refusal }.map(\.userID).sorted() == ["", "bob"])
        #expect(rows.filter { $0.kind == .call }.map(\.userID).sorted() == ["", "bob"])
    }

    @Test func aLaterUseStaysAndAKeyThatWasRevokedDoesNotComeBack() throws {
        let store = MemoryStore()
        let app = App(id: 1, settings: .tim)
        let (one, gone) = (CredentialID("one"), CredentialID("gone"))
        try store.write(touching: []) { (transaction) throws(StorageError) in
            var record = CredentialRecord()
            (record.name, record.lastUseMs) = ("backend", 5)
            try Tables.credentials.set(record, at: app.partition, one, in: transaction)
            try CredentialRules.note(one, usedMs: 4, of: app, in: transaction)
            try CredentialRules.note(gone, usedMs: 4, of: app, in: transaction)
            var known = try CredentialRules.list(of: app, in: transaction)
            #expect(known.map(\.record.lastUseMs) == [5])
            try CredentialRules.note(one, usedMs: 6, of: app, in: transaction)
            known = try CredentialRules.list(of: app, in: transaction)
            #expect(known.map(\.record.lastUseMs) == [6] && known.map(\.record.name) == ["backend"])
        }
    }

    @Test func aSweepTellsHowFullTheHistoriesAre() throws {
        var settings = AppSettings.tim
        (settings.historyDays, settings.historyBytes) = (1, 1_000)
        let bench = try Bench(settings)
        #expect(bench.apps.histories.reading == (0, 0))
        try bench.world.create(["A", "B"])
        #expect(try bench.world.add("B", to: "A") == .success)
        _ = try bench.run()
        let bytes = try bench.world.historyState().bytes
        #expect(bytes > 0)
        #expect(bench.apps.histories.reading == (bytes, Double(bytes) / 1_000))
        // Entries that are too old go, and an app that is gone has no history.
        bench.advance(milliseconds: Self.day)
        _ = try bench.run()
        #expect(bench.apps.histories.reading == (0, 0))
        bench.apps.histories.set(7, to: 50, of: 100)
        #expect(bench.apps.histories.reading == (50, 0.5))
        bench.apps.histories.set(7, to: nil)
        #expect(bench.apps.histories.reading == (0, 0))
    }

    @Test func applicationsEndWhenTheirTimeIsOverAFewInAStep() throws {
        var settings = AppSettings.tim
        settings.applicationLifetimeMs = 7 * Self.day
        let bench = try Bench(settings)
        let world = bench.world
        let users = (0..<60).map { UserID(stored: "u\($0)".utf8) }
        try world.create(["A"] + users)
        try world.allow(.needConfirm, for: "A")
        for user in users { #expect(try world.add("A", to: user).code == .pending) }
        bench.advance(milliseconds: 7 * Self.day - 1)
        #expect(try bench.run() == 1)
        #expect(try world.userRecord(of: "A")?.comeInCount == 60)

        bench.advance(milliseconds: Self.day)
        #expect(try bench.run() > 1)
        #expect(try world.userRecord(of: "A")?.comeInCount == 0)
        #expect(try world.rows(of: Tables.pendencies, of: users[59]).isEmpty)
        let ended = try world.rows(of: Tables.handledApplications, of: "A")
        #expect(ended.count == 60)
        #expect(ended.allSatisfy { $0.key.status == .expired })
        let notified = try world.events(of: users[0]).filter { $0.kind == .deleteFriendRequest }
        #expect(notified.map { $0.items.map(\.application?.status) } == [[.expired]])
        #expect(try Audit(world, ["A"] + users).findings == [])
        #expect(try bench.run() == 1)
    }

    @Test(arguments: [(more: 0, steps: 1), (more: 1, steps: 2)])
    func aStepLooksThroughSoManyAppsAndTheNextGoesOn(more: Int, steps: Int) throws {
        let bench = try Bench(apps: RuntimeLimits.appsPerSweep + more)
        #expect(try bench.run() == steps)
    }

    @Test func appsOfWhichSomethingIsOverTakeTurns() {
        let ends = DueTimes()
        for app: UInt32 in [3, 7, 5] { ends.lower(app, to: Int64(app)) }
        let now = Timestamp(milliseconds: 10)
        // Each app always has more work.
        let turns = (0..<7).map { _ in ends.next(at: now) }
        #expect(turns == [3, 5, 7, 3, 5, 7, 3])
        ends.set(5, to: nil)
        ends.set(7, to: 11)
        #expect((0..<2).map { _ in ends.next(at: now) } == [3, 3])
        ends.set(3, to: nil)
        #expect(ends.next(at: now) == nil)
    }

    @Test func whatIsOldGoesWhileVeryMuchIsBeingDeleted() throws {
        var settings = AppSettings.tim
        settings.applicationLifetimeMs = Self.day
        let bench = try Bench(settings)
        let world = bench.world
        let leaving = (0..<30).map { UserID(stored: "u\($0)".utf8) }
        try world.create(["A", "B"] + leaving)
        try world.allow(.needConfirm, for: "A")
        #expect(try world.add("A", to: "B").code == .pending)
        for user in leaving {
            _ = try world.call(by: nil) { (ledger) throws(StorageError) in
                try AccountDeletion.start(user, in: ledger)
            }
        }
        bench.advance(milliseconds: 2 * Self.day)
        for _ in 0..<4 { #expect(try bench.maintenance.step()) }
        #expect(try world.userRecord(of: "A")?.comeInCount == 0)
        #expect(try world.nextJob() != nil)
        _ = try bench.run()
        #expect(try world.nextJob() == nil)
    }

    @Test func whatIsKnownOfADeletionIsForgottenThirtyDaysAfterItsEnd() throws {
        let bench = try Bench()
        let world = bench.world
        try world.create(["A", "B"])
        for (number, user) in (["A", "B"] as [UserID]).enumerated() {
            let started = try world.call(by: nil) { (ledger) throws(StorageError) in
                try AccountDeletion.start(user, in: ledger)
            }
            #expect(started == .started(UInt64(number + 1)))
            _ = try bench.run()
            bench.advance(milliseconds: Self.day)
        }
        #expect(try world.deletion(1)?.state == .done)
        bench.advance(milliseconds: 28 * Self.day)
        _ = try bench.run()
        #expect(try world.deletion(1) != nil)
        bench.advance(milliseconds: 1)
        _ = try bench.run()
        #expect(try world.deletion(1) == nil)
        #expect(try world.deletion(2)?.state == .done)
        bench.advance(milliseconds: Self.day)
        _ = try bench.run()
        #expect(try world.deletion(2) == nil)
    }

    @Test func anImportThatStoodStillForSevenDaysIsForgotten() throws {
        let bench = try Bench()
        let keys = ["one", "two"].map { ImportKey("ImportFriends", $0) }
        for key in keys {
            try bench.world.call(by: nil) { (ledger) throws(StorageError) in
                var record = ImportRecord()
                record.lastRow = 5
                try Imports.store(record, at: key, in: ledger)
            }
            bench.advance(milliseconds: Self.day)
        }
        func kept() throws -> [ImportKey] {
            try bench.world.rows(of: Tables.imports, in: bench.world.app.maintenance)
                .map(\.key)
        }
        bench.advance(milliseconds: 5 * Self.day)
        _ = try bench.run()
        #expect(try kept() == keys)
        bench.advance(milliseconds: 1)
        _ = try bench.run()
        #expect(try kept() == [keys[1]])
        let known = try bench.world.call(by: nil) { (ledger) throws(StorageError) in
            try Imports.record(keys[1], in: ledger)?.lastRow
        }
        #expect(known == 5)
        bench.advance(milliseconds: Self.day)
        _ = try bench.run()
        #expect(try kept().isEmpty)
    }

    @Test func anOldImportBehindManyOthersIsForgottenInALaterSearch() throws {
        let bench = try Bench()
        func keep(_ ids: [String]) throws {
            try bench.world.call(by: nil) { (ledger) throws(StorageError) in
                for id in ids {
                    try Imports.store(
                        ImportRecord(), at: ImportKey("ImportFriends", id), in: ledger)
                }
            }
        }
        func count() throws -> Int {
            try bench.world.rows(of: Tables.imports, in: bench.world.app.maintenance).count
        }
        try keep(["last"])
        bench.advance(milliseconds: 8 * Self.day)
        try keep((0..<Limits.importsPerSweep).map { "a\($0)" })
        _ = try bench.run()
        #expect(try count() == Limits.importsPerSweep + 1, "the first search ends before it")
        _ = try bench.run()
        #expect(try count() == Limits.importsPerSweep)
        // The search begins anew behind the last import, so the others have their turn as well.
        bench.advance(milliseconds: 8 * Self.day)
        _ = try bench.run()
        #expect(try count() == 0)
    }

    // MARK: Subscriptions and presence

    private func subscribe(_ bench: Bench, seconds: Int64) throws {
        bench.apps.ends.lower(
            bench.world.app.id, to: bench.world.now.milliseconds + seconds * 1_000)
        #expect(try bench.world.subscribe("A", to: "B", seconds: seconds) == .success)
    }

    @Test func aSubscriptionEndsWithinTheSecondInWhichItsTimeIsOver() throws {
        let bench = try Bench()
        try bench.world.create(["A", "B"])
        try subscribe(bench, seconds: 60)
        bench.advance(milliseconds: 59_999)
        bench.maintenance.tick()
        #expect(try bench.world.events(of: "A").map(\.kind) == [.subscriptionChanged])
        #expect(bench.apps.ends.next(at: bench.world.now) == nil)
        bench.advance(milliseconds: 1)
        bench.maintenance.tick()
        let kinds = try bench.world.events(of: "A").map(\.kind)
        #expect(kinds == [.subscriptionChanged, .subscriptionExpired])
        #expect(try bench.world.subscriptions(of: "A").isEmpty)
        // No step looks again before the next end.
        bench.advance(milliseconds: Self.day)
        #expect(bench.apps.ends.next(at: bench.world.now) == nil)
    }

    @Test func anApplicationEndsWithinTheSecondInWhichItsTimeIsOver() throws {
        var settings = AppSettings.tim
        settings.applicationLifetimeMs = 60_000
        let bench = try Bench(settings)
        try bench.world.create(["A", "B"])
        try bench.world.allow(.needConfirm, for: "B")
        let end = try bench.world.call(by: "A") { (ledger) throws(StorageError) in
            let addition = FriendItem(user: "B")
            _ = try FriendRules.add(addition, to: "A", .both, force: false, in: ledger)
            return ledger.soonestEndMs
        }
        #expect(end == World.start + 60_000)
        bench.apps.ends.lower(bench.world.app.id, to: try #require(end))
        bench.advance(milliseconds: 59_999)
        bench.maintenance.tick()
        #expect(try bench.world.userRecord(of: "B")?.comeInCount == 1)
        bench.advance(milliseconds: 1)
        bench.maintenance.tick()
        #expect(try bench.world.userRecord(of: "B")?.comeInCount == 0)
        for user: UserID in ["A", "B"] {
            #expect(try bench.world.events(of: user).last?.kind == .deleteFriendRequest)
        }
        // No step looks again before there is another end.
        bench.advance(milliseconds: Self.day)
        #expect(bench.apps.ends.next(at: bench.world.now) == nil)
    }

    @Test func afterAStartTheFirstRoundFindsWhenApplicationsEnd() throws {
        var settings = AppSettings.tim
        settings.applicationLifetimeMs = 60_000
        let bench = try Bench(settings)
        try bench.world.create(["A", "B", "C"])
        for user: UserID in ["B", "C"] {
            try bench.world.allow(.needConfirm, for: user)
            #expect(try bench.world.add(user, to: "A").code == .pending)
            bench.advance(milliseconds: 30_000)
        }
        _ = try bench.run()
        #expect(try bench.world.userRecord(of: "A")?.sendOutCount == 1)
        bench.advance(milliseconds: 29_999)
        #expect(bench.apps.ends.next(at: bench.world.now) == nil)
        bench.advance(milliseconds: 1)
        bench.maintenance.tick()
        #expect(try bench.world.userRecord(of: "A")?.sendOutCount == 0)
    }

    @Test func afterAStartTheFirstRoundFindsWhenSubscriptionsEnd() throws {
        let bench = try Bench()
        try bench.world.create(["A", "B"])
        #expect(try bench.world.subscribe("A", to: "B", seconds: 120) == .success)
        _ = try bench.run()
        bench.advance(milliseconds: 120_000)
        #expect(bench.apps.ends.next(at: bench.world.now) == bench.world.app.id)
        bench.maintenance.tick()
        #expect(try bench.world.events(of: "A").last?.kind == .subscriptionExpired)
    }

    @Test func whatEndedWhileTheServerStoodStillEndsInTheFirstRound() throws {
        let bench = try Bench()
        try bench.world.create(["A", "B"])
        #expect(try bench.world.subscribe("A", to: "B", seconds: 60) == .success)
        bench.advance(milliseconds: Self.day)
        _ = try bench.run()
        #expect(try bench.world.events(of: "A").last?.kind == .subscriptionExpired)
    }

    @Test func aTimeOfAnAppThatIsGoneIsForgotten() throws {
        let bench = try Bench()
        bench.apps.ends.lower(99, to: World.start)
        bench.maintenance.tick()
        #expect(bench.apps.ends.next(at: bench.world.now) == nil)
    }

    @Test func aLeaseEndsWithinTheSecondInWhichItsTimeIsOver() throws {
        let bench = try Bench()
        bench.presence.follow {}
        let report = PresenceBoard.Report(
            user: "A", deviceID: "d", platform: "", online: true, leaseMs: 10_000)
        bench.presence.report([report], app: bench.world.app.id, at: bench.world.now)
        _ = bench.presence.takeChanges(at: bench.world.now)
        bench.advance(milliseconds: 9_999)
        bench.maintenance.tick()
        #expect(bench.presence.takeChanges(at: bench.world.now).isEmpty)
        bench.advance(milliseconds: 1)
        bench.maintenance.tick()
        #expect(bench.presence.takeChanges(at: bench.world.now).map(\.user) == ["A"])
    }
}
