import Storage
import StoragePostgres

/// A client's end of a session with a modelled server.
///
/// After an error that sets ``isBroken``, only ``close()`` may be called.
///
/// `@unchecked Sendable`: it passes from thread to thread only through the lock of its owner, and
/// one thread at a time has it.
final class ModelConnection: @unchecked Sendable {
    private let client: ModelClient
    private let session: ModelSession
    /// The number of the server at the other end.
    var number: UInt64 = 0
    /// The time by which an answer has to be there.
    var latest = UInt64.max
    /// Whether it lets the database look for locks of dead processes while an answer takes long.
    var looksForLapsed = false
    private(set) var isBroken = false
    /// Whether the database has refused the last statements, and so the transaction.
    private(set) var hasRefused = false
    private var isClosed = false
    private var patience: UInt64

    /// - Parameter patience: How long an answer is waited for, in milliseconds; nil for as long as
    ///   the options say.
    init(_ client: ModelClient, to node: Int, isRepeatable: Bool, patience: Int? = nil) {
        self.client = client
        self.patience = UInt64(patience ?? client.options.patienceMilliseconds) * 1_000_000
        let process = client.process
        session = client.model.use { $0.open(node, for: process, isRepeatable: isRepeatable) }
    }

    /// Whether it works, as far as is known here.
    var isAlive: Bool {
        guard !isBroken, number == client.primary.number else { return false }
        let session = session
        if client.model.use({ _ in session.isTold }) { isBroken = true }
        return !isBroken
    }

    func close() {
        guard !isClosed else { return }
        (isClosed, isBroken) = (true, true)
        let session = session
        // A process that has died sends no word: the system does.
        client.model.use { $0.disconnect(session) }
    }

    /// Asks with whom it speaks.
    func greet(
        _ seen: ModelSeen, withinMilliseconds milliseconds: Int
    ) throws(StorageError) -> Greeting {
        let usual = patience
        patience = UInt64(milliseconds) * 1_000_000
        defer { patience = usual }
        let answers = try exchange([.greet(seen)], ends: true)
        guard case .greeting(let identity, let isStandby, let isWhole)? = answers.first else {
            preconditionFailure("a server did not say who it is")
        }
        return Greeting(identity: identity, isStandby: isStandby, isWhole: isWhole)
    }

    /// Sends statements, and waits for their answers.
    ///
    /// - Parameter ends: Whether the transaction ends with them, and is committed.
    func ask(
        _ questions: [ModelQuestion], ends: Bool = false
    ) throws(StorageError) -> [ModelAnswer] {
        let answers = try exchange(questions, ends: ends)
        guard number == client.primary.number else {
            isBroken = true
            throw StorageError(.unavailable, "another server has become the primary")
        }
        return answers
    }

    private func exchange(
        _ questions: [ModelQuestion], ends: Bool
    ) throws(StorageError) -> [ModelAnswer] {
        guard !isBroken, !client.time.hasEnded else {
            throw StorageError(.unavailable, "the connection has broken")
        }
        hasRefused = false
        let start = client.time.now
        let limit = min(patience, latest > start ? latest - start : 0)
        // The database goes on for longer if the client has less time left.
        let request = send(questions, ends: ends, patience: patience)
        let session = session
        let end = start + limit + ModelClient.lateMilliseconds * 1_000_000
        var next = start
        var isDone = false
        repeat {
            next = min(end, next + ModelClient.slowMilliseconds * 1_000_000)
            isDone = client.wait(until: next) { request.isAnswered || session.isTold }
            if !isDone, looksForLapsed { check() }
        } while !isDone && next < end && !client.time.hasEnded
        let (isAnswered, error) = client.model.use { _ in (request.isAnswered, request.error) }
        guard isAnswered else {
            isBroken = true
            throw StorageError(.unavailable, "the connection ended, or no answer came in time")
        }
        if let error {
            hasRefused = true
            throw error
        }
        return request.answers
    }

    /// Ends the sessions of processes without a lease that hold locks, on a session of its own.
    func check() {
        guard !client.time.hasEnded else { return }
        let (process, node) = (client.process, session.node.index)
        let patience = UInt64(LeaseLimits.reliedMilliseconds) * 1_000_000
        let time = UInt64(StoragePostgres.Limits.leaseEndMilliseconds) * 1_000_000
        client.model.use { model in
            let session = model.open(node, for: process, isRepeatable: false)
            model.send(
                ModelRequest([.fence(within: time)], ends: true, patience: patience), on: session)
            model.disconnect(session)
        }
    }

    /// Sends statements whose answers are not waited for.
    func send(_ questions: [ModelQuestion]) {
        guard !isBroken, !client.time.hasEnded else { return }
        _ = send(questions, ends: true, patience: patience)
    }

    /// Ends the transaction, of which nothing is kept.
    ///
    /// A connection that has broken is closed: the database may still wait for a lock on it.
    func end() {
        if isBroken { close() } else { send([]) }
    }

    private func send(
        _ questions: [ModelQuestion], ends: Bool, patience: UInt64
    ) -> ModelRequest {
        let request = ModelRequest(questions, ends: ends, patience: patience)
        let session = session
        client.model.use { $0.send(request, on: session) }
        return request
    }

    /// Takes the notices that have come.
    ///
    /// - Throws: ``StorageError`` with the code `unavailable` if the connection has ended.
    func notices(milliseconds: Int) throws(StorageError) -> Set<PeerSignal> {
        guard isAlive else { throw StorageError(.unavailable, "the connection has broken") }
        let session = session
        let end = client.time.now + UInt64(milliseconds) * 1_000_000
        _ = client.wait(until: end) { !session.notices.isEmpty || session.isTold }
        let (news, isTold) = client.model.use { _ in
            defer { session.notices = [] }
            return (Set(session.notices), session.isTold)
        }
        if news.isEmpty, isTold {
            isBroken = true
            throw StorageError(.unavailable, "the connection has ended")
        }
        return news
    }
}
