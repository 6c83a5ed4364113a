package import GRPC
import Meters
import RPC
package import RelationAdmission
package import RelationCalls
package import RelationCore
import RelationModel
package import RelationRuntime
package import Storage
import Synchronization

/// The hub of the streams of changes: it takes every event from the committer and hands it to the
/// streams that follow it.
///
/// All its inputs run in order of arrival, never two at once: streams that open and close, commits,
/// presence, the clock. So it needs no locks, and an event is encoded once for all streams that see
/// the same of it. It has a thread of its own, so that its reads of receivers delay neither a write
/// nor a loop.
///
/// Only a small commit is reported on the thread that committed it: few events for few streams,
/// while nothing else waits for the hub. To wake a thread costs more than that, and the events then
/// go to a loop together with the answer.
///
/// The inputs are bounded. If more events wait than ``WatchLimits/waitingEvents``, the hub forgets
/// them, and every stream reads the missed events from the log.
package final class ChangeHub: CommitListener, Sendable {
    /// A message to the hub, from a loop, the committer or its timer.
    enum Input {
        case open(WatchStream)
        case opened(WatchStream)
        case paused(WatchStream)
        case reopened(WatchStream)
        /// The stream was found to be that of the present reader of its consumer.
        case claimed(WatchStream)
        case close(WatchStream)
        case commit([EventRow])
        /// The presence of a user changed.
        case presence
        case lost
        case tick
    }

    fileprivate struct State {
        var inputs: [Input] = []
        /// The number of events in the commits among `inputs`.
        var events = 0
        /// The streams that have opened and not ended.
        var streams = 0
        /// The streams of each app that has any.
        var streamsOfApp: [UInt32: Int] = [:]
        var isAwake = false
        var isStopped = false
        var counts = WatchCounts()
        /// When the first of the commits among `inputs` was noted.
        var oldestCommit: UInt64?
    }

    private let state = Mutex(State())
    /// Changed by whoever does the hub's work.
    private let lags = MeterHistogram(.latency)
    private let clock: ServiceClock
    private let store: any Store
    private let apps: Apps
    private let readers: WatchReaders
    private let board: PresenceBoard
    private let core: WatchCore
    private let thread: WorkThread
    private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let maxStreams: Int
    private let maxEvents: Int
    private let promptEvents: Int
    /// About the number of rows that one batch of reads takes.
    let batchRows: Int

    /// - Parameters:
    ///   - thread: The thread of the hub.
    ///   - run: Runs work in the order in which it is handed over, and never two pieces at once.
    ///     If it is nil, the thread does.
    package init(
        store: any Store, apps: Apps, clock: ServiceClock, readers: WatchReaders,
        presence board: PresenceBoard,
        streams: Int = WatchLimits.streams, events: Int = WatchLimits.waitingEvents,
        promptEvents: Int = WatchLimits.promptEvents,
        batchRows: Int = WatchLimits.rowsPerBatch, thread: WorkThread = WorkThread("watch"),
        run: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil
    ) {
        self.store = store
        self.apps = apps
        self.clock = clock
        self.readers = readers
        maxStreams = streams
        maxEvents = events
        self.promptEvents = promptEvents
        self.batchRows = batchRows
        self.board = board
        core = WatchCore(store: store, apps: apps, board: board)
        self.thread = thread
        self.run = run ?? { work in thread.run(work) }
        board.follow { [weak self] in self?.submit(.presence) }
    }

    var now: Timestamp { clock.now() }

    /// Notifies `observer` of each app that streams begin to follow, with the position after which
    /// its events are to be sent, and of each that none follows any more.
    ///
    /// Called once, before any stream opens.
    func followApps(_ observer: @escaping @Sendable (UInt32, Int64?) -> Void) {
        core.onApp = observer
    }

    /// Begins to check the clock every second.
    package func start() {
        thread.run(afterMilliseconds: WatchLimits.secondsBetweenTicks * 1_000) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            self.tick()
            self.start()
        }
    }

    // MARK: Streams

    /// Takes a stream.
    ///
    /// - Throws: RESOURCE_EXHAUSTED if too many are open.
    func open(_ stream: WatchStream) throws(RPCError) {
        let wake = try state.withLock { (state) throws(RPCError) in
            let own = state.streamsOfApp[stream.app, default: 0]
            guard own < WatchLimits.streamsForEachFree * (maxStreams - state.streams) else {
                throw .tooManyStreams
            }
            return state.add(.open(stream))
        }
        if wake { drainSoon() }
    }

    /// The stream is live: another may open.
    func opened(_ stream: WatchStream) { submit(.opened(stream)) }

    /// The stream waits for its client.
    func paused(_ stream: WatchStream) { submit(.paused(stream)) }

    /// The stream fell behind, and reads what it has missed.
    func fellBehind(_ stream: WatchStream) {
        state.withLock { $0.counts.behind += 1 }
        reopened(stream)
    }

    /// A stream begins with the present state, because its token is too old.
    func resynced() {
        state.withLock { $0.counts.resyncs += 1 }
    }

    /// A stream ended because its reader does not have its consumer any more.
    func fenced() {
        state.withLock { $0.counts.fenced += 1 }
    }

    /// The stream begins to read again, or continues to read.
    func reopened(_ stream: WatchStream) { submit(.reopened(stream)) }

    /// The stream is that of the present reader of its consumer: no other one goes on.
    func claimed(_ stream: WatchStream) { submit(.claimed(stream)) }

    /// The stream has ended.
    func close(_ stream: WatchStream) { submit(.close(stream)) }

    /// The number of open streams, with those that wait to read.
    package var streamCount: Int { state.withLock { $0.streams } }

    /// The counts so far; any thread may ask.
    package func counts() -> WatchCounts {
        var counts = state.withLock { state in
            var counts = state.counts
            counts.streams = state.streams
            counts.waitingEvents = state.events
            return counts
        }
        counts.streamBound = maxStreams
        counts.waitingEventBound = maxEvents
        counts.lags = lags.reading
        return counts
    }

    /// Whether it knows no stream; ask only while the hub does nothing.
    var isIdle: Bool { core.isIdle }

    /// Runs `work` on a thread of the readers.
    ///
    /// - Returns: The way to take it back; nil if too many reads wait, and `work` never runs.
    func read(
        of app: UInt32, for handle: CallHandle, _ work: @escaping Readers.Reading
    ) -> WatchReaders.Withdrawal? {
        readers.submit(app, handle, work)
    }

    /// Returns the source of the messages that a stream sends before it is live.
    ///
    /// The source reads one snapshot of the store, which it takes at its first read.
    func source(for plan: WatchPlan, _ start: WatchStart) -> any WatchSource {
        let reading = WatchReading(
            plan, apps, KeptSnapshot(of: store), board, at: clock.now()
        ) { [weak self] in self?.resynced() }
        return if let claim = plan.claim {
            ConsumerSource(reading, claim, start)
        } else if let position = start.position {
            MissedSource(reading, since: position, start.least)
        } else {
            StateSource(reading, start.least)
        }
    }

    // MARK: Changes

    /// Notes a commit, on the committer's thread, in the order of commits.
    ///
    /// - Returns: Whether the hub sleeps, so that ``deliver(with:)`` must follow before anything
    ///   else is committed.
    package func committed(_ events: [EventRow]) -> Bool {
        guard !events.isEmpty else { return false }
        return state.withLock { state in
            // A stream that opens later reads this commit from the store.
            guard state.streams > 0 else { return false }
            state.counts.events &+= UInt64(events.count)
            guard state.events + events.count <= maxEvents else {
                state.counts.overflows += 1
                state.inputs.removeAll { if case .commit = $0 { true } else { false } }
                state.events = 0
                return state.add(.lost)
            }
            state.events += events.count
            if state.oldestCommit == nil { state.oldestCommit = Deadline.clock }
            return state.add(.commit(events))
        }
    }

    /// Hands `answers` to their loops, and reports the commit that was noted before.
    ///
    /// It reports a small commit at once, and others on the hub's thread. The caller has found the
    /// hub asleep and has woken it. So no other thread does the hub's work until this is done.
    package func deliver(with answers: LoopWork) {
        var work = answers
        let prompt = state.withLock { state -> [EventRow]? in
            guard state.inputs.count == 1, case .commit(let rows) = state.inputs[0],
                rows.count <= promptEvents
            else { return nil }
            return rows
        }
        guard let prompt,
            core.process(prompt, atMost: promptEvents, at: clock.now(), &work)
        else {
            work.post()
            return drainSoon()
        }
        // Posted first, so that no later event can overtake it.
        work.post()
        let hasMore = state.withLock { state in
            state.inputs.removeFirst()
            state.events -= prompt.count
            recordWait(since: state.takeOldest())
            state.isAwake = !state.inputs.isEmpty
            return state.isAwake
        }
        if hasMore { drainSoon() }
    }

    /// Looks for changes that come with time alone.
    package func tick() {
        let wake = state.withLock { $0.streams > 0 ? $0.add(.tick) : false }
        if wake { drainSoon() }
    }

    /// Stops checking the clock; streams end with their connections.
    package func stop() {
        state.withLock { $0.isStopped = true }
    }

    // MARK: The thread

    private func submit(_ input: Input) {
        if state.withLock({ $0.add(input) }) { drainSoon() }
    }

    private func drainSoon() {
        run { self.drain() }
    }

    private func drain() {
        while true {
            let (inputs, oldest) = state.withLock { state in
                let inputs = state.inputs
                let oldest = state.takeOldest()
                state.inputs = []
                state.events = 0
                state.isAwake = !inputs.isEmpty
                return (inputs, oldest)
            }
            guard !inputs.isEmpty else { return }
            var work = LoopWork()
            core.process(inputs, at: clock.now(), &work)
            work.post()
            recordWait(since: oldest)
        }
    }

    /// Counts how long the oldest of the commits waited that were reported just now.
    private func recordWait(since oldest: UInt64?) {
        guard let oldest else { return }
        lags.record(Deadline.clock &- oldest)
    }
}

extension ChangeHub.State {
    /// - Returns: Whether the thread must be woken.
    fileprivate mutating func add(_ input: ChangeHub.Input) -> Bool {
        inputs.append(input)
        // Counted together with the input. So a commit is passed over only if the core's last input
        // ends the last stream. A stream that opens afterwards comes after the commit, and misses
        // nothing.
        switch input {
        case .open(let stream): count(stream, 1)
        case .close(let stream): count(stream, -1)
        default: break
        }
        defer { isAwake = true }
        return !isAwake
    }

    fileprivate mutating func takeOldest() -> UInt64? {
        defer { oldestCommit = nil }
        return oldestCommit
    }

    private mutating func count(_ stream: WatchStream, _ change: Int) {
        streams += change
        let own = streamsOfApp[stream.app, default: 0] + change
        streamsOfApp[stream.app] = own == 0 ? nil : own
    }
}

extension RPCError {
    /// More streams are open than the server keeps.
    fileprivate static var tooManyStreams: RPCError {
        RPCError(
            .resourceExhausted, .overloaded, "too many streams of changes are open",
            .retryAfter(milliseconds: AnswerLimits.retryAfterMilliseconds))
    }
}

/// The threads that streams read on, or a substitute in a test.
package struct WatchReaders: Sendable {
    /// Takes a read back; false if it no longer waits.
    package typealias Withdrawal = @Sendable () -> Bool
    package typealias Submit =
        @Sendable (_ app: UInt32, CallHandle, @escaping Readers.Reading) -> Withdrawal?

    package let submit: Submit

    package init(_ submit: @escaping Submit) {
        self.submit = submit
    }

    package init(_ readers: Readers) {
        self.init { app, handle, reading in
            readers.submit(of: app, for: handle, reading).map { ticket -> Withdrawal in
                { readers.withdraw(ticket) }
            }
        }
    }
}
