import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The marks of new applications, which only the app's feed has.
@Suite struct RiskMarkTests {
    private static let others: [UserID] = (1...9).map { UserID(stored: "U\($0)".utf8) }

    /// A world in which A's account is a day old.
    private func world(_ edit: (inout AppSettings) -> Void = { _ in }) throws -> World {
        var settings = AppSettings.tim
        settings.defaultAllowType = .needConfirm
        settings.marksRisks = true
        edit(&settings)
        let world = try World(settings: settings)
        try world.create(["A"] + Self.others)
        world.advance(milliseconds: 86_400_000)
        return world
    }

    /// The marks of each event of the feed.
    private func marks(_ world: World) throws -> [[RiskMark]] {
        try world.rows(of: Tables.feed, in: world.app.feed)
            .flatMap { $0.record.events.compactMap(\.event) }
            .filter { $0.kind == .riskMarked }.flatMap(\.items).map(\.riskMarks)
    }

    private func apply(_ numbers: ClosedRange<Int>, _ world: World) throws {
        for user in Self.others[(numbers.lowerBound - 1)..<numbers.upperBound] {
            #expect(try world.add(user, to: "A").code == .pending)
        }
    }

    @Test func anAccountIsNewForADay() throws {
        let world = try world()
        world.advance(milliseconds: -1)
        try apply(1...1, world)
        #expect(try marks(world) == [[.newAccount]])
        world.advance(milliseconds: 1)
        try apply(2...2, world)
        #expect(try marks(world).count == 1)
        // One that is repeated while it waits is not a new one.
        world.advance(milliseconds: -1)
        try apply(1...1, world)
        #expect(try marks(world).count == 1)
    }

    @Test func nearTheLimitOfTheDay() throws {
        let world = try world { $0.applicationsPerDay = 5 }
        try apply(1...3, world)
        #expect(try marks(world).isEmpty)
        try apply(4...5, world)
        #expect(try marks(world) == [[.nearLimit], [.nearLimit]])
    }

    @Test func openReportsCountAndClosedOnesDoNot() throws {
        let world = try world()
        for user in Self.others.prefix(3) {
            #expect(try world.report("A", by: user) == .success)
        }
        try apply(1...1, world)
        #expect(try marks(world) == [[.reported]])
        #expect(try world.resolve(1, .dismissed) == .success)
        try apply(2...2, world)
        #expect(try marks(world).count == 1)
    }

    @Test func refusalsOfADayCount() throws {
        let world = try world()
        try apply(1...5, world)
        for user in Self.others.prefix(4) {
            #expect(try world.respond(to: "A", of: user, .reject) == .success)
        }
        try apply(6...6, world)
        #expect(try marks(world).isEmpty)
        #expect(try world.respond(to: "A", of: Self.others[4], .reject) == .success)
        try apply(7...7, world)
        #expect(try marks(world) == [[.refused]])
        world.advance(milliseconds: 86_400_000)
        try apply(8...8, world)
        #expect(try marks(world).count == 1)
    }

    @Test func nothingIsMarkedUnlessTheAppAsksForIt() throws {
        let world = try world {
            $0.marksRisks = false
            $0.applicationsPerDay = 1
        }
        try apply(1...1, world)
        #expect(try world.respond(to: "A", of: Self.others[0], .reject) == .success)
        #expect(try marks(world).isEmpty)
        #expect(try world.userRecord(of: "A")?.refusalsToday == 0)
    }
}
