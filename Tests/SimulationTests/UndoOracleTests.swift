import PostgresSupport
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageRocks
import StorageSuite
import Testing

/// Random histories in which UndoChanges comes between all other calls, on the model, on an engine
/// and on an oracle, which takes changes back by the rules as they are written down.
@Suite struct UndoOracleTests {
    private let users = RelationHistory.users
    private let allUsers = RelationHistory.users + [RelationHistory.ghost]

    /// The length of a history; on a database it is shorter.
    private static let steps = 400

    @Test(arguments: RelationSimulationTests.seeds)
    func everyHistoryTakesBackWhatTheOracleDoes(_ seed: UInt64) throws {
        let engine = FolderEngine("rocks") { (path) throws(StorageError) in
            try RocksStore(folder: path, .small)
        }
        try withExtendedLifetime(engine) { try run(seed, steps: Self.steps, on: try engine.open()) }
    }

    @Test(.enabled(if: PostgresEngine.isThere), arguments: [RelationSimulationTests.seeds[0]])
    func everyHistoryOnADatabaseTakesBackWhatTheOracleDoes(_ seed: UInt64) throws {
        let engine = try PostgresEngine()
        try withExtendedLifetime(engine) { try run(seed, steps: 80, on: try engine.open()) }
    }

    /// Each seed has one limit of follows, so that two that come back meet the same one.
    private func settings(_ seed: UInt64) -> AppSettings {
        var settings = RelationHistory.settings(
            defaultAllowType: seed % 2 == 0 ? .allowAny : .needConfirm,
            keepsFriendships: seed % 3 == 0)
        settings.historyDays = 3_650
        settings.findsUsers = true
        settings.reportsReverseFriends = seed % 3 == 1
        if seed % 2 == 1 { settings.reviewedFields.friends = ["remark"] }
        settings.limits.followings = seed % 3 == 0 ? 2 : 100
        settings.limits.followers = seed % 3 == 1 ? 2 : 0
        settings.limits.mutualFollows = seed % 3 == 2 ? 1 : 0
        settings.limits.groups = 3
        return settings
    }

    private func run(_ seed: UInt64, steps: Int, on opened: any Store) throws {
        let settings = settings(seed)
        let store = ComparingStore(MemoryStore())
        let model = try World(on: store, settings: settings)
        let engine = try World(on: opened, settings: settings)
        for world in [model, engine] {
            try world.create(users)
            while try world.maintenance() {}
        }
        var mix = RelationHistory.Mix()
        mix.hasImports = seed % 2 == 0
        mix.alwaysNotifies = seed % 4 == 0
        mix.reviewsRemarks = seed % 2 == 1
        mix.undoes = true
        var history = RelationHistory(seed: seed, mix)
        var oracle = Oracle(users, settings)
        var mirror = Mirror()
        var undone: [String: Int] = [:]
        for number in 0..<steps {
            let step = history.next()
            let name = "RELATION_SEED=\(seed), step \(number): \(step)"
            var answers: [Oracle.Answer] = []
            let findings = try model.findings(taking: step, on: store, &answers)
            try #require(findings == [], "\(name)")
            try #require(oracle.apply(step, at: model.now) == answers, "\(name)")
            try #require(try engine.apply(step) == answers, "\(name)")
            let view = try model.view(of: users)
            try #require(view == oracle.view, "\(name)")
            try #require(try engine.view(of: users) == view, "\(name)")
            try #require(try mirror.follow(model, users) == [], "\(name)")
            if case .undo = step.action {
                for (answer, outcome) in zip(answers, model.outcomes) {
                    let isDone = answer.code == 0 && outcome.changed
                    undone[isDone ? "done" : answer.description, default: 0] += 1
                }
            }
            guard number % 20 == 19 else { continue }
            let sharp = !settings.keepsFriendshipOnBlacklist && !mix.hasImports
            try #require(try Audit(model, allUsers, sharp: sharp).findings == [], "\(name)")
            try #require(try model.integrity() == [], "\(name)")
        }
        #expect(
            try engine.snapshot(of: allUsers) == model.snapshot(of: allUsers),
            "RELATION_SEED=\(seed)")
        // A short history or a new one may by chance take nothing back.
        guard steps >= Self.steps, RelationSimulationTests.known.contains(seed) else { return }
        #expect(undone["done"] ?? 0 > 0, "RELATION_SEED=\(seed): \(undone)")
        #expect(
            undone["30001 Err_ChangeUndo_Changed_Since"] ?? 0 > 0,
            "RELATION_SEED=\(seed): \(undone)")
    }
}
