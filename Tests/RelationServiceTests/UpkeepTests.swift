import RelationCore
import RelationModel
import RelationSuite
import Storage
import Synchronization
import Testing

@testable import RelationService

/// The work behind the calls, at a time that the test sets.
@Suite struct UpkeepTests {
    private static let day: Int64 = 86_400_000

    private final class Watch: Sendable {
        let milliseconds = Atomic<Int64>(World.start)
    }

    /// One app with the upkeep of its server, which goes on when the test says so.
    private final class Bench {
        let world: World
        let committer: Committer
        let upkeep: Upkeep
        private let watch = Watch()

        init(_ settings: AppSettings = .tim) throws {
            let store = MemoryStore()
            world = try World(on: store, settings: settings)
            committer = Committer(store: store)
            let watch = watch
            upkeep = Upkeep(
                committer: committer, apps: Apps([world.app]), exports: ExportPoints(),
                clock: Clock {
                    Timestamp(milliseconds: watch.milliseconds.load(ordering: .relaxed))
                })
        }

        deinit { committer.close() }

        func advance(milliseconds: Int64) {
            world.advance(milliseconds: milliseconds)
            watch.milliseconds.store(world.now.milliseconds, ordering: .relaxed)
        }

        /// Does all that is to be done now, and answers in how many steps.
        func run() throws -> Int {
            var steps = 1
            while try upkeep.step() { steps += 1 }
            return steps
        }
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
        #expect(try world.head(of: "A")?.comeInCount == 60)

        bench.advance(milliseconds: Self.day)
        #expect(try bench.run() > 1)
        #expect(try world.head(of: "A")?.comeInCount == 0)
        #expect(try world.rows(of: Tables.pendencies, of: users[59]).isEmpty)
        let ended = try world.rows(of: Tables.handledApplications, of: "A")
        #expect(ended.count == 60)
        #expect(ended.allSatisfy { $0.place.status == .expired })
        let told = try world.events(of: users[0]).filter { $0.kind == .deleteFriendRequest }
        #expect(told.map { $0.items.map(\.application?.status) } == [[.expired]])
        #expect(try Audit(world, ["A"] + users).findings == [])
        #expect(try bench.run() == 1)
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
        let places = ["one", "two"].map { ImportPlace("ImportFriends", $0) }
        for place in places {
            try bench.world.call(by: nil) { (ledger) throws(StorageError) in
                var record = ImportRecord()
                record.lastRow = 5
                try Imports.keep(record, at: place, in: ledger)
            }
            bench.advance(milliseconds: Self.day)
        }
        func kept() throws -> [ImportPlace] {
            try bench.world.rows(of: Tables.imports, in: bench.world.app.maintenance)
                .map(\.place)
        }
        bench.advance(milliseconds: 5 * Self.day)
        _ = try bench.run()
        #expect(try kept() == places)
        bench.advance(milliseconds: 1)
        _ = try bench.run()
        #expect(try kept() == [places[1]])
        let known = try bench.world.call(by: nil) { (ledger) throws(StorageError) in
            try Imports.record(places[1], in: ledger)?.lastRow
        }
        #expect(known == 5)
        bench.advance(milliseconds: Self.day)
        _ = try bench.run()
        #expect(try kept().isEmpty)
    }
}
