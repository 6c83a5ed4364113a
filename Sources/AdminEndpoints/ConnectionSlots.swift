import NIOCore

/// The connections of the admin listener, and what they hold together.
///
/// A probe must be answered, whatever other clients do. So a new connection never waits for a slot.
/// It takes that of a connection that waits for a request. Without one, it takes that of a
/// connection whose request is half here, and else of one whose client does not read. Among them,
/// the one that has been so for the longest time goes. Calls of the console have slots of their
/// own.
///
/// It belongs to the admin loop.
final class ConnectionSlots {
    private let connections: Int
    private let calls: Int
    private let queuedBytes: Int
    private var open: [ObjectIdentifier: AdminClock] = [:]

    init(
        connections: Int = AdminLimits.connections, calls: Int = AdminLimits.calls,
        queuedBytes: Int = AdminLimits.queuedBytes
    ) {
        self.connections = connections
        self.calls = calls
        self.queuedBytes = queuedBytes
    }

    /// The number of all connections, with or without a call.
    var count: Int { open.count }

    /// Bytes of answers that have not left.
    var waitingBytes: Int { open.values.reduce(0) { $0 + $1.answerBytes } }

    /// Takes a new connection, or one whose call has ended.
    func add(_ clock: AdminClock) {
        open[ObjectIdentifier(clock)] = clock
        while open.values.count(where: { $0.phase != .call }) > connections {
            let others = open.values.filter { $0.phase != .call && $0 !== clock }
            guard let idlest = others.min(by: Self.closesFirst) else { return }
            idlest.makeRoom()
        }
    }

    func remove(_ clock: AdminClock) {
        open[ObjectIdentifier(clock)] = nil
    }

    /// Whether another call may begin.
    var hasRoomForCall: Bool {
        open.values.count(where: { $0.phase == .call || $0.phase == .sending }) < calls
    }

    /// Makes room for the answer that `clock` has just got.
    func makeRoomForAnswer(of clock: AdminClock) {
        while waitingBytes > queuedBytes {
            let others = open.values.filter { $0.answerBytes > 0 && $0 !== clock }
            guard let slowest = others.min(by: { $0.since < $1.since }) else { return }
            slowest.makeRoom()
        }
    }

    private static func closesFirst(_ one: AdminClock, _ other: AdminClock) -> Bool {
        (one.phase.rawValue, one.since) < (other.phase.rawValue, other.since)
    }
}
