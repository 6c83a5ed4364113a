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
    private(set) var users: [UserID: [WatchStream]] = [:]
    /// The streams that follow the app as a whole.
    private(set) var all: [WatchStream] = []
    private(set) var streams: [ObjectIdentifier: WatchStream] = [:]

    init(app: UInt32, point: FeedPoint) {
        self.app = app
        self.point = point
    }

    var isEmpty: Bool { streams.isEmpty }

    func add(_ stream: WatchStream, _ plan: WatchPlan) {
        streams[ObjectIdentifier(stream)] = stream
        if case .app = plan.scope { all.append(stream) }
        for user in plan.users { users[user, default: []].append(stream) }
    }

    /// - Returns: Whether it was there.
    func remove(_ stream: WatchStream, _ plan: WatchPlan) -> Bool {
        guard streams.removeValue(forKey: ObjectIdentifier(stream)) != nil else { return false }
        if case .app = plan.scope { all.removeAll { $0 === stream } }
        for user in plan.users {
            users[user]?.removeAll { $0 === stream }
            if users[user]?.isEmpty == true { users[user] = nil }
        }
        return true
    }

    func checkInvariants() {
        var named = all.count
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
struct OpeningTurns {
    private(set) var waiting: [WatchStream] = []
    private(set) var opening: [ObjectIdentifier: (stream: WatchStream, sinceMs: Int64)] = [:]

    /// Adds a stream and answers those whose turn it is.
    mutating func add(_ stream: WatchStream, at now: Int64) -> [WatchStream] {
        waiting.append(stream)
        return next(at: now)
    }

    /// Takes a stream out, because it is live or has ended; answers those whose turn it is.
    mutating func remove(_ stream: WatchStream, at now: Int64) -> [WatchStream] {
        if opening.removeValue(forKey: ObjectIdentifier(stream)) == nil {
            waiting.removeAll { $0 === stream }
        }
        return next(at: now)
    }

    /// Those that have had their turn for too long.
    func late(at now: Int64) -> [WatchStream] {
        opening.values.filter { $0.sinceMs + WatchLimits.openingMs <= now }.map(\.stream)
    }

    private mutating func next(at now: Int64) -> [WatchStream] {
        let free = min(waiting.count, WatchLimits.openingStreams - opening.count)
        guard free > 0 else { return [] }
        let begun = Array(waiting.prefix(free))
        waiting.removeFirst(free)
        for stream in begun { opening[ObjectIdentifier(stream)] = (stream, now) }
        return begun
    }
}
