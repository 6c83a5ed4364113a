import RelationAdmission

/// The queue of streams that read earlier events: a few at a time, and the apps one after the
/// other.
///
/// A stream that waits for its client does not count as reading, so it does not keep another from
/// beginning.
struct OpeningQueue {
    private static let capacity = 2 * WatchLimits.openingStreams

    /// The waiting streams of each app in ``order``.
    private var waiting: [UInt32: WaitingStreams] = [:]
    /// The apps in the order in which they are served; an app with no waiting stream leaves when it
    /// is next.
    private var order: [UInt32] = []
    /// The streams that read, each with its app, and the number of such streams of each app.
    private var reading: [ObjectIdentifier: UInt32] = [:]
    private var readingOfApp: [UInt32: Int] = [:]
    /// The streams that wait for their clients, and since when.
    private var paused: [ObjectIdentifier: (stream: WatchStream, sinceMs: Int64)] = [:]

    var isEmpty: Bool {
        waiting.values.allSatisfy(\.isEmpty) && reading.isEmpty && paused.isEmpty
    }

    /// Adds a stream, and returns the streams that begin to read now.
    mutating func add(_ stream: WatchStream) -> [WatchStream] {
        paused[ObjectIdentifier(stream)] = nil
        if waiting[stream.app] == nil { order.append(stream.app) }
        waiting[stream.app, default: WaitingStreams()].append(stream)
        return next()
    }

    /// Pauses a stream that waits for its client, and returns the streams that begin to read now.
    mutating func pause(_ stream: WatchStream, at now: Int64) -> [WatchStream] {
        guard endReading(stream) else { return [] }
        paused[ObjectIdentifier(stream)] = (stream, now)
        return next()
    }

    /// Removes a stream that is live or has ended, and returns the streams that begin to read now.
    mutating func remove(_ stream: WatchStream) -> [WatchStream] {
        let isKnown = paused.removeValue(forKey: ObjectIdentifier(stream)) != nil
        if !endReading(stream), !isKnown { waiting[stream.app]?.remove(stream) }
        return next()
    }

    /// The streams whose clients have taken nothing for too long.
    func late(at now: Int64) -> [WatchStream] {
        paused.values.filter { $0.sinceMs + WatchLimits.openingMs <= now }.map(\.stream)
    }

    /// - Returns: Whether the stream was reading.
    private mutating func endReading(_ stream: WatchStream) -> Bool {
        guard let app = reading.removeValue(forKey: ObjectIdentifier(stream)) else { return false }
        let own = readingOfApp[app, default: 0] - 1
        readingOfApp[app] = own == 0 ? nil : own
        return true
    }

    private mutating func next() -> [WatchStream] {
        var begun: [WatchStream] = []
        // Apps without room come one after another. Each has a stream that reads, so they are few.
        var passed = 0
        while passed < order.count, reading.count < Self.capacity {
            let app = order.removeFirst()
            let own = readingOfApp[app, default: 0]
            guard own < Self.capacity - reading.count else {
                order.append(app)
                passed += 1
                continue
            }
            passed = 0
            guard let stream = waiting[app]?.popFirst() else {
                waiting[app] = nil
                continue
            }
            order.append(app)
            reading[ObjectIdentifier(stream)] = app
            readingOfApp[app] = own + 1
            begun.append(stream)
        }
        return begun
    }
}
