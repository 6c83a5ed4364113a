import Foundation
import PeerSupport
import Testing
import Webhooks

/// Random histories of a queue, against a receiver that keeps a book of what came.
///
/// `RELATION_SEED=n` runs that history alone. `RELATION_STEPS=2000`, as `make simulate` has it,
/// makes the book one of a million events.
@Suite struct DeliverySimulationTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static let seeds: [UInt64] = {
        if let text = environment["RELATION_SEED"] { return UInt64(text).map { [$0] } ?? [] }
        let new = UInt64.random(in: 0...UInt64(UInt32.max))
        print("delivery simulation: RELATION_SEED=\(new) repeats the new history of this run")
        return [1, 2, 3, new]
    }()

    private static func settings(_ numbers: inout SeededNumbers) -> DeliverySettings {
        var settings = DeliverySettings()
        settings.waitingEvents = Int.random(in: 20...400, using: &numbers)
        settings.parkedEvents = settings.waitingEvents / 2
        settings.batchEvents = Int.random(in: 1...12, using: &numbers)
        settings.batchBytes = Int.random(in: 2...24, using: &numbers)
        settings.parallelBatches = Int.random(in: 1...10, using: &numbers)
        settings.firstPauseMilliseconds = 50
        settings.longestPauseMilliseconds = 2_000
        settings.longestOutagePauseMilliseconds = 500
        settings.failuresOfOutage = Int.random(in: 3...20, using: &numbers)
        settings.retriesForMilliseconds = 20_000
        settings.crowdedAfterMilliseconds = 5_000
        settings.crowdedPauseMilliseconds = 500
        settings.laterRanges = Int.random(in: 1...100, using: &numbers)
        return settings
    }

    /// Runs a history to its end, with restarts.
    private static func run(
        _ history: inout DeliveryHistory, _ numbers: inout SeededNumbers, restarts: Int,
        steps: Int
    ) -> Int {
        var count = 0
        while !history.isDone, history.failure == nil, count < 40 * steps {
            count += 1
            // In bad times nothing gets through for a while.
            history.step(isWell: count > 8 * steps || count % 97 < 40)
            if history.restarts < restarts, Int.random(in: 0..<steps, using: &numbers) < restarts {
                history.restart(storesFirst: Bool.random(using: &numbers))
            }
        }
        return count
    }

    @Test(.endsWhenHung, arguments: seeds)
    func eachEventComesInItsUsersOrderOverRestarts(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        for round in 0..<12 {
            var history = DeliveryHistory(
                events: 800, users: Int.random(in: 1...60, using: &numbers),
                seed: numbers.next(), Self.settings(&numbers))
            _ = Self.run(&history, &numbers, restarts: 10, steps: 600)
            let failure = history.isDone ? history.finalFailure() : history.failure ?? "it hangs"
            #expect(failure == nil, "RELATION_SEED=\(seed), round \(round): \(failure ?? "")")
        }
    }

    /// The process may end at any step.
    @Test(.endsWhenHung, arguments: seeds)
    func nothingIsLostByARestartAtAnyStep(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var settings = Self.settings(&numbers)
        settings.waitingEvents = 24
        var history = DeliveryHistory(
            events: 60, users: 9, seed: numbers.next(), settings)
        var steps = 0
        while !history.isDone, steps < 5_000 {
            history.step(isWell: steps > 100)
            steps += 1
            for storesFirst in [true, false] {
                var copy = history
                copy.restart(storesFirst: storesFirst)
                var rest = 0
                while !copy.isDone, rest < 5_000 {
                    copy.step(isWell: true)
                    rest += 1
                }
                let failure = copy.isDone ? copy.finalFailure() : copy.failure ?? "it hangs"
                #expect(failure == nil, "RELATION_SEED=\(seed), step \(steps): \(failure ?? "")")
                if failure != nil { return }
            }
        }
        #expect(history.isDone && history.finalFailure() == nil, "RELATION_SEED=\(seed)")
    }

    /// A receiver's book of many events, with a hundred restarts.
    @Test(.endsWhenHung, arguments: seeds.suffix(1))
    func aLongLogIsDeliveredOverAHundredRestarts(seed: UInt64) {
        let isLong = Self.environment["RELATION_STEPS"].flatMap { Int($0) } ?? 400 >= 2_000
        let events = isLong ? 1_000_000 : 20_000
        var numbers = SeededNumbers(seed: seed)
        var settings = DeliverySettings()
        settings.waitingEvents = 2_000
        settings.parkedEvents = 1_000
        settings.batchEvents = 20
        settings.firstPauseMilliseconds = 10
        settings.longestPauseMilliseconds = 1_000
        settings.longestOutagePauseMilliseconds = 200
        var history = DeliveryHistory(
            events: events, users: 5_000, seed: numbers.next(), settings)
        let count = Self.run(&history, &numbers, restarts: 100, steps: events / 8)
        let failure = history.isDone ? history.finalFailure() : history.failure ?? "it hangs"
        #expect(failure == nil, "RELATION_SEED=\(seed): \(failure ?? "")")
        #expect(history.restarts == 100 && history.givenUp == 0)
        print("\(events) events in \(count) steps, \(history.repeats) came again")
    }
}
