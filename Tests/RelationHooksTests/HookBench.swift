import Protobuf
import RelationAdmission
import RelationCalls
import RelationModel
import Storage
import Synchronization
import Testing
import Webhooks

@testable import RelationCore
@testable import RelationHooks

/// A store with one app, servers that deliver its hooks, and a receiver, all on the test's clock.
final class HookBench: Sendable {
    struct State {
        var timeMs: Int64 = 1_700_000_000_000
        /// How far the wall clock was set forward since then.
        var wallShiftMs: Int64 = 0
        /// The names of the requests that came in, in their order.
        var received: [String] = []
        var signatures: [String] = []
        /// The requests that came in, in their order.
        var requests: [HookRequest] = []
        /// The answer of the receiver to the request with that name.
        var answer: @Sendable (String) -> HookResult = { _ in HookResult(.delivered, status: 200) }
        /// Answers on their way to a server.
        var mail: [(server: Int, body: @Sendable (HookLoop) -> Void)] = []
        /// The answers that still reach a server; those after them are lost.
        var answersLeft = Int.max
        /// The names of the requests whose answers reached a server.
        var answered: [String] = []
        /// The positions of the events that came in, in their order.
        var places: [Int64] = []
        /// The servers that the store tells of.
        var servers = 1
        /// How long the receiver takes for the request with that name.
        var slowness: @Sendable (String) -> Int64 = { _ in 0 }
        /// Answers that the receiver gives later.
        var late: [(dueMs: Int64, body: @Sendable () -> Void)] = []
        /// Requests that wait for their answers, and the most that did at one time.
        var underWay = 0
        var mostUnderWay = 0
    }

    static let app: UInt32 = 1

    let store = MemoryStore()
    let apps: Apps
    let state = Mutex(State())

    /// - Parameter count: The number of apps, which begin at ``app``.
    init(apps count: UInt32 = 1) throws {
        let start = Timestamp(milliseconds: 1_700_000_000_000)
        let first = try Apps(of: store, at: start)
        guard count > 1 else {
            apps = first
            return
        }
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: .registry, now: start, origin: Origin(user: nil), transaction: transaction)
            for number in 2...count {
                var making = AppRules.Making()
                making.id = number
                _ = try AppRules.create(making, in: ledger)
            }
            try ledger.close()
        }
        apps = try Apps(of: store, at: start)
    }

    var nowMs: Int64 { state.withLock { $0.timeMs } }
    /// The time that the wall clock shows.
    var wallMs: Int64 { state.withLock { $0.timeMs + $0.wallShiftMs } }
    var received: [String] { state.withLock { $0.received } }

    /// The positions in the names of the requests, without markers.
    var positions: [Int64] {
        received.compactMap { name in name.split(separator: "-").last.flatMap { Int64($0) } }
    }

    /// The positions of all events that came in, those in batches too.
    var places: [Int64] { state.withLock { $0.places } }

    /// The bodies of the requests whose names end so.
    func requests(named end: String) -> [String] {
        zip(received, state.withLock { $0.requests }).filter { $0.0.hasSuffix(end) }
            .map { String(decoding: $0.1.body, as: UTF8.self) }
    }

    func forget() {
        state.withLock { ($0.received, $0.requests, $0.places) = ([], [], []) }
    }

    func answers(_ answer: @escaping @Sendable (String) -> HookResult) {
        state.withLock { $0.answer = answer }
    }

    func answers(_ status: Int) {
        answers { _ in HookResult(WebhookAnswer(status: status)) }
    }

    /// Sets the wall clock forward, or back.
    func setClock(by milliseconds: Int64) { state.withLock { $0.wallShiftMs += milliseconds } }

    func later(_ milliseconds: Int64) { state.withLock { $0.timeMs += milliseconds } }

    // MARK: Writes

    @discardableResult
    func write<Result>(
        of id: UInt32 = app, _ body: (Ledger) throws(StorageError) -> Result
    ) throws -> Result {
        let app = try #require(apps[id])
        var change: AppChange?
        let result = try store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: app, now: Timestamp(milliseconds: wallMs), origin: Origin(user: nil),
                transaction: transaction)
            let result = try body(ledger)
            try ledger.close()
            change = ledger.appChange
            return result
        }
        if let change {
            apps.stage(change)
            apps.publish()
        }
        return result
    }

    /// Reports one change to each of the users, in their order.
    func change(_ users: String...) throws {
        for user in users {
            try write { (ledger) throws(StorageError) in
                try ledger.notify(
                    UserID(stored: user.utf8), .friendChange, ChangeItemRecord())
            }
        }
    }

    /// Marks the events up to a position as gone.
    func trim(to position: Int64) throws {
        let app = try #require(apps[Self.app])
        try store.write(touching: []) { (transaction) throws(StorageError) in
            var state = try Feed.state(of: app, in: transaction)
            state.trimmedTo = position
            try Tables.feedStates.set(state, at: app.feed, OnlyKey(), in: transaction)
        }
    }

    @discardableResult
    func hook(
        _ id: String = "aaaaaaaaaaaaaaaa", of app: UInt32 = app,
        _ edit: (inout HookRecord) -> Void = { _ in }
    ) throws -> HookID {
        var hook = HookRecord()
        hook.id = id
        hook.url = "https://example.com/hook"
        var secret = SecretRecord()
        secret.text = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
        hook.secrets = [secret]
        edit(&hook)
        let made = try write(of: app) { (ledger) throws(StorageError) in
            try Hooks.create(hook, in: ledger)
        }
        guard case .done = made else {
            Issue.record("the hook was not made")
            return HookID(id)
        }
        return HookID(id)
    }

    func progress(_ id: HookID) throws -> HookProgressRecord? {
        let app = try #require(apps[Self.app])
        return try store.read(reaching: .disk) { (transaction) throws(StorageError) in
            try Hooks.progress(of: id, app, in: transaction)
        }
    }

    // MARK: Servers

    /// A server that delivers, under a number.
    func server(
        _ number: Int = 0, sharesStore: Bool = false, heldBytes: Int = HookLimits.heldBytes
    ) -> HookLoop {
        HookLoop(
            store: store, apps: apps,
            clock: ServiceClock { [self] in Timestamp(milliseconds: wallMs) },
            steady: { [self] in nowMs },
            holder: "server \(number)", seed: 1, sharesStore: sharesStore,
            servers: { [self] in state.withLock { $0.servers } }, heldBytes: heldBytes,
            send: { [self] request, done in receive(request, done) },
            post: { [self] body in state.withLock { $0.mail.append((number, body)) } })
    }

    /// Notes a request, and answers it as the test says: now, later, or never.
    private func receive(
        _ request: HookRequest, _ done: @escaping @Sendable (HookResult) -> Void
    ) {
        let name = request.headers.first { $0.name == "webhook-id" }?.value ?? ""
        let signed = request.headers.first { $0.name == "webhook-signature" }?.value
        let body = String(decoding: request.body, as: UTF8.self)
        let result = state.withLock { state -> HookResult? in
            state.received.append(name)
            state.signatures.append(signed ?? "")
            state.requests.append(request)
            // Each event names its position.
            state.places += body.split(separator: #""position":""#).dropFirst().compactMap {
                Int64($0.prefix { $0 != "\"" })
            }
            guard state.answersLeft > 0 else { return nil }
            state.answersLeft -= 1
            let result = state.answer(name)
            let pause = state.slowness(name)
            guard pause > 0 else {
                state.answered.append(name)
                return result
            }
            state.underWay += 1
            state.mostUnderWay = max(state.mostUnderWay, state.underWay)
            state.late.append(
                (
                    state.timeMs + pause,
                    { [self] in
                        self.state.withLock {
                            $0.underWay -= 1
                            $0.answered.append(name)
                        }
                        done(result)
                    }
                ))
            return nil
        }
        if let result { done(result) }
    }

    /// Gives the answers that are due by now.
    private func answerLate() {
        let due = state.withLock { state in
            let now = state.timeMs
            let due = state.late.filter { $0.dueMs <= now }
            state.late.removeAll { $0.dueMs <= now }
            return due
        }
        for one in due { one.body() }
    }

    /// Runs passes of a server until it has nothing to do at this time.
    func run(_ loop: HookLoop, _ number: Int = 0) throws {
        var idle = 0
        while idle < 2 {
            try loop.pass()
            idle = deliverMail(loop, number) == 0 ? idle + 1 : 0
        }
    }

    /// Brings the answers to the server, those that come by them too.
    ///
    /// - Returns: Their number.
    @discardableResult
    func deliverMail(_ loop: HookLoop, _ number: Int = 0) -> Int {
        var count = 0
        answerLate()
        while true {
            let mail = state.withLock { state in
                let own = state.mail.filter { $0.server == number }
                state.mail.removeAll { $0.server == number }
                return own
            }
            guard !mail.isEmpty else { return count }
            for letter in mail { letter.body(loop) }
            count += mail.count
        }
    }

    /// Brings one answer to the server, if there is one.
    func deliverOne(_ loop: HookLoop, _ number: Int = 0) {
        answerLate()
        let letter = state.withLock { state -> (@Sendable (HookLoop) -> Void)? in
            guard let index = state.mail.firstIndex(where: { $0.server == number }) else {
                return nil
            }
            return state.mail.remove(at: index).body
        }
        letter?(loop)
    }

    /// Loses what is on its way to a server that is killed.
    func lose(_ number: Int) {
        state.withLock { state in state.mail.removeAll { $0.server == number } }
    }

    /// Passes of a server over a time, one after each step.
    func run(
        _ loop: HookLoop, _ number: Int = 0, for milliseconds: Int64, every step: Int64
    ) throws {
        let end = nowMs + milliseconds
        while nowMs < end {
            try run(loop, number)
            later(step)
        }
        try run(loop, number)
    }
}
