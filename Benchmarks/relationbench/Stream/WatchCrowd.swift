import Protobuf
import RelationAPI
import RelationModel

/// Many streams of changes, each of one user, over a few connections.
///
/// It checks while it counts. The events of a user's log must come in their order, with none
/// missing and none twice, and no stream may end.
final class WatchCrowd {
    struct Listener {
        let user: String
        /// The user's sequence as the stream last sent it; nil before the present state came.
        var sequence: Int64?
        var isLive = false
        /// Events of the present round.
        var events = 0
    }

    /// An event that came: its number among its listener's events of the round.
    struct Receipt {
        let listener: Int
        let number: Int
        let time: UInt64
    }

    private(set) var listeners: [Listener]
    private(set) var connections: [WatchConnection] = []
    private(set) var receipts: [Receipt] = []
    private var live = 0
    private var failure: String?

    /// Opens the streams, and waits until all have sent the present state.
    init(_ users: [String], port: UInt16) throws {
        listeners = users.map { Listener(user: $0) }
        for first in stride(from: 0, to: users.count, by: BenchLimits.streamsPerConnection) {
            let end = min(first + BenchLimits.streamsPerConnection, users.count)
            connections.append(try connect(first..<end, port))
        }
        try wait(seconds: BenchLimits.openSeconds) { self.live == self.listeners.count }
    }

    /// Asks for the streams on one connection, and reads none of their messages.
    init(stalled users: [String], port: UInt16) throws {
        listeners = users.map { Listener(user: $0) }
        let connection = try connect(users.indices, port)
        connection.link.isReading = false
        connections = [connection]
        try wait(seconds: BenchLimits.openSeconds) { !connection.hasOutput }
    }

    private func connect(_ range: Range<Int>, _ port: UInt16) throws -> WatchConnection {
        try WatchConnection(
            to: port, try listeners[range].map { try Self.request($0.user) },
            requestHeaders: Self.requestHeaders(port), first: range.lowerBound, in: self)
    }

    static func requestHeaders(_ port: UInt16) -> FloodHeaders {
        FloodHeaders(path: ChangeMethods.watch.path, authority: "127.0.0.1:\(port)", metadata: [])
    }

    /// The request for the changes of a user.
    static func request(_ user: String) throws(CodecError) -> [UInt8] {
        try Flood.Request(WatchRequest.with { $0.scope = .userID(user) }).message
    }

    /// Begins a round: earlier events are forgotten.
    func begin() {
        receipts.removeAll(keepingCapacity: true)
        for index in listeners.indices { listeners[index].events = 0 }
    }

    /// Waits until the round has that number of events.
    func wait(events: Int) throws(FloodError) {
        try wait(seconds: BenchLimits.deliverySeconds) { self.receipts.count >= events }
        guard receipts.count == events else {
            throw FloodError("\(receipts.count) events came where \(events) were expected")
        }
    }

    private func wait(seconds: Double, until isDone: () -> Bool) throws(FloodError) {
        let end = FloodRun.now() + UInt64(seconds * 1e9)
        try check()
        while !isDone() {
            guard FloodRun.now() < end else {
                throw FloodError(
                    "\(live) of \(listeners.count) streams are live, \(receipts.count) events came")
            }
            try FloodRun.wait(for: connections, until: end)
            try check()
        }
    }

    func check() throws(FloodError) { if let failure { throw FloodError(failure) } }

    // MARK: What connections hear

    func fail(_ reason: String) { failure = failure ?? reason }

    func receive(_ message: WatchedMessage, _ listener: Int, at now: UInt64) throws(FloodError) {
        switch message.kind {
        case .state, .syncCompleted:
            if message.sequence > 0 { listeners[listener].sequence = message.sequence }
            guard message.hasToken, !listeners[listener].isLive else { return }
            listeners[listener].isLive = true
            live += 1
        case .resync, .unspecified: break
        default:
            if message.sequence > 0 {
                let known = listeners[listener].sequence ?? 0
                guard message.sequence == known + 1 else {
                    throw FloodError(
                        "\(listeners[listener].user) was sent \(message.sequence) after \(known)")
                }
                listeners[listener].sequence = message.sequence
            }
            receipts.append(
                Receipt(listener: listener, number: listeners[listener].events, time: now))
            listeners[listener].events += 1
        }
    }
}
