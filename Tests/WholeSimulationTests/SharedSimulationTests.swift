import Foundation
import Testing
import WholeSimulation

/// Runs servers that share a modelled database under seeds, with their threads, their database, the
/// network and the clients.
///
/// `RELATION_SHARED_SEED=n` runs that history alone, and prints its story if it fails. Two runs of
/// one process are alike. Runs of two processes are, if both have
/// `SWIFT_DETERMINISTIC_HASHING=1`, for some orders in the server are those of hashes.
@Suite struct SharedSimulationTests {
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private static let steps = min(number("RELATION_STEPS") ?? 200, 1_000)
    /// Seeds that run each time; those that once failed stay here.
    private static let known: [UInt64] = Array(1...37) + [272_119_008, 316_950_518]

    /// How long a run takes new seeds, in seconds.
    private static let newSeconds = 8

    /// Of the seeds, each second one has three servers.
    private static func plan(_ seed: UInt64) -> Plan {
        Plan(seed: seed, steps: steps, servers: seed % 2 == 0 ? 3 : 2)
    }

    private func run(_ seed: UInt64) throws -> WholeSimulation.Result {
        let plan = Self.plan(seed)
        let result = try WholeSimulation.run(plan)
        if !result.findings.isEmpty {
            let story = try Shrinker.story(of: plan).map { "\($0)" } ?? "it does not fail again"
            Issue.record("\(story)")
        }
        return result
    }

    @Test func everyKnownSeedKeepsEveryPromiseAndNoPlaceIsMissed() throws {
        if let seed = Self.number("RELATION_SHARED_SEED") {
            let result = try WholeSimulation.run(Self.plan(UInt64(seed)), keepsLines: true)
            print(result.lines.joined(separator: "\n"))
            _ = try run(UInt64(seed))
            return
        }
        var sightings = Sightings()
        for seed in Self.known { sightings.add(try run(seed).sightings) }
        print(sightings.table)
        // With other hashes other orders come, and a place that is rare may be left out.
        guard Self.number("SWIFT_DETERMINISTIC_HASHING") == 1 else { return }
        #expect(sightings.missing(of: Place.shared).map(\.rawValue) == [])
    }

    @Test func newSeedsOfSeveralServersKeepEveryPromise() throws {
        guard Self.number("RELATION_SHARED_SEED") == nil else { return }
        let end = Date() + TimeInterval(Self.number("RELATION_SECONDS") ?? Self.newSeconds)
        let first = UInt64.random(in: 1_000..<1_000_000_000)
        print("several servers: new seeds from RELATION_SHARED_SEED=\(first)")
        var seed = first
        var hasFailed = false
        var (milliseconds, nanoseconds) = (0, UInt64(0))
        while !hasFailed, Date() < end {
            let start = DispatchTime.now().uptimeNanoseconds
            let result = try run(seed)
            nanoseconds += DispatchTime.now().uptimeNanoseconds - start
            hasFailed = !result.findings.isEmpty
            milliseconds += result.milliseconds
            seed += 1
        }
        let speed = milliseconds * 1_000_000 / max(1, Int(nanoseconds))
        print(
            "several servers: \(seed - first) new seeds, \(milliseconds / 1_000) seconds, "
                + "\(speed) times as fast as a clock")
    }

    @Test(arguments: [UInt64(3), 4, 5]) func aSeedReplaysBitForBit(_ seed: UInt64) throws {
        let one = try WholeSimulation.run(Self.plan(seed), keepsLines: true)
        let other = try WholeSimulation.run(Self.plan(seed), keepsLines: true)
        let difference = zip(one.lines, other.lines).first { $0 != $1 }
        #expect(difference.map { "\($0)" } == nil)
        #expect(one.digest == other.digest)
        #expect(one.milliseconds == other.milliseconds)
        #expect(try WholeSimulation.run(Self.plan(seed + 2)).digest != one.digest)
    }

    /// A database whose locks are free, or that answers before its standby has a commit, breaks
    /// promises, and the checks find that.
    @Test(arguments: [PostgresModel.Flaw.sharesLocks, .answersEarly].map(\.rawValue))
    func aFlawOfTheDatabaseIsFound(_ flaw: String) throws {
        var found: [BrokenPromise] = []
        for seed in UInt64(1)...60 where found.isEmpty {
            let plan = Plan(seed: seed, steps: 200, servers: 2)
            found = try WholeSimulation.run(plan, flaw: flaw).findings
        }
        #expect(!found.isEmpty)
    }

    /// A failing history of several servers is told in few words, with the seed that repeats it.
    @Test func aStoryOfSeveralServersIsShort() throws {
        var found: Story?
        for seed in UInt64(1)...60 where found == nil {
            found = try Shrinker.story(
                of: Plan(seed: seed, steps: 30, servers: 2),
                flaw: PostgresModel.Flaw.sharesLocks.rawValue, within: 40)
        }
        let story = try #require(found)
        print(story)
        #expect(story.short.steps.count <= 10)
        #expect(story.short.servers == 2)
        #expect("\(story)".contains("RELATION_SHARED_SEED=\(story.plan.seed), 2 servers"))
    }
}
