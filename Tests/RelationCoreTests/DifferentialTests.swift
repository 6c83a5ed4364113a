import Foundation
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// AddFriends is compared with its table: random walks over few users, where each answer and each
/// state is compared with an oracle that was written from the description.
///
/// With `RELATION_SEED=n` only that walk runs. Otherwise the known seeds run each time, and one
/// more, which is new each time and printed.
@Suite struct DifferentialTests {
    static let known: [UInt64] = [1, 2, 3]

    static let seeds: [UInt64] = {
        if let text = ProcessInfo.processInfo.environment["RELATION_SEED"] {
            return [UInt64(text) ?? 0]
        }
        let new = UInt64.random(in: 1000..<1_000_000_000)
        print("differential: RELATION_SEED=\(new) repeats the new walk of this run")
        return known + [new]
    }()

    @Test(arguments: seeds)
    func theRuleAnswersAsTheTableSays(_ seed: UInt64) throws {
        let keeps = seed % 3 == 0
        let settings = RelationHistory.settings(
            defaultAllowType: seed % 2 == 0 ? .allowAny : .needConfirm, keepsFriendships: keeps)
        let store = ComparingStore()
        let world = try World(on: store, settings: settings)
        let users = RelationHistory.users
        try world.create(users)
        var oracle = Oracle(users, settings)
        var mix = RelationHistory.Mix()
        mix.mostlyAdds = true
        mix.hasImports = false
        var history = RelationHistory(seed: seed, mix)
        // A new walk reaches some lines by chance; the known ones go on until they reach all.
        let lines = Set(2...16)
        let most = Self.known.contains(seed) ? 20_000 : 1_500
        for number in 0..<most
        where number < 1_500 || !lines.isSubset(of: oracle.linesSeen.keys) {
            let step = history.next()
            var found: [Oracle.Answer] = []
            try #require(
                try world.findings(taking: step, on: store, &found) == [],
                "RELATION_SEED=\(seed), step \(number): \(step)")
            let wanted = oracle.apply(step, at: world.now)
            try #require(
                found == wanted, "RELATION_SEED=\(seed), step \(number): \(step)")
            try #require(
                try world.view(of: users) == oracle.view,
                "RELATION_SEED=\(seed), step \(number): \(step)")
        }
        #expect(try Audit(world, users, sharp: !keeps).findings == [], "RELATION_SEED=\(seed)")
        guard Self.known.contains(seed) else { return }
        let unseen = lines.subtracting(oracle.linesSeen.keys)
        #expect(unseen.isEmpty, "RELATION_SEED=\(seed): the walk misses lines of the table")
    }
}
