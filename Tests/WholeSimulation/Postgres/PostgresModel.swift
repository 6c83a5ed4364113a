import Storage
import Synchronization

/// A model of PostgreSQL for servers that share a store: a primary with its standbys, and the
/// connections to them.
///
/// It has transactions, advisory locks, notices, leases and notes, as a store asks for them. A seed
/// draws how long all is under way. Statements that have come run on though their client is gone.
///
/// The first one to look at it runs what was due until then, in the order of time. So it needs no
/// thread, and a clock that is turned by hand replays it.
///
/// `@unchecked Sendable`: a lock guards all of it.
package final class PostgresModel: @unchecked Sendable {
    private struct Event {
        let time: UInt64
        let number: UInt64
        let work: () -> Void
    }

    private let lock = Mutex(())
    private let time: any ModelTime
    private(set) var nodes: [ModelNode] = []
    /// The time of what happens now.
    private(set) var present: UInt64 = 0
    private var events: [Event] = []
    private var (eventCount, sessionCount, runCount): (UInt64, Int, Int) = (0, 0, 0)
    /// Draws how long things are under way; nil if nothing takes any time.
    private var chance: Chance?
    /// Whether a commit waits until a standby has it.
    let isSynchronous: Bool
    /// How much later than usual a notice may come, in milliseconds; nil for not at all.
    var latestNotice: Int?
    /// Whether commits that change something are refused.
    var refusesCommits = false
    /// Learns how a commit without an answer turned out.
    var onSettled: (Bool) -> Void = { _ in }
    /// Learns that a transaction waits for a lock.
    var onLockWait: () -> Void = {}
    /// Learns that a server is asked which has another one's place, and does not know.
    var onFormer: () -> Void = {}
    /// Learns the word of a read about the view of a standby.
    var onStandbyRead: (StandbyVerdict) -> Void = { _ in }
    /// Until when nothing passes between a process and a server.
    private var held: [Way: UInt64] = [:]
    /// The fault that it has; nil for none.
    let flaw: Flaw?

    /// An error that no database may have: the checks of a simulation must find it.
    package enum Flaw: String, CaseIterable, Sendable {
        /// Each lock is free, whoever has it.
        case sharesLocks
        /// A commit is answered before a standby has it, though it was to wait.
        case answersEarly
        /// A renewal that was held up is written over a later one, as if its row had no lock.
        case overwritesLeases
    }

    /// One direction between a process and a server.
    private struct Way: Hashable {
        let process: String
        let node: Int
        let isUp: Bool
    }

    /// - Parameters:
    ///   - standbys: How many standbys follow the primary.
    ///   - seed: Draws delays; nil if nothing takes any time.
    ///   - flaw: An error that it has.
    package init(
        _ time: any ModelTime, standbys: Int = 0, isSynchronous: Bool = false,
        seed: UInt64? = nil, flaw: Flaw? = nil
    ) {
        self.time = time
        (self.isSynchronous, self.flaw) = (isSynchronous, flaw)
        chance = seed.map { Chance($0, "database") }
        nodes = (0...standbys).map { ModelNode($0, in: self) }
        for standby in nodes.dropFirst() {
            (standby.isStandby, standby.leader) = (true, nodes[0])
        }
    }

    /// Takes rows with which it begins, at all servers.
    func fill(_ rows: MemoryRows) {
        for node in nodes { node.tables.rows = rows }
    }

    /// Runs what is due, then `body`.
    func use<Result>(_ body: (PostgresModel) -> Result) -> Result {
        let (result, hasChanged) = lock.withLock { _ in
            let before = eventCount
            let ran = advance()
            let result = body(self)
            let added = eventCount != before
            return (result, advance() || ran || added)
        }
        if hasChanged { time.changed() }
        return result
    }

    /// - Returns: Whether anything was due.
    private func advance() -> Bool {
        let now = max(time.now, present)
        var ran = false
        while let index = firstIndex, events[index].time <= now {
            let event = events.remove(at: index)
            present = max(present, event.time)
            event.work()
            ran = true
        }
        present = now
        return ran
    }

    private var firstIndex: Int? {
        events.indices.min {
            (events[$0].time, events[$0].number) < (events[$1].time, events[$1].number)
        }
    }

    /// When something happens next; nil if nothing is under way.
    var nextTime: UInt64? { firstIndex.map { events[$0].time } }

    func at(_ time: UInt64, _ work: @escaping () -> Void) {
        eventCount += 1
        events.append(Event(time: max(time, present), number: eventCount, work: work))
    }

    /// A time that something takes, in nanoseconds.
    func delay(_ microseconds: ClosedRange<Int>) -> UInt64 {
        UInt64(chance?.number(microseconds) ?? 0) * 1_000
    }

    /// A name that nothing had before.
    func name() -> String {
        runCount += 1
        return "run \(runCount)"
    }

    // MARK: Connections

    func open(_ node: Int, for process: String, isRepeatable: Bool) -> ModelSession {
        sessionCount += 1
        let node = nodes[node]
        let session = ModelSession(
            sessionCount, of: process, to: node, isRepeatable: isRepeatable)
        node.sessions[session.number] = session
        return session
    }

    func send(_ request: ModelRequest, on session: ModelSession) {
        let arrival = max(
            present + delay(ModelLimits.wayMicroseconds), session.lastUp, heldUp(session))
        session.lastUp = arrival
        at(arrival) { session.node.arrive(request, on: session) }
    }

    /// The client has closed its end.
    func disconnect(_ session: ModelSession) {
        session.losesAnswers = true
        guard !session.losesAll else { return }
        let arrival = max(
            present + delay(ModelLimits.wayMicroseconds), session.lastUp, heldUp(session))
        at(arrival) { session.node.at(arrival) { session.node.end(session) } }
    }

    /// Lets nothing pass one way between a process and a server until `time`.
    func hold(_ process: String, _ node: Int, isUp: Bool, until time: UInt64) {
        held[Way(process: process, node: node, isUp: isUp)] = time
    }

    /// Until when nothing of a session comes to its server.
    private func heldUp(_ session: ModelSession) -> UInt64 {
        held[Way(process: session.process, node: session.node.index, isUp: true)] ?? 0
    }

    /// Until when nothing of a session comes to its client.
    func heldDown(_ session: ModelSession) -> UInt64 {
        held[Way(process: session.process, node: session.node.index, isUp: false)] ?? 0
    }

    /// Loses a connection; both ends learn of that at different times.
    func cut(_ session: ModelSession, losingAnswersOnly: Bool) {
        guard !session.losesAll else { return }
        session.losesAnswers = true
        session.losesAll = !losingAnswersOnly
        at(present + delay(ModelLimits.lossMicroseconds)) { session.isTold = true }
        let end = present + delay(ModelLimits.lossMicroseconds)
        session.node.at(end) { session.node.end(session) }
    }
}
