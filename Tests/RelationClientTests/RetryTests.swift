import GRPC
import PeerSupport
import RPC
import RelationAPI
import RelationCalls
import RelationModel
import Storage
import Synchronization
import Testing

@testable import RelationClient

/// The errors after which a call is made again, and the waits before that.
@Suite(.endsWhenHung) struct RetryTests {
    private static let policy = RetryPolicy()

    @Test(arguments: Status.Code.allCases.filter { $0 != .ok })
    func onlyUnavailableIsTriedAgainWhereNoReasonIsGiven(_ code: Status.Code) async throws {
        try await ScriptedService.run { _ in
            .fail(RPCError(code, "the test says so"))
        } _: { client, service, clock in
            for call in [client.read(options:), client.write(options:)] {
                let before = service.seen.count
                let error = try #require(await failure { try await call(CallOptions()) })
                let attempts = code == .unavailable ? Self.policy.maxAttempts : 1
                #expect(error.code == StatusCode(code))
                #expect(error.attempts == attempts)
                #expect(service.seen.count - before == attempts)
            }
            #expect(clock.sleeps.isEmpty == (code != .unavailable))
        }
    }

    @Test(arguments: [
        RPCError.overloaded, .stopping, .outcomeUnknown(StorageError(.outcomeUnknown, "test")),
        RPCError(
            .resourceExhausted, .throttled, "later", .retryAfter(milliseconds: 40)),
        RPCError(.resourceExhausted, .tooManyOpenCalls, "later", .retryAfter(milliseconds: 40)),
        RPCError(.unavailable, .storageUnavailable, "later"),
        RPCError(.aborted, .conflict, "again"),
    ])
    func reasonsThatPassAreTriedAgain(_ error: RPCError) async throws {
        try await ScriptedService.run {
            $0.number < 3 ? .fail(error) : .answer([])
        } _: { client, service, _ in
            try await client.write()
            #expect(service.seen.count == 3)
        }
    }

    @Test(arguments: [
        RPCError(.unavailable, .behind, "the read has waited"),
        RPCError(.resourceExhausted, .diskLow, "nothing was written"),
        RPCError(.aborted, .versionStale, "another version"),
        RPCError(.unauthenticated, .credentialInvalid, "no"),
        RPCError(.invalidArgument, .invalidField, "no"),
        RPCError(.unknown, "a proxy's words"),
    ])
    func reasonsThatDoNotPassAreReported(_ error: RPCError) async throws {
        try await ScriptedService.run { _ in
            .fail(error)
        } _: { client, service, clock in
            let found = try #require(await failure { try await client.read() })
            #expect(found == CallError(error))
            #expect(service.seen.count == 1)
            #expect(clock.sleeps.isEmpty)
        }
    }

    @Test(arguments: [UInt64](0..<200))
    func waitsAreWithinTheirJitter(seed: UInt64) throws {
        let numbers = Mutex(SeededNumbers(seed: seed))
        let chance = ClientChance { numbers.withLock { $0.next() } }
        var policy = RetryPolicy()
        policy.maxAttempts = 9
        policy.budget = nil
        let tokens = RetryTokens(nil)
        var repetition = Repetition(policy, isSafe: true)
        let error = RPCError(.unavailable, "")
        var expected = policy.firstWait
        for attempts in 1...8 {
            let failure = CallError(error, attempts: attempts)
            let next = repetition.wait(after: error, failure, tokens, chance)
            let wait = try #require(next)
            #expect(wait >= expected * 0.8 && wait <= expected * 1.2, "seed \(seed)")
            expected = min(expected * 2, policy.longestWait)
        }
        #expect(expected == policy.longestWait)
        let last = CallError(error, attempts: 9)
        let none = repetition.wait(after: error, last, tokens, chance)
        #expect(none == nil)
    }

    @Test func withoutJitterWaitsAreExact() throws {
        var policy = RetryPolicy()
        (policy.jitter, policy.multiplier) = (0, 3)
        let tokens = RetryTokens(nil)
        var repetition = Repetition(policy, isSafe: true)
        let away = RPCError(.unavailable, "away")
        var waits: [Duration?] = []
        for attempts in 1...4 {
            let failure = CallError(away, attempts: attempts)
            waits.append(repetition.wait(after: away, failure, tokens, .system))
        }
        #expect(waits == [100, 300, 900, 2_000].map { .milliseconds($0) })
        let later = RPCError(
            .resourceExhausted, .throttled, "later", .retryAfter(milliseconds: 4_000))
        var other = Repetition(policy, isSafe: true)
        let wait = other.wait(after: later, CallError(later), tokens, .system)
        #expect(wait == .seconds(4))
    }

    @Test func theServersTimeIsObeyed() async throws {
        let later = RPCError(
            .resourceExhausted, .throttled, "later", .retryAfter(milliseconds: 5_000))
        for seed in UInt64(0)..<20 {
            try await ScriptedService.run(seed: seed) {
                $0.number == 1 ? .fail(later) : .answer([])
            } _: { client, _, clock in
                try await client.read()
                let wait = try #require(clock.sleeps.first)
                #expect(wait >= .seconds(5) && wait <= .seconds(6), "seed \(seed)")
            }
        }
    }

    @Test func aPushbackIsObeyedToTheMillisecond() {
        let tokens = RetryTokens(nil)
        var repetition = Repetition(RetryPolicy(), isSafe: true)
        var error = RPCError(.unavailable, "later")
        error.pushback = .after(.seconds(7))
        let wait = repetition.wait(after: error, CallError(error), tokens, .system)
        #expect(wait == .seconds(7))
        // An error that does not pass stays one.
        error = RPCError(.notFound, "no")
        error.pushback = .after(.seconds(7))
        let none = repetition.wait(after: error, CallError(error), tokens, .system)
        #expect(none == nil)
    }

    @Test func aPushbackMayForbidAnotherAttemptAndTakesAToken() {
        let tokens = RetryTokens(RetryBudget(tokens: 4))
        var repetition = Repetition(RetryPolicy(), isSafe: true)
        for code in [Status.Code.unavailable, .notFound] {
            var error = RPCError(code, "never")
            error.pushback = .never
            let wait = repetition.wait(after: error, CallError(error), tokens, .system)
            #expect(wait == nil)
        }
        let isLeft = tokens.spend()
        #expect(!isLeft)
    }

    @Test func aWaitThatWouldPassTheDeadlineIsNotBegun() async throws {
        let later = RPCError(
            .resourceExhausted, .tooManyExports, "later", .retryAfter(milliseconds: 60_000))
        try await ScriptedService.run { _ in
            .fail(later)
        } _: { client, service, clock in
            let options = CallOptions(timeout: .seconds(60))
            let error = try #require(await failure { try await client.read(options: options) })
            #expect(error.retryAfter == .seconds(60) && error.attempts == 1)
            #expect(clock.sleeps.isEmpty)
        }
    }

    @Test(arguments: [150, 400, 1_000])
    func attemptsAndWaitsEndBeforeTheDeadline(milliseconds: Int) async throws {
        try await ScriptedService.run { _ in
            .fail(RPCError(.unavailable, "away"))
        } _: { client, _, clock in
            let time = Duration.milliseconds(milliseconds)
            // The real clock must not come first, so the call's own is far ahead of it.
            let error = try #require(
                await failure { try await client.read(options: CallOptions(timeout: time)) })
            #expect([.unavailable, .deadlineExceeded].contains(error.code))
            #expect(clock.sleeps.reduce(.zero, +) < time)
        }
    }

    @Test func aCallHasADeadlineUnlessItSaysAnother() async throws {
        try await ScriptedService.run {
            $0.timeout = ClientOptions().timeout
        } _: { _ in
            .answer([])
        } _: { client, service, _ in
            try await client.read()
            try await client.read(options: CallOptions(timeout: .seconds(3_600)))
            let times = service.seen.compactMap(\.time)
            #expect(times.count == 2)
            #expect(times[0] <= .seconds(30) && times[0] > .zero)
            #expect(times[1] > .seconds(30))
        }
    }

    @Test func theErrorOfADeadlineTellsTheAttemptBefore() {
        let first = CallError(RPCError(.unavailable, "away"))
        let last = CallError(
            RPCError(.deadlineExceeded, "the deadline has passed"), attempts: 2, after: first)
        #expect(
            last.message
                == "the deadline has passed; the attempt before failed with UNAVAILABLE: away")
        #expect(last.attempts == 2)
        let other = CallError(RPCError(.notFound, "no"), attempts: 2, after: first)
        #expect(other.message == "no")
    }

    @Test func aCallMayRefuseToBeMadeAgain() async throws {
        try await ScriptedService.run { _ in
            .fail(RPCError(.unavailable, "away"))
        } _: { client, service, _ in
            let options = CallOptions(retries: false)
            let error = try #require(await failure { try await client.read(options: options) })
            #expect(error.attempts == 1)
            #expect(service.seen.count == 1)
        }
    }

    @Test func aClientMayNeverMakeACallAgain() async throws {
        try await ScriptedService.run {
            $0.retries = nil
        } _: { _ in
            .fail(RPCError(.unavailable, "away"))
        } _: { client, service, _ in
            _ = await failure { try await client.write() }
            #expect(service.seen.count == 1)
            #expect(!RequestIDField.isOnce(service.seen[0].request))
        }
    }

    @Test func aCallOfAClosedClientIsNotMadeAgain() async throws {
        try await ScriptedService.run { _ in
            .answer([])
        } _: { client, service, clock in
            await client.close()
            let error = try #require(await failure { try await client.read() })
            #expect(error.code == .cancelled && error.attempts == 0)
            #expect(error.isClientClosed && error == .clientClosed())
            #expect(error.message == "the client was closed: calls need a new one")
            #expect(clock.sleeps.isEmpty && service.seen.isEmpty)
        }
    }
}

/// The bound on the retries of all calls of a client.
@Suite(.endsWhenHung) struct RetryBudgetTests {
    @Test func noCallIsMadeAgainWhenHalfOfTheTokensAreGone() async throws {
        let isAway = Mutex(true)
        try await ScriptedService.run {
            $0.retries?.budget = RetryBudget(tokens: 10, ratio: 0.5)
        } _: { _ in
            isAway.withLock { $0 } ? .fail(RPCError(.unavailable, "away")) : .answer([])
        } _: { client, _, _ in
            // The fifth failure leaves half of the tokens.
            let first = try #require(await failure { try await client.read() })
            #expect(first.attempts == 5)
            for _ in 0..<8 {
                let next = try #require(await failure { try await client.read() })
                #expect(next.attempts == 1)
            }
            // No token is left. Twelve successes give six back, and one failure takes one.
            isAway.withLock { $0 = false }
            for _ in 0..<12 { try await client.read() }
            isAway.withLock { $0 = true }
            let later = try #require(await failure { try await client.read() })
            #expect(later.attempts == 1)
            isAway.withLock { $0 = false }
            for _ in 0..<4 { try await client.read() }
            isAway.withLock { $0 = true }
            let last = try #require(await failure { try await client.read() })
            #expect(last.attempts == 2)
        }
    }

    @Test func aBudgetHasNoMoreTokensThanItBeganWith() {
        let tokens = RetryTokens(RetryBudget(tokens: 4, ratio: 1_000))
        for _ in 0..<10 { tokens.addForSuccess() }
        let taken = [tokens.spend(), tokens.spend()]
        #expect(taken == [true, false])
        tokens.addForSuccess()
        let again = tokens.spend()
        #expect(again)
    }

    @Test func withoutABudgetThereIsNoBound() {
        let tokens = RetryTokens(nil)
        let taken = (0..<10_000).map { _ in tokens.spend() }
        #expect(!taken.contains(false))
    }

    @Test func callsThatNoServerSawTakeNoTokens() throws {
        var policy = RetryPolicy()
        policy.budget = RetryBudget(tokens: 1)
        let tokens = RetryTokens(policy.budget)
        var error = RPCError(.unavailable, "cannot connect")
        error.wasUnprocessed = true
        var repetition = Repetition(policy, isSafe: false)
        for attempts in 1...4 {
            let failure = CallError(error, attempts: attempts)
            let wait = repetition.wait(after: error, failure, tokens, .system)
            #expect(wait != nil)
        }
        // A call that a server may have done is not made again.
        error.wasUnprocessed = false
        let none = repetition.wait(after: error, CallError(error), tokens, .system)
        #expect(none == nil)
    }
}
