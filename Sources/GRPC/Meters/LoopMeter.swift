import GRPCWire
import Meters
import RPC
import Synchronization

/// The counters of one loop: its connections and calls.
///
/// The number of a method is its row, so a call finds its counters by an index: it takes no lock,
/// no look-up and no memory. How long calls took is counted when their answers have been written:
/// the clock is then read once for all calls that ended in one wake-up.
///
/// `@unchecked Sendable`: the loop alone calls what changes anything, and other threads read
/// ``cells`` and ``slow``, which allow that.
package final class LoopMeter: @unchecked Sendable {
    /// Numbers of the loop as a whole.
    package enum Count: Int {
        case connectionsOpened, connectionsClosed, receivedBytes, sentBytes
        /// Requests that were none of gRPC's.
        case foreignRequests
        case wakeUps
    }

    /// The columns in the row of a method; the first seventeen are the codes of gRPC.
    enum Column {
        static let opened = 17
        static let receivedBytes = 18
        static let sentBytes = 19
        static let sentMessages = 20
        static let latency = 22
        /// Five lines of a processor's memory.
        static let width = 40
    }

    /// The columns in the row of a group of callers; the first are the kinds of outcomes.
    enum GroupColumn {
        static let sentBytes = CallOutcome.allCases.count
        static let latency = 6
        /// One line of a processor's memory.
        static let width = 16
    }

    /// A call that has ended, and whose answer may still have to be written.
    private struct Ended {
        var method = 0
        var group = 0
        var code: UInt8 = 0
        var times = CallTimes()
    }

    private static let reasonsStart = 16
    private static let rowsStart = reasonsStart + CallLimits.countedReasons

    let cells: MeterCells
    /// The memory of ``cells``, which this object keeps alive.
    private let memory: UnsafeMutablePointer<Atomic<UInt64>>
    /// Rows: one for each method, and one for requests that name none.
    let rows: Int
    /// The slowest calls lately.
    package let slow = SlowCalls()
    private let scale = MeterScale.latency
    /// Groups of callers that are counted; their rows come after those of the methods.
    let groups: Int
    private let groupScale = MeterScale.latencyClasses
    private let groupsStart: Int
    /// Allocated in `init` and freed in `deinit`; `endedCount` of them are filled.
    private let ended: UnsafeMutablePointer<Ended>
    @exclusivity(unchecked) private(set) var endedCount = 0

    /// - Parameter groups: Groups of callers that are counted; see ``ServerCall/group``.
    init(methods: Int, groups: Int = 0) {
        precondition(Column.latency + MeterScale.latency.cellCount <= Column.width)
        let groupCells = GroupColumn.latency + MeterScale.latencyClasses.cellCount
        precondition(groupCells <= GroupColumn.width)
        rows = methods + 1
        self.groups = groups
        groupsStart = Self.rowsStart + rows * Column.width
        cells = MeterCells(count: groupsStart + groups * GroupColumn.width)
        memory = cells.memory
        ended = .allocate(capacity: CallLimits.unsettledCalls)
        ended.initialize(repeating: Ended(), count: CallLimits.unsettledCalls)
    }

    deinit {
        // The elements are trivial.
        ended.deallocate()
    }

    // MARK: The loop

    @inline(__always)
    func count(_ count: Count, _ amount: Int = 1) {
        add(UInt64(truncatingIfNeeded: amount), to: count.rawValue)
    }

    @inline(__always)
    private func count(_ method: Int, _ column: Int, _ amount: Int = 1) {
        let index = Self.rowsStart &+ method &* Column.width &+ column
        add(UInt64(truncatingIfNeeded: amount), to: index)
    }

    /// Adds to a number, as ``MeterCells/add(_:to:)`` does.
    @inline(__always)
    private func add(_ amount: UInt64, to index: Int) {
        assert(index >= 0 && index < cells.count)
        let value = memory[index].load(ordering: .relaxed)
        memory[index].store(value &+ amount, ordering: .relaxed)
    }

    @inline(__always)
    func opened(_ method: Int) { count(method, Column.opened) }

    @inline(__always)
    func received(_ method: Int, _ bytes: Int) { count(method, Column.receivedBytes, bytes) }

    @inline(__always)
    func sent(_ method: Int, _ bytes: Int) {
        count(method, Column.sentBytes, bytes)
        count(method, Column.sentMessages)
    }

    /// Counts an answer for a group of callers too; the group 0 is none.
    @inline(__always)
    func sent(_ bytes: Int, toGroup group: Int) {
        guard group != 0 else { return }
        count(group: group, GroupColumn.sentBytes, bytes)
    }

    @inline(__always)
    private func count(group: Int, _ column: Int, _ amount: Int = 1) {
        // A group that the server does not know is not counted.
        guard group <= groups else { return }
        let index = groupsStart &+ (group &- 1) &* GroupColumn.width &+ column
        add(UInt64(truncatingIfNeeded: amount), to: index)
    }

    /// Counts a call that failed for a reason of the layer above.
    func failed(_ reason: UInt16) {
        guard reason < CallLimits.countedReasons else { return }
        cells.add(1, to: Self.reasonsStart + Int(reason))
    }

    /// Counts a request that never became a call; `method` is nil if it names none.
    func rejected(_ method: Int?, _ code: Status.Code) {
        let method = method ?? rows - 1
        opened(method)
        count(method, Int(code.rawValue))
    }

    /// Counts a call that has ended.
    ///
    /// - Parameters:
    ///   - group: The group of its caller; 0 for none.
    ///   - times: When it came and went; nil for a call whose length says nothing, as that of a
    ///     stream.
    @inline(__always)
    func ended(
        _ method: Int, _ code: UInt8, of group: Int = 0, _ times: @autoclosure () -> CallTimes?
    ) {
        count(method, Int(code))
        if group != 0 { count(group: group, CallOutcome(code: code).rawValue) }
        guard let times = times() else { return }
        ended[endedCount] = Ended(method: method, group: group, code: code, times: times)
        endedCount &+= 1
    }

    /// Whether no further call can end before ``settle(at:)``.
    @inline(__always)
    var isFull: Bool { endedCount == CallLimits.unsettledCalls }

    /// Counts how long the calls took that have ended since the last time.
    ///
    /// - Parameter now: When their answers were written, in nanoseconds.
    func settle(at now: Int64) {
        for index in 0..<endedCount {
            let call = ended[index]
            let latency = UInt64(truncatingIfNeeded: max(0, now &- call.times.arrival))
            let first = Self.rowsStart &+ call.method &* Column.width &+ Column.latency
            MeterHistogram(scale, in: cells, at: first).record(latency)
            if call.group != 0, call.group <= groups {
                let first = groupsStart &+ (call.group &- 1) &* GroupColumn.width
                MeterHistogram(groupScale, in: cells, at: first &+ GroupColumn.latency)
                    .record(latency)
            }
            if slow.isWorthNoting(latency, at: now) {
                slow.note(call.method, call.code, call.times, at: now)
            }
        }
        endedCount = 0
    }

    // MARK: Readers

    package func value(of count: Count) -> UInt64 { cells.value(of: count.rawValue) }

    package func failures(for reason: Int) -> UInt64 {
        cells.value(of: Self.reasonsStart + reason)
    }

    func value(_ method: Int, _ column: Int) -> UInt64 {
        cells.value(of: Self.rowsStart + method * Column.width + column)
    }

    func latency(_ method: Int) -> HistogramReading {
        let first = Self.rowsStart + method * Column.width + Column.latency
        return MeterHistogram(scale, in: cells, at: first).reading
    }
}

extension LoopMeter {
    /// The counts of a group of callers; the first group is 1.
    func reading(ofGroup group: Int) -> ServerReading.Group {
        let first = groupsStart + (group - 1) * GroupColumn.width
        var reading = ServerReading.Group()
        for outcome in CallOutcome.allCases {
            reading.outcomes[outcome.rawValue] = cells.value(of: first + outcome.rawValue)
        }
        reading.sentBytes = cells.value(of: first + GroupColumn.sentBytes)
        reading.latency =
            MeterHistogram(groupScale, in: cells, at: first + GroupColumn.latency).reading
        return reading
    }
}

/// When a call passed the points on its path, in nanoseconds of the loops' clock; 0 for one
/// that it did not pass.
package struct CallTimes: Sendable, Equatable {
    /// When the wake-up began that completed its request.
    ///
    /// How long a client takes to send it says nothing of the server.
    package var arrival: Int64 = 0
    /// When its loop handed it to another thread.
    package var handed: Int64 = 0
    /// When that thread began with it.
    package var began: Int64 = 0
    /// When it came back to its loop.
    package var returned: Int64 = 0

    package init(
        arrival: Int64 = 0, handed: Int64 = 0, began: Int64 = 0, returned: Int64 = 0
    ) {
        self.arrival = arrival
        self.handed = handed
        self.began = began
        self.returned = returned
    }
}
