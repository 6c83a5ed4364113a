import GRPC
import PeerSupport
import RPC
import RelationAPI
import Testing

@testable import RelationClient

/// Calls of tasks that are cancelled: they end with `CancellationError`.
@Suite(.endsWhenHung) struct CancellationTests {
    @Test func aCallThatWaitsForItsAnswerIsCancelled() async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        try await ScriptedService.run { _ in
            arrival.yield()
            return .silence
        } _: { client, _, _ in
            let call = Task { try await client.read() }
            for await _ in arrivals { break }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    @Test func aCallThatWaitsForItsNextAttemptIsCancelled() async throws {
        try await ScriptedService.run(clock: FakeClock()) { _ in
            .fail(RPCError(.unavailable, "away"))
        } _: { client, service, clock in
            let call = Task { try await client.write() }
            await clock.sleepers(1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(service.seen.count == 1 && clock.sleeperCount == 0)
        }
    }

    @Test func aTaskThatIsCancelledBeforeMakesNoCall() async throws {
        try await ScriptedService.run { _ in
            .silence
        } _: { client, _, clock in
            let call = Task {
                while !Task.isCancelled { await Task.yield() }
                try await client.read()
            }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(clock.sleeps.isEmpty)
        }
    }

    @Test func aCancelledCallIsOneOfNoCode() {
        #expect(StatusCode(of: CancellationError()) == .cancelled)
    }
}
