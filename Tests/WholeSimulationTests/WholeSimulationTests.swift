import Foundation
import Support
import Testing
import WholeSimulation

/// Runs the whole service under seeds: process, disk, network and clients, on one thread.
///
/// With `RELATION_SEED=n` only that history runs, and its story is printed if it fails.
/// `RELATION_STEPS` is the length of a history. `RELATION_SECONDS` is the time for new seeds.
@Suite struct WholeSimulationTests {
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private static let steps = min(number("RELATION_STEPS") ?? 300, 1_000)
    /// Seeds that run each time; those that once failed stay here.
    private static let known: [UInt64] = Array(1...32) + [43]
    /// How long a run takes new seeds, in seconds.
    private static let newSeconds = 8

    /// Runs the history of a seed, and tells the story of one that fails.
    private func run(_ seed: UInt64) throws -> WholeSimulation.Result {
        let plan = Plan(seed: seed, steps: Self.steps)
        let result = try WholeSimulation.run(plan)
        if !result.findings.isEmpty {
            let story = try Shrinker.story(of: plan).map { "\($0)" } ?? "it does not fail again"
            Issue.record("\(story)")
        }
        return result
    }

    @Test func everyKnownSeedKeepsEveryPromiseAndNoPlaceIsMissed() throws {
        if let seed = Self.number("RELATION_SEED") {
            let plan = Plan(seed: UInt64(seed), steps: Self.steps)
            let result = try WholeSimulation.run(plan, keepsLines: true)
            print(result.lines.joined(separator: "\n"))
            _ = try run(UInt64(seed))
            return
        }
        var sightings = Sightings()
        for seed in Self.known { sightings.add(try run(seed).sightings) }
        print(sightings.table)
        #expect(sightings.missing(of: Place.single).map(\.rawValue) == [])
    }

    @Test func newSeedsKeepEveryPromise() throws {
        guard Self.number("RELATION_SEED") == nil else { return }
        let first = UInt64.random(in: 1_000..<1_000_000_000)
        print("whole simulation: new seeds from RELATION_SEED=\(first)")
        let end = Date() + TimeInterval(Self.number("RELATION_SECONDS") ?? Self.newSeconds)
        var seed = first
        var hasFailed = false
        var (milliseconds, nanoseconds) = (0, UInt64(0))
        while !hasFailed, Date() < end {
            let start = SystemClock.thread.nanoseconds
            let result = try run(seed)
            nanoseconds += SystemClock.thread.nanoseconds - start
            hasFailed = !result.findings.isEmpty
            milliseconds += result.milliseconds
            seed += 1
        }
        let speed = milliseconds * 1_000_000 / max(1, Int(nanoseconds))
        print(
            "whole simulation: \(seed - first) new seeds, \(milliseconds / 1_000) seconds, "
                + "\(speed) times as fast as a clock")
    }

    @Test(arguments: [UInt64(3), 9, 10, 11]) func aSeedReplaysBitForBit(_ seed: UInt64) throws {
        let plan = Plan(seed: seed, steps: Self.steps)
        let one = try WholeSimulation.run(plan, keepsLines: true)
        let other = try WholeSimulation.run(plan, keepsLines: true)
        let difference = zip(one.lines, other.lines).first { $0 != $1 }
        #expect(difference.map { "\($0)" } == nil)
        #expect(one.digest == other.digest)
        #expect(one.milliseconds == other.milliseconds)
        #expect(try WholeSimulation.run(Plan(seed: seed + 1, steps: 300)).digest != one.digest)
    }

    /// The hub can read neither who gets an event nor how far the feed has come: its streams read
    /// the event from the log.
    @Test(arguments: 1...UInt64(8)) func aStoreThatIsAwayTwiceLosesNoEvent(_ seed: UInt64) throws {
        let plan = Plan(
            seed: seed,
            [
                Step(at: 600, .error(.failReads(2))),
                Step(at: 601, .call(caller: 0, .rename(1))),
                Step(at: 640, .call(caller: 3, .befriend(0, 1))),
            ])
        #expect(try WholeSimulation.run(plan).findings == [])
    }

    /// The clock of the process stands before the time at which the accounts were made.
    @Test(arguments: 1...UInt64(4)) func aClockThatGoesBackHidesNoOne(_ seed: UInt64) throws {
        let plan = Plan(
            seed: seed,
            [
                Step(at: 275, .error(.wall(milliseconds: -16_212))),
                Step(at: 302, .call(caller: 3, .report(4, isOnline: true))),
            ])
        #expect(try WholeSimulation.run(plan).findings == [])
    }

    /// A disk that lies loses answered writes, and one that writes what it has refused shows them.
    ///
    /// The checks find both, and few steps tell how.
    @Test(arguments: WholeSimulation.flaws)
    func aFlawIsFoundAndItsStoryIsShort(_ flaw: String) throws {
        var found: Story?
        for seed in UInt64(1)...40 where found == nil {
            found = try Shrinker.story(of: Plan(seed: seed, steps: 120), flaw: flaw)
        }
        let story = try #require(found)
        print(story)
        #expect(story.short.steps.count <= 12)
        #expect(!story.result.findings.isEmpty)
        #expect("\(story)".contains("RELATION_SEED=\(story.plan.seed)"))
    }
}
