import Glibc

/// A running flood: the state that its connections share, and the loop that drives them.
final class FloodRun {
    /// The requests and their answers in gRPC's frames.
    let bodies: [Flood.Request]
    let requestHeaders: FloodHeaders

    private let plan: Flood
    /// The connections, after the server has greeted on all of them.
    private(set) var connections: [FloodConnection] = []
    private var begin: UInt64 = 0
    @exclusivity(unchecked) private var started = 0
    @exclusivity(unchecked) private var latencies = LatencyHistogram()
    @exclusivity(unchecked) private var report = FloodReport()

    init(_ plan: Flood) {
        self.plan = plan
        bodies = plan.requests.map { request in
            Flood.Request(
                message: [UInt8](enveloping: request.message),
                answer: request.answer.map { [UInt8](enveloping: $0) })
        }
        requestHeaders = FloodHeaders(
            path: plan.path, authority: "127.0.0.1:\(plan.port)", metadata: plan.metadata)
    }

    func run() throws(FloodError) -> FloodReport {
        try open()
        let last = begin + UInt64(plan.seconds * 1e9)
        // A lost connection has no call in flight, so the loop ends without it too.
        var end = last + UInt64(FloodLimits.graceSeconds * 1e9)
        while connections.contains(where: \.isBusy) {
            let now = Self.now()
            if now >= end { break }
            plan.turn?(now)
            if now >= last, started < plan.calls {
                started = plan.calls
                end = now + UInt64(FloodLimits.graceSeconds * 1e9)
            }
            if isPaced { startDueCalls(at: now) }
            var wake = now < last && started < plan.calls ? last : end
            if isPaced, started < plan.calls { wake = min(wake, due) }
            try Self.wait(for: connections + plan.listeners, until: wake, awake: plan.staysAwake)
        }
        return close()
    }

    /// Opens the connections and begins with the calls, which go on as long as ``connections`` are
    /// driven.
    func open() throws(FloodError) {
        let ports = [plan.port] + plan.otherPorts
        for number in 0..<plan.load.connections {
            let port = ports[number % ports.count]
            connections.append(try FloodConnection(to: port, streams: plan.load.streams, run: self))
        }
        begin = Self.now()
        for connection in connections { connection.advance(at: begin) }
    }

    /// Starts no more calls.
    func stop() { started = max(started, plan.calls) }

    /// Gives up the calls in flight, and returns the results.
    func close() -> FloodReport {
        report.seconds = Double(Self.now() - begin) / 1e9
        for connection in connections { connection.giveUp("no answer in time") }
        report.merge(latencies)
        return report
    }

    // MARK: Calls that begin when they are due

    /// Whether calls begin at a pace of their own.
    var isPaced: Bool { plan.callsPerSecond != nil }

    /// When the next call is due.
    private var due: UInt64 {
        guard let rate = plan.callsPerSecond else { return begin }
        return begin + UInt64(Double(report.calls) / rate * 1e9)
    }

    /// Starts the calls that are due, in turns over the connections, and sends them.
    private func startDueCalls(at now: UInt64) {
        var index = report.calls
        var full = 0
        while full < connections.count, nextBody(at: now) != nil {
            full = connections[index % connections.count].startCall(at: now) ? 0 : full + 1
            index += 1
        }
        for connection in connections where connection.hasOutput { connection.advance(at: now) }
    }

    // MARK: What connections ask and hear

    /// Whether there are more calls to be made, now or later.
    var hasMore: Bool { started < plan.calls }

    /// The index in ``bodies`` of the call to make next, or nil if there are none now.
    func nextBody(at now: UInt64) -> Int? {
        hasMore && due <= now ? report.calls % bodies.count : nil
    }

    /// Notes that the call that ``nextBody(at:)`` named was started.
    ///
    /// Returns the moment from which its time counts.
    func start(at now: UInt64) -> UInt64 {
        let begin = isPaced ? due : now
        started += 1
        report.calls += 1
        return begin
    }

    func succeed(
        _ body: Int, _ message: UnsafeRawBufferPointer, after nanoseconds: UInt64, at now: UInt64
    ) {
        latencies.add(nanoseconds: nanoseconds)
        if Double(nanoseconds) > plan.patienceSeconds * 1e9 {
            report.late += 1
        } else if plan.window.contains(Double(now - begin) / 1e9) {
            report.goodInWindow += 1
        }
        plan.answered?(body, now)
        plan.taken?(body, message)
    }

    func isRefusal(_ status: Int) -> Bool { plan.refusals.contains(status) }

    func refuse(_ body: Int, _ status: Int) {
        report.refusals[status, default: 0] += 1
        plan.refused?(body, status)
    }

    func fail(_ reason: @autoclosure () -> String) {
        report.failures += 1
        if report.firstFailure == nil { report.firstFailure = reason() }
    }

    func count(answerBytes: Int) { report.answerBytes += answerBytes }

    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Sleeps until a connection can go on or time is up, and lets the ready connections go on.
    ///
    /// - Parameter awake: Whether the processor is kept busy instead.
    static func wait(
        for connections: [any PolledConnection], until end: UInt64, awake: Bool = false
    ) throws(FloodError) {
        var polls = connections.map { connection in
            pollfd(
                fd: connection.pollDescriptor,
                events: Int16(POLLIN) | (connection.hasOutput ? Int16(POLLOUT) : 0), revents: 0)
        }
        let now = Self.now()
        let milliseconds = end > now ? (end - now) / 1_000_000 + 1 : 0
        let timeout = awake ? 0 : Int32(clamping: milliseconds)
        var ready: Int32
        repeat {
            ready = poll(&polls, nfds_t(polls.count), timeout)
            if ready < 0, errno != EINTR { throw FloodError(system: "poll") }
        } while awake && ready == 0 && Self.now() < now + milliseconds * 1_000_000
        guard ready > 0 else { return }
        for (poll, connection) in zip(polls, connections) where poll.revents != 0 {
            connection.advance(at: Self.now())
        }
    }
}

extension [FloodRun] {
    /// Drives the connections of all until they have no more work.
    func drive(seconds: Double = 60, awake: Bool = false) throws(FloodError) {
        let end = FloodRun.now() + UInt64(seconds * 1e9)
        let connections = flatMap(\.connections)
        while connections.contains(where: \.isBusy), FloodRun.now() < end {
            try FloodRun.wait(for: connections, until: end, awake: awake)
        }
    }

    /// Lets the calls in flight end, and refuses a wrong answer.
    ///
    /// - Returns: The calls of all.
    @discardableResult
    func finish(_ title: String) throws(FloodError) -> Int {
        for run in self { run.stop() }
        try drive(seconds: FloodLimits.graceSeconds)
        var calls = 0
        for run in self { calls += try run.close().checked(title).calls }
        return calls
    }
}

/// A connection that a loop drives as its socket becomes ready.
protocol PolledConnection: AnyObject {
    /// Whether it waits to write.
    var hasOutput: Bool { get }
    /// The descriptor to wait for, or one that `poll` ignores.
    var pollDescriptor: Int32 { get }
    /// Reads and writes as much as is possible now.
    func advance(at now: UInt64)
}
