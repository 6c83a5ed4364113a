import PostgresSupport
import Storage
import StoragePostgres
import Testing

/// The directory of a fleet, in a database.
@Suite(.enabled(if: PostgresEngine.isThere)) struct AppDirectoryTests {
    private let engine: PostgresEngine
    private let directory: AppDirectory

    init() throws {
        engine = try PostgresEngine()
        directory = AppDirectory(engine.options)
    }

    private func made(after last: UInt32 = 1, with names: [String] = []) throws {
        try directory.make(after: last)
        for name in names { try directory.add(name, at: "postgresql://\(name)/relation") }
    }

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return (error as? StorageError)?.message ?? "\(error)"
        }
    }

    @Test func aStoreWithoutADirectoryIsServedAsBefore() throws {
        #expect(try !directory.isThere())
        #expect(throws: StorageError(.foreign, "")) { try directory.settle(1, in: "home") }
        try engine.open().close()
    }

    @Test func aDirectoryIsMadeOnceAndTheStoreOpensAsBefore() throws {
        #expect(try directory.make(after: 7))
        #expect(try !directory.make(after: 9))
        #expect(try directory.isThere() && directory.databases().isEmpty)
        try engine.open().close()
        #expect(try directory.allot(nil, for: nil, in: "home").app == 8)
    }

    @Test(arguments: ["TABLE relation_app_place", "TABLE relation_database"])
    func aDirectoryOfWhichAPartIsGoneIsNotTakenForNone(_ part: String) throws {
        try made(with: ["a"])
        try engine.sql("DROP \(part)")
        #expect(throws: StorageError(.foreign, "")) { try directory.isThere() }
    }

    @Test func databasesAreRegisteredByNameAndAddress() throws {
        try made(with: ["b", "a"])
        #expect(try directory.databases().map(\.name) == ["a", "b"])
        #expect(try directory.options(of: "a").address == "postgresql://a/relation")
        #expect(try directory.options(of: "home").address == engine.options.address)
        try directory.add("a", at: "postgresql://a/relation")
        #expect(
            message { try directory.add("a", at: "x") } == "a database of the name a is registered")
        #expect(
            message { try directory.add("c", at: "postgresql://a/relation") }
                == "that address is registered as a")
        #expect(throws: StorageError(.foreign, "")) { try directory.options(of: "c") }
    }

    @Test func noMoreDatabasesThanTheLimitAreRegistered() throws {
        try made()
        try engine.sql(
            """
            INSERT INTO relation_database
            SELECT 'd' || n, 'x' || n FROM generate_series(2, \(DirectoryLimits.databases)) n
            """)
        try directory.add("last", at: "y")
        #expect(throws: StorageError(.foreign, "")) { try directory.add("more", at: "z") }
        #expect(try directory.databases().count == DirectoryLimits.databases)
    }

    @Test func aMoveIsNotedAndSettled() throws {
        try made(with: ["a", "b"])
        #expect(try directory.place(of: 5) == .home(of: 5))
        try directory.beginMove(of: 5, to: "a")
        try directory.beginMove(of: 5, to: "a")
        #expect(try directory.place(of: 5).movingTo == "a")
        #expect(try directory.place(of: 5).database == "home")
        #expect(
            message { try directory.beginMove(of: 5, to: "b") } == "the app 5 is being moved to a")
        try directory.settle(5, in: "a")
        let place = try directory.place(of: 5)
        #expect(place.database == "a" && place.movingTo == nil)
        #expect(
            message { try directory.beginMove(of: 5, to: "a") } == "the app 5 lives in a already")
        try directory.beginMove(of: 5, to: "home")
        try directory.clearMove(of: 5)
        #expect(try directory.place(of: 5).database == "a")
        #expect(throws: StorageError(.foreign, "")) { try directory.beginMove(of: 5, to: "c") }
    }

    @Test func aDatabaseInWhichAppsLiveStays() throws {
        try made(with: ["a", "b"])
        try directory.settle(5, in: "a")
        #expect(throws: StorageError(.locked, "")) { try directory.remove("a", isEmpty: false) }
        try directory.beginMove(of: 5, to: "b")
        #expect(throws: StorageError(.locked, "")) { try directory.remove("a", isEmpty: true) }
        #expect(throws: StorageError(.locked, "")) { try directory.remove("b", isEmpty: true) }
        try directory.clearMove(of: 5)
        try directory.remove("a", isEmpty: true)
        try directory.remove("b", isEmpty: false)
        #expect(try directory.databases().isEmpty)
        #expect(try directory.place(of: 5).database == "home")
        #expect(throws: StorageError(.foreign, "")) { try directory.remove("a", isEmpty: true) }
    }

    @Test func numbersAreGivenOnceInTheWholeFleet() throws {
        try made(after: .max - 1, with: ["a"])
        #expect(try directory.allot(nil, for: nil, in: "a").app == .max)
        #expect(try directory.allot(2, for: nil, in: "a").app == 2)
        #expect(try directory.allot(nil, for: nil, in: "home").app == 1)
        // 2 has been given already.
        #expect(try directory.allot(nil, for: nil, in: "a").app == 3)
        // A caller that asks for a number which has a place gets that place.
        #expect(try directory.allot(2, for: nil, in: "home").database == "a")
    }

    @Test func aNumberThatHomeHasIsNotGivenAgain() throws {
        try directory.make(after: .max, apps: [1, 2, 4, .max, 4])
        #expect(try directory.place(of: 2).database == "home")
        #expect(try directory.places().map(\.app) == [1, 2, 4, .max])
        #expect(try directory.allot(nil, for: nil, in: "home").app == 3)
        #expect(try directory.allot(nil, for: nil, in: "home").app == 5)
    }

    @Test func aDatabaseStaysWhileAnAppIsBeingMadeThere() throws {
        try made(with: ["a"])
        let app = try directory.allot(nil, for: nil, in: "a").app
        #expect(
            message { try directory.remove("a", isEmpty: true) }
                == "the app \(app) got its place there within the last 10 seconds; try again after "
                + "that time")
        #expect(try directory.place(of: app).database == "a")
        try engine.sql("UPDATE relation_app_place SET allotted = now() - interval '11 seconds'")
        try directory.remove("a", isEmpty: true)
        #expect(try directory.databases().isEmpty)
    }

    @Test func noDirectoryIsMadeAndNoDatabaseJoinsWhileAServerHasALease() throws {
        let lease = """
            INSERT INTO relation_server (id, until, version, renewal) \
            VALUES ('x', now() + interval '1 hour', 1, 1)
            """
        try engine.sql(lease)
        #expect(throws: StorageError(.locked, "")) { try directory.make(after: 1) }
        #expect(try !directory.isThere())
        try engine.sql("DELETE FROM relation_server")
        try made()
        let member = try PostgresEngine()
        try member.sql(lease)
        #expect(
            message { try directory.join(member.options, as: "a") }
                == "1 servers have it open; stop them first")
        #expect(try AppDirectory.membership(of: member.options) == nil)
        try member.sql("DELETE FROM relation_server")
        try directory.join(member.options, as: "a")
        // Servers of the fleet have leases there.
        try member.sql(lease)
        try directory.join(member.options, as: "a")
    }

    @Test func theEndOfOneDatabaseConcernsNoOther() throws {
        try made(with: ["a"])
        let (one, other) = (directory.options(at: "x"), directory.options(at: "x"))
        #expect(one.shutdown !== other.shutdown && one.shutdown !== directory.options.shutdown)
    }

    @Test func aRequestThatIsRepeatedGetsTheSamePlace() throws {
        try made(with: ["a"])
        let first = try directory.allot(nil, for: "it's", in: "a")
        #expect(try directory.allot(nil, for: "it's", in: "home") == first)
        #expect(try directory.allot(9, for: "it's", in: "home") == first)
        try engine.sql("UPDATE relation_app_place SET allotted = now() - interval '3 days'")
        #expect(try directory.allot(nil, for: "it's", in: "home").app == first.app + 1)
    }

    @Test func newsHaveOnlyTheChangesAfterAVersion() throws {
        try made(with: ["a"])
        var view = DirectoryView()
        try directory.settle(5, in: "a")
        let isTaken = view.take(try directory.news(after: view.version))
        #expect(isTaken)
        #expect(view.place(of: 5).database == "a" && view.databases.map(\.name) == ["a"])
        try directory.settle(6, in: "a")
        let news = try directory.news(after: view.version)
        #expect(news.places.map(\.app) == [6])
        let areTaken = view.take(news)
        #expect(areTaken && view.appCounts == ["a": 2])
    }

    @Test func aDatabaseJoinsOneFleetUnderOneName() throws {
        try made()
        let member = try PostgresEngine()
        #expect(try AppDirectory.membership(of: member.options) == nil)
        try directory.join(member.options, as: "a")
        try directory.join(member.options, as: "a")
        #expect(try AppDirectory.membership(of: member.options) == "a")
        #expect(message { try directory.join(member.options, as: "b") } == "it is registered as a")
        #expect(throws: StorageError(.foreign, "")) {
            try AppDirectory(member.options).make(after: 1)
        }
        let other = try PostgresEngine()
        try AppDirectory(other.options).make(after: 1)
        #expect(
            message { try directory.join(other.options, as: "c") }
                == "it has a directory of its own")
        #expect(try AppDirectory.membership(of: other.options) == nil)
        try AppDirectory.leave(member.options)
        #expect(try AppDirectory.membership(of: member.options) == nil)
    }
}
