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
