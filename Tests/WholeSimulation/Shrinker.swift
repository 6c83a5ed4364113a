/// Finds a short history that still breaks the same promise, and tells it in words.
package struct Shrinker {
    private let flaw: String?
    private let kind: BrokenPromise.Kind
    private let mostRuns: Int
    private var runs = 0

    /// The story of a plan that fails; nil if it does not fail.
    ///
    /// - Parameters:
    ///   - flaw: An error of the disk, or of the database, with which the plan fails.
    ///   - runs: How many runs may be made to find a shorter history.
    package static func story(
        of plan: Plan, flaw: String? = nil, within runs: Int = WorldLimits.shrinkingRuns
    ) throws -> Story? {
        guard let first = try WholeSimulation.run(plan, flaw: flaw).findings.first else {
            return nil
        }
        var shrinker = Shrinker(flaw: flaw, kind: first.kind, mostRuns: runs)
        let short = try shrinker.shrink(plan)
        let result = try WholeSimulation.run(short, flaw: flaw, keepsLines: true)
        return Story(plan: plan, short: short, result: result)
    }

    private init(flaw: String?, kind: BrokenPromise.Kind, mostRuns: Int) {
        (self.flaw, self.kind, self.mostRuns) = (flaw, kind, mostRuns)
    }

    private mutating func fails(_ plan: Plan) throws -> Bool {
        runs += 1
        return try WholeSimulation.run(plan, flaw: flaw).findings.contains { $0.kind == kind }
    }

    /// Leaves out parts of the history, and keeps what fails: the Swift client first, then halves,
    /// then single steps.
    private mutating func shrink(_ plan: Plan) throws -> Plan {
        var plan = plan
        if plan.hasSwiftClients {
            var raw = plan
            raw.hasSwiftClients = false
            if try fails(raw) { plan = raw }
        }
        var size = max(1, plan.steps.count / 2)
        while true {
            var start = 0
            var isShorter = false
            while start < plan.steps.count, runs < mostRuns {
                var shorter = plan
                shorter.steps.removeSubrange(start..<min(start + size, plan.steps.count))
                if try fails(shorter) {
                    plan = shorter
                    isShorter = true
                } else {
                    start += size
                }
            }
            guard runs < mostRuns, size > 1 || isShorter else { return plan }
            size = max(1, size / 2)
        }
    }
}

/// A failing history in words.
package struct Story: Sendable, CustomStringConvertible {
    package let plan: Plan
    /// The shortest history that was found.
    package let short: Plan
    package let result: WholeSimulation.Result

    package var description: String {
        let steps = short.steps.map { "  \($0.milliseconds) ms: \($0)" }
        let what = result.findings.prefix(3).map { "  \($0)" }
        let end =
            result.lines.firstIndex { $0.contains(SimulatedWorld.foundMark) } ?? result.lines.count
        let lines = result.lines.prefix(end + 1).suffix(WorldLimits.storyLines).map { "  \($0)" }
        let name = plan.servers == 0 ? "RELATION_SEED" : "RELATION_SHARED_SEED"
        let servers = plan.servers == 0 ? "" : "\(plan.servers) servers, "
        let callers = plan.hasSwiftClients && !short.hasSwiftClients ? ", all by raw callers" : ""
        return
            (["\(name)=\(plan.seed), \(servers)\(plan.steps.count) steps, breaks:"] + what
            + ["\(short.steps.count) steps are enough\(callers):"] + steps
            + ["What happened before that was seen:"] + lines).joined(separator: "\n")
    }
}
