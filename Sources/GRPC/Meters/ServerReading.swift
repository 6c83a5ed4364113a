import GRPCWire
package import Meters
import RPC

/// The counts of a server up to one moment.
package struct ServerReading: Sendable {
    /// One method with its calls, or the requests that name none of the server's methods.
    package struct Method: Sendable {
        /// The path; nil for requests that name none.
        package let path: String?
        /// Calls that ended, by the number of their code.
        package var codes = [UInt64](repeating: 0, count: Status.Code.allCases.count)
        package var openCalls: Int = 0
        package var receivedBytes: UInt64 = 0
        package var sentBytes: UInt64 = 0
        package var sentMessages: UInt64 = 0
        /// How long calls took; nil for a method with streams, whose calls last as they like.
        package var latency: HistogramReading?

        /// Whether any call of it has begun or ended.
        var isUsed: Bool { openCalls > 0 || codes.contains { $0 > 0 } }
    }

    /// The calls of one group of callers.
    package struct Group: Sendable {
        /// Calls that ended, by the number of their ``CallOutcome``.
        package var outcomes = [UInt64](repeating: 0, count: CallOutcome.allCases.count)
        package var sentBytes: UInt64 = 0
        /// How long calls took, without those of streams.
        package var latency = HistogramReading(.latencyClasses)
    }

    package var methods: [Method] = []
    /// The groups of callers; the first one is the group 1.
    package var groups: [Group] = []
    /// Calls that failed for each reason of the layer above, by its number.
    package var reasons = [UInt64](repeating: 0, count: CallLimits.countedReasons)
    package var connectionsOpened: UInt64 = 0
    package var openConnections = 0
    package var connectionBound = 0
    package var receivedBytes: UInt64 = 0
    package var sentBytes: UInt64 = 0
    package var foreignRequests: UInt64 = 0
    package var loops = 0
    /// Protocol violations of clients by name, with connections that were refused.
    package var violations: [(name: String, count: UInt64)] = []

    /// Adds what one loop has counted.
    mutating func add(_ meter: LoopMeter) {
        loops += 1
        for row in methods.indices {
            let ended = (0..<Status.Code.allCases.count).map { meter.value(row, $0) }
            for code in ended.indices { methods[row].codes[code] &+= ended[code] }
            // Read after the ends, of which each comes after an opening.
            let opened = meter.value(row, LoopMeter.Column.opened)
            methods[row].openCalls += Int(clamping: opened &- ended.reduce(0, &+))
            methods[row].receivedBytes &+= meter.value(row, LoopMeter.Column.receivedBytes)
            methods[row].sentBytes &+= meter.value(row, LoopMeter.Column.sentBytes)
            methods[row].sentMessages &+= meter.value(row, LoopMeter.Column.sentMessages)
            methods[row].latency?.add(meter.latency(row))
        }
        for reason in reasons.indices { reasons[reason] &+= meter.failures(for: reason) }
        for row in groups.indices { groups[row].add(meter.reading(ofGroup: row + 1)) }
        let closed = meter.value(of: .connectionsClosed)
        let opened = meter.value(of: .connectionsOpened)
        connectionsOpened &+= opened
        openConnections += Int(clamping: opened &- closed)
        receivedBytes &+= meter.value(of: .receivedBytes)
        sentBytes &+= meter.value(of: .sentBytes)
        foreignRequests &+= meter.value(of: .foreignRequests)
    }
}

extension ServerReading.Group {
    fileprivate mutating func add(_ other: ServerReading.Group) {
        for outcome in outcomes.indices { outcomes[outcome] &+= other.outcomes[outcome] }
        sentBytes &+= other.sentBytes
        latency.add(other.latency)
    }
}
