import Foundation
import StorageSuite
import Testing

/// Callers of all kinds at once, on several threads, over the model of the store: under
/// ThreadSanitizer, a run checks the memory that they share.
///
/// With `RELATION_SEED=n` the callers make the same calls again, which the threads then interleave
/// freely. `RELATION_ROUNDS=n` sets how many rounds they make.
struct RaceTests {
    private static let callers = 6

    private static let rounds =
        ProcessInfo.processInfo.environment["RELATION_ROUNDS"].flatMap { Int($0) } ?? 60

    private static let seed =
        ProcessInfo.processInfo.environment["RELATION_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0..<1_000_000_000)

    @Test func noCallerMeetsAnErrorOfTheServer() async throws {
        let service = try await BusyService()
        let errors = await Self.run(service, rounds: Self.rounds)
        #expect(errors == [], "RELATION_SEED=\(Self.seed)")
        #expect(try await service.findings() == [], "RELATION_SEED=\(Self.seed)")
        await service.stop()
    }

    @Test func aStopAmongCallsLeavesWhatFitsTogether() async throws {
        let service = try await BusyService()
        async let running = Self.run(service, rounds: 100_000)
        // Some callers are in the middle of a call whenever this check runs.
        _ = try await service.findings()
        await service.stop()
        #expect(await running == [], "RELATION_SEED=\(Self.seed)")
        let again = try await BusyService(over: service.store)
        #expect(try await again.findings() == [], "RELATION_SEED=\(Self.seed)")
        await again.stop()
    }

    /// The answers to callers that only an error of the server explains.
    private static func run(_ service: BusyService, rounds: Int) async -> [String] {
        await withTaskGroup(of: [String].self) { group in
            for number in 0..<callers {
                group.addTask {
                    var caller = BusyCaller(
                        service, SeededNumbers(seed: seed &+ UInt64(number)), number)
                    return await caller.run(rounds: rounds)
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }
}
