import GRPCWire
import HTTP2
package import Logging
package import Memory
package import NIOCore
import Protobuf
import RPC

/// One event loop of a server, with everything that its connections share.
///
/// `Sendable` is unchecked: the event loop and the index never change, ``execute(_:)`` may be
/// called from anywhere, and everything else is touched on the event loop only. ``ServerCall`` says
/// why properties are `@exclusivity(unchecked)`.
package final class ServerLoop: @unchecked Sendable {
    package let index: Int
    let eventLoop: any EventLoop
    let methods: MethodTable
    let meter: LoopMeter
    /// How often clients violated the protocol, on all loops.
    let violations: ViolationCounts

    /// Its bounds change when the server's do; all else stays.
    @exclusivity(unchecked) private(set) var configuration: ServerConfiguration

    /// Copies of ``ServerConfiguration/maxReceivedMessageBytes`` and
    /// ``ServerConfiguration/maxSentMessageBytes``, which every message reads.
    let maxReceivedMessageBytes: Int
    let maxSentMessageBytes: Int

    /// The bound on the memory that the loop's connections hold together.
    @exclusivity(unchecked) private var memory: MemoryShare

    /// The bytes that a connection may hold and still have its requests run: a copy of
    /// ``MemoryShare/level``, which every request reads.
    @exclusivity(unchecked) private(set) var heldLevel = Int.max

    /// The length of the message that a handler works on at present.
    @exclusivity(unchecked) var messageBytes = 0

    let logger: Logger

    /// The observer that is notified of each call that has ended; without one, calls pay for a
    /// look.
    @exclusivity(unchecked) private(set) var observer: (any CallObserver)?

    /// The log of protocol violations of clients.
    let violationLog: BoundedLog

    /// The log of calls that failed by an internal error.
    let errorLog: BoundedLog

    /// The open calls of all loops that need no credential.
    let unauthenticated: UnauthenticatedCalls

    /// Memory for decoded messages, emptied after each run of a handler.
    package let arena = Arena()

    /// The buffer in which an answer is encoded before it goes to its stream.
    let output = OutputBuffer(capacity: 16 * 1_024)

    /// The buffers in which requests and answers are translated from and to JSON.
    ///
    /// They are two, since a handler may answer while it still reads its request.
    lazy var understood = OutputBuffer(capacity: 1_024)
    lazy var translated = OutputBuffer(capacity: 1_024)

    /// Compresses and expands the messages of calls that use compression.
    let packer = MessagePacker()

    /// How many bytes ``packer`` may still produce in this second by expanding.
    @exclusivity(unchecked) var expansion: ExpansionBudget

    /// The bytes that were expanded or translated since sockets were looked at.
    @exclusivity(unchecked) var bulk = BulkWork()

    let streams = StreamPool()

    /// See ``ServerCall/methodSlot``.
    @exclusivity(unchecked) var methodSlots: [Slot]

    /// Fields of a header block or of trailers that are being put together.
    @exclusivity(unchecked) var block = HeaderBlock()

    /// The time of day for answers that have it.
    @exclusivity(unchecked) var date: HTTPDate

    /// When the present wake-up began.
    @exclusivity(unchecked) private(set) var now: NIODeadline

    /// The time of ``now`` in nanoseconds, which only rise.
    var nanoseconds: Int64 { Int64(clamping: now.uptimeNanoseconds) }

    @exclusivity(unchecked) private(set) var calls: [ServerCall] = []
    @exclusivity(unchecked) private var freeSlots: [Int] = []
    private var connections: [Int: ServerConnection] = [:]
    private var connectionNumber = 0
    @exclusivity(unchecked) private var dirty: [ServerConnection] = []
    /// Connections whose time slice ended before all their work was done, in the order in which the
    /// time slices ended.
    private var unfinished: ArraySlice<ServerConnection> = []
    private var isSliceScheduled = false
    private var deadlines = DeadlineQueue<(slot: Int, generation: UInt32)>()
    private var timer: Scheduled<Void>?
    private var sweeper: Scheduled<Void>?
    private var warning: Scheduled<Void>?
    private(set) var isStopping = false

    /// The buffer into which connections read.
    let received = ReceiveRoom()

    /// The buffer in which bytes for a socket are gathered, for one connection after another.
    ///
    /// If a socket is full, its write keeps the memory, and the next write takes new memory.
    @exclusivity(unchecked) var gathered = ByteBuffer()

    init(
        index: Int, eventLoop: any EventLoop, methods: MethodTable,
        configuration: ServerConfiguration, logger: Logger, violationLog: BoundedLog? = nil,
        errorLog: BoundedLog? = nil, memory budget: MemoryBudget? = nil,
        violations: ViolationCounts = ViolationCounts(),
        unauthenticated: UnauthenticatedCalls = UnauthenticatedCalls()
    ) {
        self.index = index
        self.eventLoop = eventLoop
        self.methods = methods
        self.violations = violations
        self.unauthenticated = unauthenticated
        meter = LoopMeter(methods: methods.count, groups: configuration.callGroups)
        methodSlots = Array(repeating: Slot(), count: methods.count)
        self.configuration = configuration
        observer = configuration.observer
        date = HTTPDate(clock: configuration.clock)
        maxReceivedMessageBytes = configuration.maxReceivedMessageBytes
        maxSentMessageBytes = configuration.maxSentMessageBytes
        memory = MemoryShare(
            budget ?? MemoryBudget(limit: configuration.maxHeldBytes), loops: configuration.loops)
        self.logger = logger
        self.violationLog = violationLog ?? BoundedLog(logger)
        self.errorLog = errorLog ?? BoundedLog(logger)
        now = eventLoop.now
        expansion = ExpansionBudget(now: now)
    }

    /// A loop of no server: its caller drives `eventLoop`, and makes the channels.
    package convenience init(
        _ dispatchers: [any Dispatcher], on eventLoop: any EventLoop,
        configuration: ServerConfiguration = ServerConfiguration(), logger: Logger
    ) {
        self.init(
            index: 0, eventLoop: eventLoop, methods: MethodTable(dispatchers),
            configuration: configuration, logger: logger)
    }

    deinit {
        block.free()
        arena.free()
    }

    /// Serves the connection of `channel`, which belongs to ``eventLoop`` and has no handler yet.
    ///
    /// - Parameter peer: The peer's address in notes and logs; nil for that of the channel.
    package func serve(
        _ channel: any NIOCore.Channel, for peer: String? = nil, tls: ServerTLS? = nil,
        onClose: @escaping @Sendable () -> Void = {}
    ) throws {
        let connection = try ServerConnection(loop: self, for: peer, onClose: onClose)
        let pipeline = channel.pipeline.syncOperations
        try tls?.secure(connection, in: pipeline)
        try pipeline.addHandler(connection)
    }

    /// The next moment at which reading goes on for connections with a refused call.
    var nextRefusedRead: NIODeadline {
        let period = UInt64(CallLimits.refusedReadMilliseconds) * 1_000_000
        return .uptimeNanoseconds((eventLoop.now.uptimeNanoseconds / period + 1) * period)
    }

    /// Runs `body` on the loop, soon, and then sends the answers that it has caused.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        eventLoop.execute {
            self.wake()
            body()
            self.flush()
        }
    }

    /// Begins a wake-up.
    ///
    /// Every entry from outside calls this first and ``flush()`` last.
    func wake() {
        eventLoop.preconditionInEventLoop()
        now = eventLoop.now
    }

    /// Sends the bytes that wait in connections, and bounds the memory that they still hold.
    func flush() {
        write()
        if meter.endedCount > 0 { settleMeter() }
        let isExceeded = memory.isExceeded(holding: streams.heldBytes)
        heldLevel = memory.level
        guard isExceeded else { return }
        reclaimMemory()
        write()
        memory.settled(holding: streams.heldBytes)
    }

    /// Counts how long the calls took that have ended: their answers are written, or about to be.
    func settleMeter() {
        meter.settle(at: Int64(clamping: eventLoop.now.uptimeNanoseconds))
    }

    /// Makes the connections that hold the most give up memory.
    private func reclaimMemory() {
        let connections = Array(self.connections.values)
        let level = memory.settle(connections.map(\.session.heldBytes), of: streams.heldBytes)
        heldLevel = level
        for connection in connections where connection.session.heldBytes > level {
            connection.shrink(to: level)
        }
    }

    /// Writes once for each connection that has something to send.
    private func write() {
        while let connection = dirty.popLast() {
            connection.isDirty = false
            connection.flush()
        }
    }

    func markDirty(_ connection: ServerConnection) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        dirty.append(connection)
    }

    // MARK: - Time slices

    /// Gives `connection` another time slice, once all sockets have been looked at.
    ///
    /// Only one connection gets such a time slice at a time. So a connection with little work waits
    /// for one time slice at most, however many others have much work.
    func continueLater(_ connection: ServerConnection) {
        unfinished.append(connection)
        scheduleSlice()
    }

    /// Whether a connection waits for another time slice.
    var hasUnfinished: Bool { !unfinished.isEmpty }

    /// Schedules the next time slice of a connection in ``unfinished``.
    ///
    /// The loop runs tasks that are due before it looks at sockets, so this task is due a little
    /// later.
    private func scheduleSlice() {
        guard !isSliceScheduled, !unfinished.isEmpty else { return }
        isSliceScheduled = true
        eventLoop.scheduleTask(in: .microseconds(CallLimits.sliceGapMicroseconds)) {
            self.isSliceScheduled = false
            self.wake()
            let connection = self.unfinished.popFirst()
            connection?.nextSlice()
            self.flush()
            self.scheduleSlice()
        }
    }

    // MARK: - Calls

    /// Takes a call from the pool and opens it for `stream`.
    func openCall(
        _ connection: ServerConnection, _ stream: StreamPointer, _ method: MethodEntry
    ) -> ServerCall {
        let call: ServerCall
        if let slot = freeSlots.popLast() {
            call = calls[slot]
        } else {
            call = ServerCall(loop: self, slot: calls.count)
            calls.append(call)
        }
        call.open(connection, stream, method)
        return call
    }

    func recycle(_ call: ServerCall) {
        freeSlots.append(call.slot)
    }

    /// The calls of one connection; this searches all calls of the loop.
    func calls(on connection: ServerConnection) -> [ServerCall] {
        calls.filter { $0.isOpen && $0.isCall(of: connection) }
    }

    func call(in slot: Int) -> ServerCall {
        calls[slot]
    }

    /// The call in a slot, if it has that generation and is open.
    func call(in slot: Int, _ generation: UInt32) -> ServerCall? {
        let call = calls[slot]
        return call.generation == generation && call.isOpen ? call : nil
    }

    /// Notifies `observer` of the calls that begin from now on; nil ends that.
    func observe(_ observer: (any CallObserver)?) {
        self.observer = observer
    }

    /// Takes other bounds, for what comes from now on.
    func apply(_ bounds: ServerBounds) {
        configuration.bounds = bounds
    }

    // MARK: - Deadlines

    /// Ends `call` when its deadline comes.
    func watch(_ call: ServerCall, _ deadline: Deadline) {
        let earliest = deadlines.earliest
        deadlines.add(.init(time: deadline.time, call: (call.slot, call.generation))) {
            self.call(in: $0.call.slot, $0.call.generation) != nil
        }
        if earliest.map({ deadline.time < $0 }) ?? true { setTimer() }
    }

    private func setTimer() {
        timer?.cancel()
        timer = nil
        guard let earliest = deadlines.earliest else { return }
        timer = eventLoop.scheduleTask(deadline: earliest) {
            self.timer = nil
            self.wake()
            self.expireCalls()
            self.flush()
        }
    }

    private func expireCalls() {
        while let entry = deadlines.popExpired(at: now) {
            call(in: entry.call.slot, entry.call.generation)?.expire()
        }
        setTimer()
    }

    // MARK: - Connections

    var connectionCount: Int { connections.count }

    var allConnections: some Collection<ServerConnection> { connections.values }

    /// Makes a number for a connection that no other connection of the loop ever had.
    func nextConnectionNumber() -> Int {
        connectionNumber += 1
        return connectionNumber
    }

    /// The connection of that number, if it is still there.
    func connection(_ number: Int) -> ServerConnection? { connections[number] }

    func add(_ connection: ServerConnection) {
        connections[connection.number] = connection
        meter.count(.connectionsOpened)
        if sweeper == nil { setSweeper() }
        if isStopping { connection.shutDown() }
    }

    func remove(_ connection: ServerConnection) {
        connections[connection.number] = nil
        meter.count(.connectionsClosed)
    }

    private func setSweeper() {
        sweeper?.cancel()
        let time = TimeAmount.seconds(CallLimits.sweepSeconds)
        let due = eventLoop.now + time
        sweeper = eventLoop.scheduleTask(in: time) {
            self.sweeper = nil
            self.sweep(dueAt: due)
        }
    }

    /// Looks for what only time can show.
    ///
    /// - Parameter due: When it was to be done. If it comes later by ``CallLimits/stopSeconds``,
    ///   the process or its machine was stopped, and the clients get that time back. The stop may
    ///   have begun right after the sweep before, so they get the time between two sweeps too.
    func sweep(dueAt due: NIODeadline) {
        wake()
        let lost = now - due
        if lost >= .seconds(CallLimits.stopSeconds) {
            let longest = lost + .seconds(CallLimits.sweepSeconds)
            for connection in connections.values { connection.forgive(longest) }
        }
        for connection in connections.values { connection.sweep() }
        for call in calls { call.sweep() }
        // Both are asked: each may have lines of its own to report.
        let owesViolations = violationLog.summarize(at: now)
        let owesErrors = errorLog.summarize(at: now)
        if !connections.isEmpty || owesViolations || owesErrors { setSweeper() }
        flush()
    }

    /// Lets running calls finish and takes no new ones; the future succeeds when all connections
    /// are gone.
    ///
    /// Clients are notified first, then the calls that have no end of their own. So a client that
    /// makes such a call again makes it on another connection.
    func shutDown() -> EventLoopFuture<Void> {
        wake()
        isStopping = true
        let closing = connections.values.compactMap(\.closeFuture)
        for connection in Array(connections.values) { connection.shutDown() }
        for call in calls { call.run { $0.stopping(call) } }
        flush()
        let time = TimeAmount.seconds(CallLimits.warningSeconds)
        warning = eventLoop.scheduleTask(in: time) {
            self.wake()
            for connection in Array(self.connections.values) { connection.endWarning() }
            self.flush()
        }
        return EventLoopFuture.andAllComplete(closing, on: eventLoop)
    }

    /// Ends all connections with their calls.
    ///
    /// - Returns: How many calls were cut off.
    @discardableResult
    package func closeAll() -> Int {
        wake()
        let count = calls.count(where: \.isOpen)
        for connection in Array(connections.values) { connection.terminate(.serverStops) }
        flush()
        return count
    }

    /// Stops the timers, so that nothing keeps the loop alive.
    package func cancelTimers() {
        timer?.cancel()
        sweeper?.cancel()
        warning?.cancel()
    }

    func checkInvariants() {
        precondition(freeSlots.count + calls.count(where: \.isInUse) == calls.count)
        precondition(freeSlots.allSatisfy { !calls[$0].isInUse })
    }
}
