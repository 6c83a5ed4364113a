import Migrations

/// How many things were left out, or differ, of each kind.
struct KindCounts {
    private(set) var total = 0
    private(set) var kinds: [String: Int] = [:]

    init() {}

    /// Counts of before.
    init(total: Int, kinds: [String: Int]) {
        (self.total, self.kinds) = (total, kinds)
    }

    mutating func add(_ loss: MigrationLoss) {
        total += 1
        // Behind a colon stands the value, of which there may be many.
        let rule = loss.rule.split(separator: ":", maxSplits: 1).first.map(String.init) ?? ""
        let words = [loss.kind, loss.field, rule].filter { !$0.isEmpty }
        let kind = words.joined(separator: " ")
        let isKnown = kinds[kind] != nil || kinds.count < Limits.lossKinds
        kinds[isKnown ? kind : "of other kinds", default: 0] += 1
    }
}
