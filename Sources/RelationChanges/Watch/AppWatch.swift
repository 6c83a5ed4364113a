import GRPC
import RelationAdmission
import RelationCore
import RelationModel
import Storage

/// The streams of one app, by the users that they follow.
///
/// Only the hub's thread uses it. Properties that every event touches are
/// `@exclusivity(unchecked)`: Swift would otherwise look up at run time whether two accesses
/// overlap, and no access lasts beyond its statement.
final class AppWatch {
    let app: UInt32
    private var sign: TokenSign
    /// The position up to which events have been handed to streams, with its token.
    private let reached: MovingToken
    /// The position of the last ``midwayToken(_:)``.
    private let midway: MovingToken
    /// The position up to which messages have been made.
    @exclusivity(unchecked) private var made: Int64
    /// The position of the event whose messages are made now; 0 if it is in no feed.
    @exclusivity(unchecked) private var making: Int64 = 0
    /// The views of the app, the pass of the hub in which they were checked last, and what was then
    /// known of the apps.
    @exclusivity(unchecked) private var views: AppViews?
    @exclusivity(unchecked) private var pass = 0
    @exclusivity(unchecked) private var generation: UInt64 = 0
    @exclusivity(unchecked) private(set) var users: [UserID: StreamSet] = [:]
    /// The streams that follow the app as a whole.
    @exclusivity(unchecked) private(set) var all = StreamSet()
    /// All streams: whatever is done for each of them is done in the same order by each run of a
    /// simulation.
    private(set) var streams = StreamSet()

    init(_ app: App, position: Int64) {
        self.app = app.id
        sign = app.tokenSign
        reached = MovingToken(position, sign: sign)
        midway = MovingToken(position, sign: sign)
        made = position
    }

    var isEmpty: Bool { streams.isEmpty }

    /// The streams that follow a user, valid until a stream comes or goes.
    func view(of user: UserID) -> StreamSet.View { users[user]?.view ?? .none }

    /// The followed users, for a search of the users that get an event.
    var watched: ProfileSubscribers.Watched {
        ProfileSubscribers.Watched(
            count: users.count, contains: { [users] in users.index(forKey: $0) != nil },
            all: { [users] in Array(users.keys) })
    }

    // MARK: A pass of the hub

    /// The position up to which events have been handed to streams.
    var position: Int64 { reached.position }

    /// Whether an event has been handed to streams.
    func hasReached(_ position: Int64) -> Bool { reached.position >= position }

    /// The event has been handed to streams, and all events before it.
    func reach(_ position: Int64) { reached.move(to: position) }

    /// The token of the position up to which events have been handed to streams, made once for all
    /// streams that get it; valid until the position moves.
    var token: WatchToken { reached.token }

    /// Begins the messages of an event, after all messages of the events before it.
    ///
    /// - Parameter position: 0 for an event that is in no feed.
    func make(_ position: Int64) {
        guard making != position else { return }
        if making > 0 { made = making }
        making = position
    }

    /// The token of a message that another message follows.
    ///
    /// - Parameter isAll: Whether a stream that continues after the message misses nothing of its
    ///   event.
    /// - Returns: The token, valid until the next one.
    func midwayToken(_ isAll: Bool) -> WatchToken {
        midway.move(to: isAll && making > 0 ? making : made)
        return midway.token
    }

    /// All noted events have been made into messages.
    func didMake() {
        made = reached.position
        making = 0
    }

    /// Continues from a position up to which no event was sent.
    func skip(to position: Int64) {
        reached.move(to: position)
        didMake()
    }

    /// The views of the app in that pass of the hub; nil if the app is gone.
    ///
    /// A pass uses one version of the settings, as a call does.
    func views(of apps: Apps, in pass: Int) -> AppViews? {
        guard self.pass != pass else { return views }
        self.pass = pass
        // Read first: a change that comes between is found in the next pass.
        let now = apps.generation
        if views == nil || now != generation {
            generation = now
            let present = apps[app]
            if let present { sign(as: present) }
            views = present.map(AppViews.init)
        }
        return views
    }

    /// Lets the tokens from now on name the history of the app, which an import may have changed.
    func sign(as app: App) {
        let sign = app.tokenSign
        guard sign != self.sign else { return }
        self.sign = sign
        for token in [reached, midway] { token.sign(as: sign) }
    }

    // MARK: Streams

    func add(_ stream: WatchStream, _ plan: WatchPlan) {
        streams.insert(stream)
        if case .app = plan.scope { all.insert(stream) }
        for user in plan.users { users[user, default: StreamSet()].insert(stream) }
    }

    /// - Returns: Whether the stream was there.
    func remove(_ stream: WatchStream, _ plan: WatchPlan) -> Bool {
        let count = streams.count
        streams.remove(stream)
        guard streams.count < count else { return false }
        if case .app = plan.scope { all.remove(stream) }
        for user in plan.users {
            users[user]?.remove(stream)
            if users[user]?.isEmpty == true { users[user] = nil }
        }
        return true
    }

    func checkInvariants() {
        let known = Set(streams.map(ObjectIdentifier.init))
        var named = Array(all).count
        for (user, watching) in users {
            precondition(!watching.isEmpty, "\(user) has an empty set of streams")
            for stream in watching {
                precondition(known.contains(ObjectIdentifier(stream)))
                named += 1
            }
        }
        let expected = streams.reduce(0) { count, stream in
            count + max(1, stream.plan?.users.count ?? 0)
        }
        precondition(named == expected)
    }
}

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

/// Streams in order of arrival, each of which may leave from any slot.
///
/// A slot that was left stays empty until more slots are empty than not.
struct WaitingStreams {
    /// Empty slots that are always allowed.
    static let slack = 64

    private var slots: [WatchStream?] = []
    /// No stream stands before this slot.
    private var first = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    /// The number of slots in memory.
    var heldSlots: Int { slots.count }

    mutating func append(_ stream: WatchStream) {
        precondition(stream.waitingSlot < 0, "a stream waits only once")
        stream.waitingSlot = slots.count
        slots.append(stream)
        count += 1
    }

    mutating func remove(_ stream: WatchStream) {
        guard stream.waitingSlot >= 0 else { return }
        slots[stream.waitingSlot] = nil
        stream.waitingSlot = -1
        count -= 1
        compact()
    }

    mutating func popFirst() -> WatchStream? {
        guard count > 0 else { return nil }
        while slots[first] == nil { first += 1 }
        let stream = slots[first]
        if let stream { remove(stream) }
        return stream
    }

    private mutating func compact() {
        guard slots.count > 2 * count + Self.slack else { return }
        slots.removeAll { $0 == nil }
        for (slot, stream) in slots.enumerated() { stream?.waitingSlot = slot }
        first = 0
    }
}

/// Streams that follow the same user.
///
/// Mostly there is one stream, which then needs no memory of its own. With many streams the cost of
/// a change does not grow.
struct StreamSet: Sequence {
    static let few = 16

    private enum Members {
        case none
        case one(WatchStream)
        /// The streams, and the index of each in the list; the second is empty while they are few.
        case many([WatchStream], [ObjectIdentifier: Int])
    }

    private var members = Members.none

    var isEmpty: Bool {
        if case .none = members { true } else { false }
    }

    var count: Int {
        switch members {
        case .none: 0
        case .one: 1
        case .many(let list, _): list.count
        }
    }

    /// A set of streams, seen without counting who has it; valid until the set changes.
    enum View {
        case none
        case one(Unmanaged<WatchStream>)
        /// So many streams: who needs them asks for the set.
        case many(Int)

        var count: Int {
            switch self {
            case .none: 0
            case .one: 1
            case .many(let count): count
            }
        }
    }

    var view: View {
        switch members {
        case .none: .none
        case .one(let stream): .one(.passUnretained(stream))
        case .many(let list, _): .many(list.count)
        }
    }

    mutating func insert(_ stream: WatchStream) {
        switch members {
        case .none: members = .one(stream)
        case .one(let other): members = .many([other, stream], [:])
        case .many(var list, var indices):
            // Otherwise the list would have two owners, and would be copied.
            members = .none
            list.append(stream)
            if !indices.isEmpty {
                indices[ObjectIdentifier(stream)] = list.count - 1
            } else if list.count > Self.few {
                for (index, known) in list.enumerated() { indices[ObjectIdentifier(known)] = index }
            }
            members = .many(list, indices)
        }
    }

    /// - Returns: The number of streams that were visited for it.
    @discardableResult
    mutating func remove(_ stream: WatchStream) -> Int {
        switch members {
        case .none: return 0
        case .one(let only):
            if only === stream { members = .none }
            return 1
        case .many(var list, var indices):
            members = .none
            let visits = Self.remove(stream, from: &list, &indices)
            members = list.count > 1 ? .many(list, indices) : .one(list[0])
            return visits
        }
    }

    private static func remove(
        _ stream: WatchStream, from list: inout [WatchStream],
        _ indices: inout [ObjectIdentifier: Int]
    ) -> Int {
        let visits = indices.isEmpty ? list.count : 1
        let known =
            indices.isEmpty
            ? list.firstIndex { $0 === stream }
            : indices.removeValue(forKey: ObjectIdentifier(stream))
        guard let known else { return visits }
        let last = list.removeLast()
        if known < list.count {
            list[known] = last
            if !indices.isEmpty { indices[ObjectIdentifier(last)] = known }
        }
        return visits
    }

    /// Hands each stream to `body`; this costs less than an iterator, which holds the set.
    func each<Failure>(_ body: (WatchStream) throws(Failure) -> Void) throws(Failure) {
        switch members {
        case .none: break
        case .one(let stream): try body(stream)
        case .many(let list, _): for stream in list { try body(stream) }
        }
    }

    func makeIterator() -> Iterator { Iterator(set: self) }

    struct Iterator: IteratorProtocol {
        fileprivate let set: StreamSet
        private var index = 0

        fileprivate init(set: StreamSet) {
            self.set = set
        }

        mutating func next() -> WatchStream? {
            defer { index += 1 }
            switch set.members {
            case .none: return nil
            case .one(let stream): return index == 0 ? stream : nil
            case .many(let list, _): return index < list.count ? list[index] : nil
            }
        }
    }
}

/// An app in one pass of the hub, with the views of administrators and of others.
///
/// It is a class, because it is asked for with each event.
final class AppViews {
    let app: App
    let ofAdmins: ChangeView
    let ofOthers: ChangeView

    init(_ app: App) {
        self.app = app
        ofAdmins = ChangeView(isAdmin: true, app.settings)
        ofOthers = ChangeView(isAdmin: false, app.settings)
    }
}
