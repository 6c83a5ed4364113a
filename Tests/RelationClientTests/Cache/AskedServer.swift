import RelationAPI
import Synchronization

@testable import RelationClient

/// The server of a cache, whose requests a test counts, holds up and lets fail.
final class AskedServer: ProfileSource {
    private struct State {
        var requests: [GetProfilesRequest] = []
        var answers: [GetProfilesResponse] = []
        var errors: [any Error] = []
    }

    /// The place that requests pass before they reach the server.
    let requestGate = AsyncGate()
    /// The place that answers pass on their way back.
    let answerGate = AsyncGate()
    private let state = Mutex(State())
    private let ask: @Sendable (GetProfilesRequest) async throws -> GetProfilesResponse

    init(_ client: Client) {
        ask = { try await client.profiles($0) }
    }

    /// A server that knows every user, and whose profiles have the id as the nick.
    init(lifetime seconds: Int64 = 86_400) {
        ask = { request in
            GetProfilesResponse.with {
                $0.results = request.userIDs.map { user in
                    GetProfileResult.with {
                        $0.userID = user
                        $0.code = .success
                        $0.profile = .with {
                            $0.userID = user
                            $0.nick = user
                        }
                        $0.viewVersion = 1
                    }
                }
                $0.cacheSeconds = seconds
            }
        }
    }

    /// The requests that came so far.
    var requests: [GetProfilesRequest] { state.withLock { $0.requests } }
    /// The answers that were given so far.
    var answers: [GetProfilesResponse] { state.withLock { $0.answers } }
    var count: Int { requests.count }

    /// Lets the next request fail.
    func fail(_ error: any Error) {
        state.withLock { $0.errors.append(error) }
    }

    func profiles(_ request: GetProfilesRequest) async throws -> GetProfilesResponse {
        let error = state.withLock { state in
            state.requests.append(request)
            return state.errors.isEmpty ? nil : state.errors.removeFirst()
        }
        try await requestGate.pass()
        if let error { throw error }
        let answer = try await ask(request)
        state.withLock { $0.answers.append(answer) }
        try await answerGate.pass()
        return answer
    }
}

/// A gate at which tasks wait while it is shut.
final class AsyncGate: Sendable {
    private struct State {
        var isShut = false
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var counted: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var cancelled = 0
    }

    private let state = Mutex(State())

    /// How many tasks were cancelled while they waited.
    var cancelled: Int { state.withLock { $0.cancelled } }

    func shut() {
        state.withLock { $0.isShut = true }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isShut = false
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }
        }
        for waiter in waiting { waiter.value.resume() }
    }

    /// Returns once `count` tasks wait.
    func waiting(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.waiting.count >= count { return true }
                state.counted.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func pass() async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(number, continuation)
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiting.removeValue(forKey: number)
                if waiter != nil { state.cancelled += 1 }
                return waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func wait(_ number: Int, _ continuation: CheckedContinuation<Void, any Error>) {
        var passes = true
        let counted = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.isShut, !Task.isCancelled else { return [] }
            passes = false
            state.waiting[number] = continuation
            let count = state.waiting.count
            defer { state.counted.removeAll { $0.count <= count } }
            return state.counted.filter { $0.count <= count }.map(\.continuation)
        }
        if passes { continuation.resume() }
        for waiter in counted { waiter.resume() }
    }
}
