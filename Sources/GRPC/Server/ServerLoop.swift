import HTTP2
import Logging
import NIOCore
package import Protobuf

/// One event loop of a server, with all that its connections share.
///
/// `Sendable` is unchecked: the event loop and the index never change, ``execute(_:)`` may be
/// called from anywhere, and everything else is touched on the event loop only.
/// Why properties are `@exclusivity(unchecked)` is said at ``ServerCall``.
package final class ServerLoop: @unchecked Sendable {
    package let index: Int
    let eventLoop: any EventLoop
    let methods: MethodTable
    let configuration: ServerConfiguration

    /// ``ServerConfiguration/maxReceivedMessageBytes`` and
    /// ``ServerConfiguration/maxSentMessageBytes``, for which every message asks.
    let maxReceivedMessageBytes: Int
    let maxSentMessageBytes: Int

    /// What the loop's connections may hold together.
    @exclusivity(unchecked) private(set) var memory: MemoryShare

    /// The length of the message that a handler has just now.
    @exclusivity(unchecked) var messageBytes = 0

    let logger: Logger

    /// What clients do wrong.
    let complaints: BoundedLog

    /// Calls that failed for reasons of ours.
    let faults: BoundedLog

    /// Memory for decoded messages, given back after each run of a handler.
    package let arena = Arena()

    /// Where an answer is encoded before it goes to its stream.
    let output = OutputBuffer(capacity: 16 * 1_024)

    /// What packs and unpacks the messages of calls that compress.
    let packer = MessagePacker()

    /// How much of that it may do.
    @exclusivity(unchecked) var expansion: ExpansionBudget

    let streams = StreamPool()

    /// Fields of a head or of trailers that are being put together.
    @exclusivity(unchecked) var block = HeaderBlock()

    /// When the present wake-up began.
    @exclusivity(unchecked) private(set) var now: NIODeadline

    /// The same in nanoseconds, which only rise.
    var nanoseconds: Int64 { Int64(clamping: now.uptimeNanoseconds) }

    @exclusivity(unchecked) private(set) var calls: [ServerCall] = []
    @exclusivity(unchecked) private var freeSlots: [Int] = []
    private var connections: [Int: ServerConnection] = [:]
    private var connectionNumber = 0
    @exclusivity(unchecked) private var dirty: [ServerConnection] = []
    /// Connections whose turn was over before they had done all, first come first.
    private var unfinished: ArraySlice<ServerConnection> = []
    private var isTurnSet = false
    private var deadlines = DeadlineQueue()
    private var timer: Scheduled<Void>?
    private var sweeper: Scheduled<Void>?
    private var warning: Scheduled<Void>?
    private(set) var isStopping = false

    /// What is written to a socket is gathered here, one connection after another.
    ///
    /// A socket that is full keeps the memory, and the next write takes new memory.
    @exclusivity(unchecked) var gathered = ByteBuffer()

    init(
        index: Int, eventLoop: any EventLoop, methods: MethodTable,
        configuration: ServerConfiguration, logger: Logger, complaints: BoundedLog? = nil,
        faults: BoundedLog? = nil, memory budget: MemoryBudget? = nil
    ) {
        self.index = index
        self.eventLoop = eventLoop
        self.methods = methods
        self.configuration = configuration
        maxReceivedMessageBytes = configuration.maxReceivedMessageBytes
        maxSentMessageBytes = configuration.maxSentMessageBytes
        memory = MemoryShare(
            budget ?? MemoryBudget(limit: configuration.maxHeldBytes), loops: configuration.loops)
        self.logger = logger
        self.complaints = complaints ?? BoundedLog(logger)
        self.faults = faults ?? BoundedLog(logger)
        now = eventLoop.now
        expansion = ExpansionBudget(now: now)
    }

    deinit {
        block.free()
        arena.free()
    }

    /// The next of the moments at which connections are read that wait since a call was refused.
    var nextRefusedRead: NIODeadline {
        let period = UInt64(CallLimits.refusedReadMilliseconds) * 1_000_000
        return .uptimeNanoseconds((eventLoop.now.uptimeNanoseconds / period + 1) * period)
    }

    /// Runs `body` on the loop, soon, and sends what it leads to.
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

    /// Sends what the connections have to send, and looks at what they still hold.
    func flush() {
        write()
        guard memory.isExceeded(holding: streams.heldBytes) else { return }
        relieve()
        write()
        memory.settled(holding: streams.heldBytes)
    }

    /// Brings down the connections that hold the most.
    private func relieve() {
        let connections = Array(self.connections.values)
        let level = memory.settle(connections.map(\.session.heldBytes), of: streams.heldBytes)
        for connection in connections where connection.session.heldBytes > level {
            connection.comeDown(to: level)
        }
    }

    /// Each connection writes once.
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

    // MARK: - Turns

    /// Gives `connection` another turn, once all sockets have been looked at.
    ///
    /// One connection at a time: however many have much to do, whoever brings little finds the loop
    /// free after one turn.
    func continueLater(_ connection: ServerConnection) {
        unfinished.append(connection)
        setTurn()
    }

    /// Whether a connection waits for another turn.
    var hasUnfinished: Bool { !unfinished.isEmpty }

    /// A task that is due runs before sockets are looked at, so this one is due a little later.
    private func setTurn() {
        guard !isTurnSet, !unfinished.isEmpty else { return }
        isTurnSet = true
        eventLoop.scheduleTask(in: .microseconds(CallLimits.turnGapMicroseconds)) {
            self.isTurnSet = false
            self.wake()
            let connection = self.unfinished.popFirst()
            connection?.nextTurn()
            self.flush()
            self.setTurn()
        }
    }

    // MARK: - Calls

    /// A call from the pool, open for `stream`.
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

    /// The calls of one connection; looked for among all.
    func calls(on connection: ServerConnection) -> [ServerCall] {
        calls.filter { $0.isOpen && $0.isCall(of: connection) }
    }

    func call(in slot: Int) -> ServerCall {
        calls[slot]
    }

    /// The very call of that generation, if it is open.
    func call(in slot: Int, _ generation: UInt32) -> ServerCall? {
        let call = calls[slot]
        return call.generation == generation && call.isOpen ? call : nil
    }

    // MARK: - Deadlines

    /// Ends `call` when its deadline comes.
    func watch(_ call: ServerCall, _ deadline: Deadline) {
        let earliest = deadlines.earliest
        let entry = DeadlineQueue.Entry(
            time: deadline.time, slot: call.slot, generation: call.generation)
        deadlines.add(entry) { self.call(in: $0.slot, $0.generation) != nil }
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
            call(in: entry.slot, entry.generation)?.expire()
        }
        setTimer()
    }

    // MARK: - Connections

    var connectionCount: Int { connections.count }

    /// A number for a connection, which no other of the loop ever had.
    func nextConnectionNumber() -> Int {
        connectionNumber += 1
        return connectionNumber
    }

    /// The connection of that number, if it is still there.
    func connection(_ number: Int) -> ServerConnection? { connections[number] }

    func add(_ connection: ServerConnection) {
        connections[connection.number] = connection
        if sweeper == nil { setSweeper() }
        if isStopping { connection.shutDown() }
    }

    func remove(_ connection: ServerConnection) {
        connections[connection.number] = nil
    }

    private func setSweeper() {
        sweeper = eventLoop.scheduleTask(in: .seconds(CallLimits.sweepSeconds)) {
            self.sweeper = nil
            self.wake()
            for connection in self.connections.values { connection.sweep() }
            for call in self.calls { call.sweep() }
            if !self.connections.isEmpty { self.setSweeper() }
            self.flush()
        }
    }

    /// Lets running calls finish and takes no new ones; the future comes when all connections are
    /// gone.
    ///
    /// Clients are told so first, then the calls that have no end of their own: whoever takes up
    /// such a call again does it on another connection.
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

    /// Ends what still runs.
    ///
    /// - Returns: How many calls were cut off.
    @discardableResult
    func closeAll() -> Int {
        wake()
        let count = calls.count(where: \.isOpen)
        for connection in Array(connections.values) { connection.terminate(.serverStops) }
        flush()
        return count
    }

    /// Stops the timers, so that nothing holds the loop.
    func cancelTimers() {
        timer?.cancel()
        sweeper?.cancel()
        warning?.cancel()
    }

    func checkInvariants() {
        precondition(freeSlots.count + calls.count(where: \.isInUse) == calls.count)
        precondition(freeSlots.allSatisfy { !calls[$0].isInUse })
    }
}
