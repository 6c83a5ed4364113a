import GRPC
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage

/// The hub's work, on the hub's thread.
///
/// `@unchecked Sendable`: no other thread touches it.
final class WatchCore: @unchecked Sendable {
    private let store: any Store
    private let apps: Apps
    private let board: PresenceBoard
    private var watches: [UInt32: AppWatch] = [:]
    private var turns = OpeningTurns()
    private let arena = Arena()
    private var out = Deliveries()
    /// The time of the present turn.
    private var nowMs: Int64 = 0

    init(store: any Store, apps: Apps, board: PresenceBoard) {
        self.board = board
        self.store = store
        self.apps = apps
    }

    deinit {
        arena.free()
    }

    /// Does what `inputs` ask for, and sends what comes of it.
    func take(_ inputs: [ChangeHub.Input], at now: Timestamp) {
        nowMs = now.milliseconds
        for input in inputs {
            switch input {
            case .open(let stream): open(stream)
            case .opened(let stream): begin(turns.remove(stream))
            case .paused(let stream): begin(turns.pause(stream, at: nowMs))
            case .reopened(let stream): begin(turns.add(stream))
            case .close(let stream): close(stream)
            case .commit(let rows): commit(rows)
            case .presence: tellPresence()
            case .lost: lost()
            case .tick: tick()
            case .stop: stop()
            }
        }
        out.post()
        arena.reset()
    }

    /// Whether no stream is left.
    var isIdle: Bool {
        for watch in watches.values { watch.checkInvariants() }
        return watches.isEmpty && turns.isEmpty
    }

    // MARK: Streams

    private func open(_ stream: WatchStream) {
        guard let plan = stream.plan else { return }
        guard apps[plan.app.id] != nil else {
            return out.add(.fail(.unknownApp(plan.app.id)), to: stream)
        }
        let watch: AppWatch
        if let known = watches[plan.app.id] {
            watch = known
        } else {
            // Before the stream reads anything: so it sees all that is passed over from here on.
            guard let point = point(of: plan.app) else {
                return out.add(.fail(.storeIsAway), to: stream)
            }
            watch = AppWatch(app: plan.app.id, point: point)
            watches[plan.app.id] = watch
        }
        stream.lastSentMs = nowMs
        watch.add(stream, plan)
        begin(turns.add(stream))
    }

    private func begin(_ streams: [WatchStream]) {
        for stream in streams { out.add(.begin, to: stream) }
    }

    private func close(_ stream: WatchStream) {
        guard let plan = stream.plan else { return }
        begin(turns.remove(stream))
        guard let watch = watches[plan.app.id], watch.remove(stream, plan) else { return }
        if watch.isEmpty { watches[plan.app.id] = nil }
    }

    private func point(of app: App) -> FeedPoint? {
        try? store.read { (transaction) throws(StorageError) in
            try FeedPoint.now(of: app, in: transaction)
        }
    }

    // MARK: Commits

    private func commit(_ rows: [EventRow]) {
        do throws(CodecError) {
            var events: [(watch: AppWatch, event: StoredEvent)] = []
            for row in rows {
                guard let watch = watches[row.key.app],
                    let event = try StoredEvent(row, arena)
                else { continue }
                events.append((watch, event))
            }
            // A lane is told in its own order, whatever order its rows were written in.
            events.sort { one, other in
                (one.watch.app, one.event.lane, one.event.position)
                    < (other.watch.app, other.event.lane, other.event.position)
            }
            for (watch, event) in events where event.position > watch.point[event.lane] {
                // A stream of several users may be told of one event by several messages: those
                // about others come first, with the token from before it, so that none is lost.
                try tellOnlookers(event, watch)
                watch.point[event.lane] = event.position
                try tell(event, watch)
            }
        } catch {
            // An event that cannot be told here can be read from the log.
            lost()
        }
    }

    private func tell(_ event: StoredEvent, _ watch: AppWatch) throws(CodecError) {
        guard let app = apps[watch.app] else { return }
        let own = watch.users[event.user] ?? StreamSet()
        var messages: [Bool: WatchMessage] = [:]
        for stream in [own, watch.all].joined() {
            guard let plan = stream.plan, try plan.wants(event, arena) else { continue }
            let message: WatchMessage
            if let known = messages[plan.isAdmin] {
                message = known
            } else {
                let view = ChangeView(isAdmin: plan.isAdmin, app.settings)
                message = try WatchMessage(
                    event.bytes(view, arena), lane: event.lane, position: event.position,
                    token: WatchToken(watch.point, app: app.id), arena)
                messages[plan.isAdmin] = message
            }
            send(message, to: stream)
        }
        guard event.kind == .accountDeleted else { return }
        for stream in own {
            guard case .user = stream.plan?.scope else { continue }
            out.add(.fail(.unknownUser(event.user)), to: stream)
        }
    }

    private func send(_ message: WatchMessage, to stream: WatchStream) {
        stream.lastSentMs = nowMs
        out.add(.message(message), to: stream)
    }

    // MARK: Others' profiles

    /// Tells those who have the user as a friend, each what it sees.
    private func tellOnlookers(
        _ event: StoredEvent, _ watch: AppWatch
    ) throws(CodecError) {
        guard event.kind == .profileChange || event.kind == .visibilityChanged,
            let app = apps[watch.app]
        else { return }
        guard watch.users.count > (watch.users[event.user] == nil ? 0 : 1) else { return }
        let record = try event.record(arena)
        guard let item = record.items.first else { return }
        let groups: [(view: ProfileView, viewers: [UserID])]
        let now = Timestamp(milliseconds: nowMs)
        do throws(StorageError) {
            groups = try store.read { (transaction) throws(StorageError) in
                let receivers = try Onlookers.ofProfile(
                    of: event.user, among: watch.users, at: now, app: app, in: transaction)
                guard !receivers.isEmpty else { return [] }
                let profile = try Profiles.record(of: event.user, app: app, in: transaction)
                return try Onlookers.views(
                    of: event.user, choosing: profile.visibility, by: receivers, app: app,
                    in: transaction)
            }
        } catch {
            throw CodecError(.malformed, "the receivers of an event are not known: \(error)")
        }
        for (view, viewers) in groups {
            guard let seen = item.told(of: event.kind, seen: view, app.settings) else { continue }
            var told = ChangeRecord()
            told.kind = event.kind
            told.timeMs = record.timeMs
            told.actorID = record.actorID
            told.feedPosition = event.position
            told.items = [seen]
            try tell(
                viewers, EventSuffix(event.user).bytes(ending: told, arena), event.kind,
                lane: event.lane, position: event.position, watch)
        }
    }

    /// Hands what is in no log of theirs to the streams that follow `receivers`.
    private func tell(
        _ receivers: [UserID], _ event: [UInt8], _ kind: ChangeKind, lane: UInt8,
        position: Int64, _ watch: AppWatch
    ) throws(CodecError) {
        let before = WatchToken(watch.point, app: watch.app)
        var point = watch.point
        if position > 0 { point[lane] = position }
        let token = WatchToken(point, app: watch.app)
        var shared: WatchMessage?
        // A stream that follows several of them is told once, and for whom.
        var several: [ObjectIdentifier: (stream: WatchStream, users: [String])] = [:]
        for receiver in receivers {
            for stream in watch.users[receiver] ?? StreamSet() {
                guard let plan = stream.plan, plan.wants(kind) else { continue }
                guard !plan.namesReceivers else {
                    several[ObjectIdentifier(stream), default: (stream, [])].users
                        .append(receiver.text)
                    continue
                }
                if shared == nil {
                    shared = try WatchMessage(
                        event, lane: lane, position: position, token: token, arena)
                }
                if let shared { send(shared, to: stream) }
            }
        }
        for (stream, users) in several.values {
            let message = try WatchMessage(
                event, lane: lane, position: position, for: users.sorted(), token: before, arena)
            send(message, to: stream)
        }
    }

    // MARK: Presence

    /// Tells friends and subscribers what the board now says of those who changed.
    private func tellPresence() {
        let now = Timestamp(milliseconds: nowMs)
        for change in board.takeChanges(at: now) {
            guard let watch = watches[change.app], let app = apps[change.app] else { continue }
            do {
                var createdMs: Int64?
                let receivers = try store.read { (transaction) throws(StorageError) in
                    createdMs = try Accounts.created(
                        [change.user], app: app, in: transaction)[0]
                    return try Onlookers.ofPresence(
                        of: change.user, among: watch.users, at: now, app: app, in: transaction)
                }
                guard let createdMs, !receivers.isEmpty else { continue }
                // What is known of an earlier account of the id is nobody's any more.
                let presence = board.presence(
                    of: change.user, app: app.id, createdMs: createdMs, at: now)
                guard !presence.devices.isEmpty else { continue }
                var event = ChangeEvent(.presence, at: now, [presence])
                event.userID = change.user.text
                try tell(
                    receivers, event.bytes(arena), .presence, lane: 0, position: 0, watch)
            } catch {
                // A stream that begins anew is told how it then is.
                lost()
            }
        }
    }

    // MARK: Time, losses, the end

    private func tick() {
        for stream in turns.late(at: nowMs) { out.add(.expire, to: stream) }
        for watch in watches.values {
            guard apps[watch.app] != nil else {
                for stream in watch.streams.values {
                    out.add(.fail(.unknownApp(watch.app)), to: stream)
                }
                continue
            }
            beat(watch)
            for stream in watch.streams.values where stream.isGuarded {
                out.add(.look, to: stream)
            }
        }
    }

    private func beat(_ watch: AppWatch) {
        var heartbeat: WatchMessage?
        for stream in watch.streams.values {
            guard let plan = stream.plan, plan.heartbeatMs > 0,
                stream.lastSentMs + plan.heartbeatMs <= nowMs
            else { continue }
            // Nothing but a token, which always encodes.
            heartbeat =
                heartbeat
                ?? (try? WatchMessage(
                    [], token: WatchToken(watch.point, app: watch.app), arena))
            if let heartbeat { send(heartbeat, to: stream) }
        }
    }

    private func lost() {
        for watch in watches.values {
            guard let app = apps[watch.app], let point = point(of: app) else { continue }
            watch.point = point
            for stream in watch.streams.values { out.add(.lost, to: stream) }
        }
    }

    private func stop() {
        for watch in watches.values {
            for stream in watch.streams.values { out.add(.stop, to: stream) }
        }
    }
}

/// What goes to streams at the end of the hub's turn: one hop for each loop.
private struct Deliveries {
    private var handles: [CallHandle] = []
    private var streams: [WatchStream] = []
    private var actions: [WatchAction] = []

    mutating func add(_ action: WatchAction, to stream: WatchStream) {
        guard let handle = stream.handle else { return }
        handles.append(handle)
        streams.append(stream)
        actions.append(action)
    }

    mutating func post() {
        guard !handles.isEmpty else { return }
        CallHandle.resume(handles) { [streams, actions] number, call in
            streams[number].perform(actions[number], call)
        }
        self = Deliveries()
    }
}

/// What the hub tells a stream to do.
enum WatchAction: Sendable {
    case begin
    case message(WatchMessage)
    case lost
    case expire
    /// See whether the caller would still be let in.
    case look
    case stop
    case fail(RPCError)
}

extension WatchStream {
    func perform(_ action: WatchAction, _ call: ServerCall) {
        switch action {
        case .begin: begin(call)
        case .message(let message): deliver(message, call)
        case .lost: lost(call)
        case .expire: expire(call)
        case .look: isStillAdmitted(call)
        case .stop: stop(call)
        case .fail(let error): fail(error, call)
        }
    }
}

extension RPCError {
    fileprivate static var storeIsAway: RPCError {
        RPCError(StorageError(.unavailable, "the feed's lanes cannot be read"))
    }
}
