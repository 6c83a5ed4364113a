import GRPC
import RelationCore
import RelationModel
import Storage

/// The streams of one app, by whom they follow.
///
/// Belongs to the hub's thread.
final class AppWatch {
    let app: UInt32
    /// How far the feed has come with what was handed to streams.
    var point: FeedPoint
    private(set) var users: [UserID: StreamSet] = [:]
    /// The streams that follow the app as a whole.
    private(set) var all = StreamSet()
    private(set) var streams: [ObjectIdentifier: WatchStream] = [:]

    init(app: UInt32, point: FeedPoint) {
        self.app = app
        self.point = point
    }

    var isEmpty: Bool { streams.isEmpty }

    func add(_ stream: WatchStream, _ plan: WatchPlan) {
        streams[ObjectIdentifier(stream)] = stream
        if case .app = plan.scope { all.insert(stream) }
        for user in plan.users { users[user, default: StreamSet()].insert(stream) }
    }

    /// - Returns: Whether it was there.
    func remove(_ stream: WatchStream, _ plan: WatchPlan) -> Bool {
        guard streams.removeValue(forKey: ObjectIdentifier(stream)) != nil else { return false }
        if case .app = plan.scope { all.remove(stream) }
        for user in plan.users {
            users[user]?.remove(stream)
            if users[user]?.isEmpty == true { users[user] = nil }
        }
        return true
    }

    func checkInvariants() {
        var named = Array(all).count
        for (user, watching) in users {
            precondition(!watching.isEmpty, "\(user) is watched by nobody")
            for stream in watching {
                precondition(streams[ObjectIdentifier(stream)] === stream)
                named += 1
            }
        }
        let expected = streams.values.reduce(0) { count, stream in
            count + max(1, stream.plan?.users.count ?? 0)
        }
        precondition(named == expected)
    }
}

/// The turns of streams that read what came before: a few at a time, in the order in which they
/// asked.
///
/// One that waits for its client has none, so that it keeps nobody else from beginning.
struct OpeningTurns {
    private var waiting: [WatchStream] = []
    private var reading: Set<ObjectIdentifier> = []
    /// Those that wait for their clients, and since when.
    private var paused: [ObjectIdentifier: (stream: WatchStream, sinceMs: Int64)] = [:]

    var isEmpty: Bool { waiting.isEmpty && reading.isEmpty && paused.isEmpty }

    /// Adds a stream and answers those whose turn it is.
    mutating func add(_ stream: WatchStream) -> [WatchStream] {
        paused[ObjectIdentifier(stream)] = nil
        waiting.append(stream)
        return next()
    }

    /// Takes the turn from a stream that waits for its client; answers those whose turn it is.
    mutating func pause(_ stream: WatchStream, at now: Int64) -> [WatchStream] {
        guard reading.remove(ObjectIdentifier(stream)) != nil else { return [] }
        paused[ObjectIdentifier(stream)] = (stream, now)
        return next()
    }

    /// Takes a stream out, because it is live or has ended; answers those whose turn it is.
    mutating func remove(_ stream: WatchStream) -> [WatchStream] {
        let isKnown = paused.removeValue(forKey: ObjectIdentifier(stream)) != nil
        if reading.remove(ObjectIdentifier(stream)) == nil, !isKnown {
            waiting.removeAll { $0 === stream }
        }
        return next()
    }

    /// Those whose clients have taken nothing for too long.
    func late(at now: Int64) -> [WatchStream] {
        paused.values.filter { $0.sinceMs + WatchLimits.openingMs <= now }.map(\.stream)
    }

    private mutating func next() -> [WatchStream] {
        let free = min(waiting.count, WatchLimits.openingStreams - reading.count)
        guard free > 0 else { return [] }
        let begun = Array(waiting.prefix(free))
        waiting.removeFirst(free)
        for stream in begun { reading.insert(ObjectIdentifier(stream)) }
        return begun
    }
}

/// Streams that follow the same user: mostly one, and many without a cost that grows with them.
struct StreamSet: Sequence {
    static let few = 16

    private var list: [WatchStream] = []
    private var index: [ObjectIdentifier: WatchStream] = [:]

    var isEmpty: Bool { list.isEmpty && index.isEmpty }

    mutating func insert(_ stream: WatchStream) {
        if index.isEmpty, list.count < Self.few { return list.append(stream) }
        for known in list { index[ObjectIdentifier(known)] = known }
        list = []
        index[ObjectIdentifier(stream)] = stream
    }

    /// - Returns: How many streams were looked at for it.
    @discardableResult
    mutating func remove(_ stream: WatchStream) -> Int {
        guard index.removeValue(forKey: ObjectIdentifier(stream)) == nil else { return 1 }
        let looks = list.count
        list.removeAll { $0 === stream }
        return looks
    }

    func makeIterator() -> Array<WatchStream>.Iterator {
        (index.isEmpty ? list : Array(index.values)).makeIterator()
    }
}
