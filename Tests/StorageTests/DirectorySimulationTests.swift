import Storage
import Testing

/// A fleet of 200 databases with 10,000 apps, one of them large, by chance: places, moves, removals
/// of databases, and servers that read late or start anew.
@Suite struct DirectorySimulationTests {
    /// Numbers by a seed.
    private struct Chance: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    /// The directory as its tables have it: each row with the version of its last change.
    private struct Model {
        private(set) var version: Int64 = 1
        private(set) var databases: [String: DirectoryDatabase] = [:]
        private(set) var places: [UInt32: AppPlace] = [:]
        private var last: UInt32 = 1

        mutating func add(_ name: String) {
            version += 1
            databases[name] = DirectoryDatabase(name: name, address: "postgresql://\(name)/r")
        }

        mutating func allot(in name: String) -> UInt32 {
            version += 1
            last += 1
            places[last] = AppPlace(app: last, database: name, version: version)
            return last
        }

        mutating func move(_ app: UInt32, to name: String) {
            guard let place = places[app], place.database != name else { return }
            version += 1
            places[app] = AppPlace(
                app: app, database: place.database, movingTo: name, version: version)
        }

        mutating func settle(_ app: UInt32) {
            guard let target = places[app]?.movingTo else { return }
            version += 1
            places[app] = AppPlace(app: app, database: target, version: version)
        }

        mutating func remove(_ name: String) -> Bool {
            let isUsed = places.values.contains { $0.database == name || $0.movingTo == name }
            guard !isUsed else { return false }
            version += 1
            databases[name] = nil
            return true
        }

        func news(after known: Int64) -> DirectoryNews {
            DirectoryNews(
                version: version, databases: databases.values.sorted { $0.name < $1.name },
                places: places.values.filter { $0.version > known })
        }
    }

    private static let names = (0..<200).map { "d\($0 + 1_000)" }
    private static let apps = 10_000

    private static func candidates(
        _ model: Model, _ counts: [String: Int], _ rows: [String: Int64]
    ) -> [DatabaseChoice.Candidate] {
        model.databases.keys.map {
            DatabaseChoice.Candidate(name: $0, apps: counts[$0] ?? 0, rows: rows[$0] ?? 0)
        }
    }

    @Test func tenThousandAppsSpreadAroundALargeOne() {
        var model = Model()
        for name in Self.names { model.add(name) }
        let large = Self.names[7]
        let rows = [large: Int64(100_000_000)]
        var counts: [String: Int] = [:]
        var numbers: Set<UInt32> = []
        for _ in 0..<Self.apps {
            guard let name = DatabaseChoice.best(of: Self.candidates(model, counts, rows)) else {
                continue
            }
            counts[name, default: 0] += 1
            numbers.insert(model.allot(in: name))
        }
        #expect(numbers.count == Self.apps)
        #expect(counts[large] == nil)
        let others = Self.names.filter { $0 != large }.map { counts[$0] ?? 0 }
        #expect(others.reduce(0, +) == Self.apps)
        #expect((others.max() ?? 0) - (others.min() ?? 0) <= 1)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func serversThatReadLateKnowAnEarlierDirectoryAndNeverAnother(_ seed: UInt64) {
        var chance = Chance(state: seed)
        var model = Model()
        for name in Self.names { model.add(name) }
        var servers = [DirectoryView](repeating: DirectoryView(), count: 3)
        var past: [Int64: [UInt32: AppPlace]] = [:]
        var isWhole = true
        for step in 0..<1_500 {
            switch Int.random(in: 0..<10, using: &chance) {
            case 0..<5:
                _ = model.allot(in: model.databases.keys.sorted().randomElement(using: &chance)!)
            case 5, 6:
                let app = UInt32.random(in: 2...UInt32(2 + model.places.count), using: &chance)
                model.move(app, to: model.databases.keys.sorted().randomElement(using: &chance)!)
            case 7: model.settle(model.places.keys.sorted().randomElement(using: &chance) ?? 2)
            case 8: _ = model.remove(model.databases.keys.sorted().randomElement(using: &chance)!)
            default: break
            }
            past[model.version] = model.places
            let server = Int.random(in: 0..<3, using: &chance)
            // Most readings come late, and some servers start anew.
            if step % 7 == 0 {
                isWhole =
                    servers[server].take(model.news(after: servers[server].version))
                    && isWhole
                isWhole = servers[server].version == model.version && isWhole
            } else if step % 501 == 0 {
                servers[server] = DirectoryView()
            }
            for view in servers where view.version >= 0 {
                isWhole = past[view.version] == view.places && isWhole
            }
            guard step % 100 == 0 else { continue }
            // Each app is in one place, which is a database that is there.
            isWhole =
                isWhole
                && model.places.values.allSatisfy {
                    model.databases[$0.database] != nil
                        && $0.movingTo.map { model.databases[$0] != nil } ?? true
                }
        }
        #expect(isWhole, "seed \(seed)")
        for index in servers.indices {
            let isTaken = servers[index].take(model.news(after: servers[index].version))
            #expect(isTaken)
            #expect(servers[index].places == model.places)
        }
    }

    @Test func aDirectoryThatHasGoneBackIsReadAnew() {
        var model = Model()
        model.add("a")
        let backup = model
        _ = model.allot(in: "a")
        var view = DirectoryView()
        let isTaken = view.take(model.news(after: view.version))
        let isOldTaken = view.take(backup.news(after: view.version))
        #expect(isTaken && !isOldTaken && view == DirectoryView())
        let isReadAnew = view.take(backup.news(after: view.version))
        #expect(isReadAnew)
        #expect(view.places.isEmpty && view.databases.map(\.name) == ["a"])
    }

    @Test func appsOnTheirWayCountWhereTheyGo() {
        var model = Model()
        for name in ["a", "b"] { model.add(name) }
        let app = model.allot(in: "a")
        model.move(app, to: "b")
        var view = DirectoryView()
        let isTaken = view.take(model.news(after: view.version))
        #expect(isTaken && view.appCounts == ["b": 1])
        #expect(view.place(of: app).database == "a")
        #expect(view.place(of: 99) == .home(of: 99))
    }
}
