import HTTP2
import Logging
import Memory
import NIOCore
import NIOEmbedded
import PeerSupport
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Synchronization
import Testing

@testable import GRPC
@testable import GRPCWire
@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationChanges
@testable import RelationRuntime
@testable import RelationService

/// Streams of changes on a loop, with a hub and readers that the test moves by hand, over
/// connections in memory.
final class WatchHarness {
    let world: World
    let hub: ChangeHub
    let eventLoop = EmbeddedEventLoop()
    let loop: ServerLoop
    let apps: Apps
    let board = PresenceBoard()
    /// The work that waits for the hub and the readers.
    let work = Work()
    private var clients: [WatchClient] = []

    /// Pieces of work that wait for the test.
    final class Work: Sendable {
        private struct State {
            var hub: [@Sendable () -> Void] = []
            var reads: [(number: Int, app: UInt32, read: Readers.Reading)] = []
            var readNumber = 0
            var nowMs = World.start
        }

        private let state = Mutex(State())

        func add(hub work: @escaping @Sendable () -> Void) {
            state.withLock { $0.hub.append(work) }
        }

        /// - Returns: The way to take the read back.
        func add(
            of app: UInt32, read: @escaping Readers.Reading
        ) -> WatchReaders.Withdrawal {
            let number = state.withLock { state in
                state.readNumber += 1
                state.reads.append((state.readNumber, app, read))
                return state.readNumber
            }
            return {
                self.state.withLock { state in
                    let index = state.reads.firstIndex { $0.number == number }
                    if let index { state.reads.remove(at: index) }
                    return index != nil
                }
            }
        }

        var nowMs: Int64 {
            get { state.withLock { $0.nowMs } }
            set { state.withLock { $0.nowMs = newValue } }
        }

        var waitingReads: Int { state.withLock { $0.reads.count } }

        func waitingReads(of app: UInt32) -> Int {
            state.withLock { $0.reads.count { $0.app == app } }
        }

        /// - Returns: Whether there was something to do.
        func runHub() -> Bool {
            let next = state.withLock { $0.hub.isEmpty ? nil : $0.hub.removeFirst() }
            next?()
            return next != nil
        }

        func runRead() -> Bool {
            let next = state.withLock { $0.reads.isEmpty ? nil : $0.reads.removeFirst() }
            guard let next else { return false }
            let arena = Arena()
            defer { arena.free() }
            next.read(arena)
            return true
        }
    }

    /// - Parameter batchRows: About the number of rows that a reader's turn takes. By default every
    ///   step of reading is a turn of its own.
    init(
        _ users: String..., on store: any Store = MemoryStore(),
        streams: Int = WatchLimits.streams, events: Int = WatchLimits.waitingEvents,
        promptEvents: Int = 0, batchRows: Int = 1, connectionAge: Int64? = nil,
        otherApps: [UInt32] = [], lease: Lease? = nil,
        maxSentMessageBytes: Int = CallLimits.messageBytes
    ) throws {
        world = try World(on: store)
        try world.create(users.map { UserID(stored: $0.utf8) })
        let apps = Apps(
            [world.app] + otherApps.map { App(id: $0, settings: .tim) }, lease: lease)
        self.apps = apps
        let work = work
        let clock = ServiceClock { Timestamp(milliseconds: work.nowMs) }
        hub = ChangeHub(
            store: world.store, apps: apps, clock: clock,
            readers: WatchReaders { app, _, read in work.add(of: app, read: read) },
            presence: board,
            streams: streams, events: events, promptEvents: promptEvents, batchRows: batchRows,
            run: { work.add(hub: $0) })
        let router = Router(
            store: world.store, committer: Committer(store: world.store, apps: apps),
            readers: ReaderPools(), changes: hub, authenticator: .open(to: apps), clock: clock,
            presence: board)
        RelationServer.registerCalls(in: router)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        var configuration = ServerConfiguration()
        configuration.connectionAgeSeconds = connectionAge
        configuration.maxSentMessageBytes = maxSentMessageBytes
        loop = ServerLoop(
            [router], on: eventLoop, configuration: configuration, logger: logger)
        let hub = hub
        world.didCommit = { Self.notify($0, to: hub) }
    }

    /// Tells the hub of a commit, as the committer does.
    func notify(_ events: [EventRow]) { Self.notify(events, to: hub) }

    private static func notify(_ events: [EventRow], to hub: ChangeHub) {
        if hub.committed(events) { hub.deliver(with: LoopWork()) }
    }

    deinit {
        for client in clients { client.close() }
        eventLoop.run()
        while work.runHub() {}
        eventLoop.run()
        loop.cancelTimers()
    }

    func connect(window: Int = 1 << 20) throws -> WatchClient {
        let client = try WatchClient(self, window: window)
        clients.append(client)
        return client
    }

    /// Moves bytes and the loop, but not the hub and the readers.
    func exchange() throws {
        var moved = true
        while moved {
            eventLoop.run()
            moved = false
            for client in clients { moved = try client.exchange() || moved }
        }
    }

    /// Lets everything run until there is nothing to do.
    func settle() throws {
        repeat { try exchange() } while work.runHub() || work.runRead()
    }

    /// Lets the hub run, and no reader.
    func settleHub() throws {
        repeat { try exchange() } while work.runHub()
    }

    func tick(after milliseconds: Int64) throws {
        work.nowMs += milliseconds
        hub.tick()
        try settle()
    }

    /// Makes an event of `user`'s log, of about `bytes` bytes.
    func change(_ user: String, bytes: Int = 20) throws {
        let id = UserID(stored: user.utf8)
        counter += 1
        var values = ProfileRecord()
        values.selfSignature = Array("\(counter) ".utf8) + [UInt8](repeating: 120, count: bytes)
        _ = try world.call(by: id) { (ledger) throws(StorageError) in
            try Profiles.update(
                id, values, fields: [.selfSignature], expectedVersion: nil, in: ledger)
        }
    }

    func befriend(_ user: String, count: Int) throws {
        let id = UserID(stored: user.utf8)
        let friends = (0..<count).map { UserID(stored: "friend\($0)".utf8) }
        try world.create(friends)
        let remark = String(repeating: "x", count: 90)
        for friend in friends { _ = try world.add(friend, to: id, .single) { $0.remark = remark } }
    }

    /// The calls of the server that have not ended.
    var openCalls: [ServerCall] { loop.calls.filter(\.isInUse) }

    private var counter = 0
}

/// One connection of a client, which takes what it is sent as the test lets it.
final class WatchClient {
    /// The messages that came on one stream.
    struct Received {
        var responses: [Response] = []
        var status: String?
        var reason = ""
        var token = ""
        var rest: [UInt8] = []
    }

    struct Response {
        let token: String
        let event: ChangeEvent?
        let userIDs: [String]
    }

    let session: Session
    /// Whether the client pays windows back, so that the server may continue to send.
    var takes = true
    private unowned let harness: WatchHarness
    private let streams = StreamPool()
    private let connection: ServerConnection
    private let channel: EmbeddedChannel
    private var received: [Int32: Received] = [:]
    private(set) var open: [Int32: StreamPointer] = [:]

    fileprivate init(_ harness: WatchHarness, window: Int) throws {
        self.harness = harness
        connection = try ServerConnection(loop: harness.loop) {}
        channel = EmbeddedChannel(handler: connection, loop: harness.eventLoop)
        var settings = Settings()
        settings.streamWindowBytes = UInt32(window)
        settings.wideWindowBytes = UInt32(window)
        settings.connectionWindowBytes = 1 << 24
        session = try Session(role: .client, settings: settings, pool: streams)
        _ = try exchange()
    }

    fileprivate func close() {
        _ = try? channel.finish()
    }

    func watch(
        _ request: WatchRequest, scopes: String? = nil, app: UInt32 = 7
    ) throws -> Int32 {
        let message = try Arena.temporary { (arena) throws(CodecError) in
            try ChangeMethods.watch.requestCoder.bytes(request, arena)
        }
        var fields = SessionPair.request(ChangeMethods.watch.path) + [("x-app-id", "\(app)")]
        if let scopes { fields.append(("x-scopes", scopes)) }
        var block = HeaderBlock(fields)
        defer { block.free() }
        let stream = try session.open(nil, block)
        let body = [0] + Frame.bigEndian(UInt32(message.count)) + message
        body.withUnsafeBytes { stream.pointee.output.append($0) }
        session.finish(stream)
        open[stream.pointee.id] = stream
        return stream.pointee.id
    }

    func watch(_ user: String, token: String = "", app: UInt32 = 7) throws -> Int32 {
        var request = WatchRequest()
        request.scope = .userID(user)
        request.resumeToken = token
        return try watch(request, app: app)
    }

    func reset(_ id: Int32) {
        if let stream = open[id] { session.reset(stream, .cancel) }
    }

    /// Lets the server send that many more bytes on a stream.
    func allow(_ bytes: UInt32, on id: Int32) throws {
        let frame = Frame(
            .windowUpdate, stream: UInt32(id), payload: Frame.bigEndian(bytes))
        try channel.writeInbound(ByteBuffer(bytes: frame.bytes))
    }

    /// Pays back all windows, so that the server may send the kept bytes.
    func payAll() {
        for stream in open.values { session.consumeWindow(stream) }
    }

    subscript(id: Int32) -> Received { received[id] ?? Received() }

    /// The sequences of the events of logs that came on a stream.
    func sequences(_ id: Int32) -> [Int64] {
        self[id].responses.compactMap(\.event).filter { $0.sequence > 0 && $0.kind != .state }
            .map(\.sequence)
    }

    /// - Returns: Whether bytes went in either direction.
    fileprivate func exchange() throws -> Bool {
        let up = try session.output()
        if !up.isEmpty { try channel.writeInbound(ByteBuffer(bytes: up)) }
        harness.eventLoop.run()
        var down: [UInt8] = []
        while let buffer = try? channel.readOutbound(as: ByteBuffer.self) {
            down += Array(buffer.readableBytesView)
        }
        try session.receive(down)
        for (stream, events) in session.allReady() { try check(stream, events) }
        return !up.isEmpty || !down.isEmpty
    }

    private func check(_ stream: StreamPointer, _ events: StreamEvents) throws {
        let id = stream.pointee.id
        var known = self[id]
        known.rest += Array(stream.pointee.input.bytes)
        session.drop(stream.pointee.input.count, of: stream)
        if takes { session.consumeWindow(stream) }
        try read(&known)
        if events.contains(.end) || events.contains(.closed) {
            let fields = stream.pointee.trailers.pairs + stream.pointee.headers.pairs
            known.status = known.status ?? fields.first { $0[0] == "grpc-status" }?[1]
            if let details = fields.first(where: { $0[0] == "grpc-status-details-bin" })?[1] {
                try readDetails(details, &known)
            }
        }
        received[id] = known
        if events.contains(.closed) {
            session.release(stream)
            open[id] = nil
        }
    }

    private func read(_ known: inout Received) throws {
        while known.rest.count >= 5 {
            let length = Int(Frame.number(known.rest[1..<5]))
            guard known.rest.count >= 5 + length else { return }
            let message = Array(known.rest[5..<(5 + length)])
            known.rest.removeFirst(5 + length)
            let response = try Arena.temporary { (arena) throws(CodecError) in
                let message = try ChangeMethods.watch.responseCoder.message(message, arena)
                return Response(
                    token: message.resumeToken, event: message.event,
                    userIDs: message.userIDs)
            }
            known.responses.append(response)
            if !response.token.isEmpty { known.token = response.token }
        }
    }

    private func readDetails(_ text: String, _ known: inout Received) throws {
        let bytes = try #require(Base64.decode(text, .metadata))
        let info = try Arena.temporary { (arena) throws(CodecError) in
            let status = try Coder(StatusMessage.self).message(bytes, arena)
            return try Coder(ErrorInfo.self).message(status.details[0].value, arena)
        }
        known.reason = info.reason
        if let token = info.metadata["resume_token"] { known.token = token }
    }
}
