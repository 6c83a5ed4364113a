import Foundation
import PostgresSupport
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageRocks
import StorageSuite
import Testing

/// Runs the same random histories of all calls on the model, on an engine and on an oracle.
///
/// After every step the three give the same answers and show the same lists. Every few steps, all
/// stored rows are audited. At the end both engines hold the same bytes. With `RELATION_SEED=n`
/// only that history runs. Otherwise two of the known seeds run, others each time, and one that is
/// new and printed; `make simulate` runs new ones without end.
@Suite struct RelationSimulationTests {
    static let known: [UInt64] = Array(1...6)

    static let seeds: [UInt64] = {
        if let text = ProcessInfo.processInfo.environment["RELATION_SEED"] {
            return [UInt64(text) ?? 0]
        }
        let new = UInt64.random(in: 1000..<1_000_000_000)
        print("relation simulation: RELATION_SEED=\(new) repeats the new history of this run")
        return known.shuffled().prefix(2) + [new]
    }()

    /// The steps of a history, where `make simulate` has long ones.
    private static let steps = ProcessInfo.processInfo.environment["RELATION_STEPS"].flatMap {
        Int($0)
    }

    private let users = RelationHistory.users
    /// The users, and an id that must stay without a row.
    private let allUsers = RelationHistory.users + [RelationHistory.ghost]

    @Test(arguments: seeds)
    func everyHistoryKeepsEveryRule(_ seed: UInt64) throws {
        try run(
            seed, steps: Self.steps ?? 400,
            on: FolderEngine("rocks") { (path) throws(StorageError) in
                try RocksStore(folder: path, .small)
            })
    }

    /// A step asks the database some hundred times, so these histories are shorter.
    @Test(.enabled(if: PostgresEngine.isThere), arguments: [seeds[0], seeds[seeds.count - 1]])
    func everyHistoryOnADatabaseKeepsEveryRule(_ seed: UInt64) throws {
        try run(seed, steps: Self.steps ?? 100, on: try PostgresEngine())
    }

    private func settings(
        _ seed: UInt64, keepsFriendships: Bool, reviewsRemarks: Bool
    ) -> AppSettings {
        var settings = RelationHistory.settings(
            defaultAllowType: seed % 5 == 0 ? .allowAny : .needConfirm,
            keepsFriendships: keepsFriendships)
        settings.findsUsers = true
        settings.reportsReverseFriends = seed % 3 == 1
        if reviewsRemarks { settings.reviewedFields.friends = ["remark"] }
        settings.limits.contactLookups = 4
        settings.marksRisks = seed % 2 == 1
        settings.historyDays = seed % 2 == 0 ? 30 : 0
        settings.checksFriendshipOnSend = seed % 2 == 0
        if seed % 4 == 3 { settings.defaultVisibility = .friends }
        // One seed in three slows down users who add too many others.
        if seed % 3 == 2 {
            settings.applicationsPerDay = 3
            settings.applicationsReceivedPerDay = 2
            // Pauses are seconds or seven hours long, so all of these begin and end.
            settings.applicationsWindowMs = [60_000, 3_600_000, 86_400_000][Int(seed / 3 % 3)]
            settings.applicationsReceivedWindowMs = seed % 2 == 0 ? 90_000 : 2 * 86_400_000
            settings.reportsWindowMs = [60_000, 3_600_000, 90 * 86_400_000][Int(seed / 3 % 3)]
            settings.contactLookupsWindowMs = seed % 2 == 0 ? 3_600_000 : 90_000
            settings.applicationCooldownMs = 3_600_000
            settings.newAccountQuarantineMs = 60_000
        }
        return settings
    }

    private func run(_ seed: UInt64, steps: Int, on tested: any Engine) throws {
        // One seed in three keeps friendships, one in two never imports; without both, the audit of
        // the rows is stricter.
        let keeps = seed % 3 == 0
        var mix = RelationHistory.Mix()
        mix.hasImports = seed % 2 == 0
        mix.alwaysNotifies = seed % 4 == 0
        mix.reviewsRemarks = seed % 3 > 0
        mix.looks = true
        let settings = settings(seed, keepsFriendships: keeps, reviewsRemarks: mix.reviewsRemarks)
        var opened = try tested.open()
        let memory = MemoryStore()
        let store = ComparingStore(memory)
        let model = try World(on: store, settings: settings)
        // Histories run with adjacency lists in memory, without, and with hardly any.
        let size = CircleSize.allCases[Int(seed % UInt64(CircleSize.allCases.count))]
        var engine = try World(on: opened, settings: settings, adjacency: size.adjacency())
        for world in [model, engine] {
            try world.create(users)
            while try world.maintenance() {}
        }
        var oracle = Oracle(users, settings)
        var mirror = Mirror()
        var history = RelationHistory(seed: seed, mix)
        for number in 0..<steps {
            let step = history.next()
            let stepName = "RELATION_SEED=\(seed), step \(number): \(step)"
            var answers: [Oracle.Answer] = []
            let findings = try model.findings(taking: step, on: store, &answers)
            try #require(findings == [], "\(stepName)")
            try #require(try engine.apply(step) == answers, "\(stepName)")
            try #require(oracle.apply(step, at: model.now) == answers, "\(stepName)")
            let view = try model.view(of: users)
            try #require(view == oracle.view, "\(stepName)")
            try #require(try engine.view(of: users) == view, "\(stepName)")
            try #require(try mirror.follow(model, users) == [], "\(stepName)")
            try #require(
                try engine.circleFindings(of: allUsers, loads: number % 3 > 0) == [],
                "\(stepName), adjacency \(size)")
            for world in [model, engine] {
                try #require(
                    try search(number, in: world, oracle) == [], "\(stepName), search \(number)")
                try #require(try mails(number, in: world, oracle) == [], "\(stepName)")
                let viewer = users[number % users.count]
                try #require(
                    try world.seenFindings(of: viewer, users, oracle) == [], "\(stepName)")
            }
            guard number % 20 == 19 else { continue }
            let sharp = !keeps && !mix.hasImports
            try #require(try Audit(model, allUsers, sharp: sharp).findings == [], "\(stepName)")
            try #require(
                try engine.snapshot(of: allUsers) == model.snapshot(of: allUsers), "\(stepName)")
            try #require(try engine.findingRows() == model.findingRows(), "\(stepName)")
            try #require(try model.risks() == oracle.risks, "\(stepName)")
            guard number % 100 == 99 else { continue }
            opened.close()
            opened = try tested.open()
            let now = engine.now
            engine = try World(on: opened, settings: settings, adjacency: size.adjacency())
            engine.now = now
        }
        memory.checkInvariants()
        let rows = try model.snapshot(of: allUsers)
        #expect(try engine.snapshot(of: allUsers) == rows, "RELATION_SEED=\(seed)")
        // A new history may by chance do little. Of these it is known that they do more.
        let least = Self.known.contains(seed) ? steps / 2 : 0
        #expect(rows.joined().count > least, "seed \(seed): the history did little")
        try erase(from: [model, engine], oracle, "RELATION_SEED=\(seed)")
        opened.close()
    }

    /// Erases a user whose id occurs nowhere else: then all is as if it had never been.
    private func erase(from worlds: [World], _ oracle: Oracle, _ history: String) throws {
        let user = try #require(users.last)
        let others = Array(users.dropLast())
        var left = oracle
        left.erase(user)
        for world in worlds {
            #expect(try world.rowsNaming(user) > 0, "\(history)")
            try world.erase(user)
            #expect(try world.rowsNaming(user) == 0, "\(history)")
            #expect(try world.kinds(of: user) == [], "\(history)")
            #expect(try world.view(of: others) == left.view, "\(history)")
            #expect(try world.integrity() == [], "\(history)")
            for viewer in others {
                #expect(try world.seenFindings(of: viewer, others, left) == [], "\(history)")
            }
        }
    }

    /// The findings about who sees the mail address of one user, another one for each number.
    private func mails(_ number: Int, in world: World, _ oracle: Oracle) throws -> [String] {
        let owner = users[number % users.count]
        guard oracle.view.mailLevels[owner] != nil else { return [] }
        return try users.compactMap { viewer in
            let wanted = oracle.mailAccess(of: owner, for: viewer)
            let found = try world.mailAccess(of: owner, for: viewer)
            guard found != wanted else { return nil }
            return "\(viewer) of \(owner): \(String(describing: [found, wanted]))"
        }
    }

    /// The findings about one of all searches, another one for each number.
    private func search(_ number: Int, in world: World, _ oracle: Oracle) throws -> [String] {
        let keyword = FoundKeyword.all[number % FoundKeyword.all.count]
        let viewer = users[number / 3 % users.count]
        let isAdmin = number % 5 == 0
        let wanted = oracle.finds(
            keyword, for: viewer, isAdmin: isAdmin, at: world.now)
        let found = try world.finds(
            keyword, for: viewer, isAdmin: isAdmin, pagesOf: 1 + number % 3)
        return found == wanted ? [] : ["\(viewer) finds \(found), not \(wanted)"]
    }
}
