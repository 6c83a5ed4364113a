import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import Storage

/// The work of the hub, of which no two pieces run at once.
///
/// ``AppWatch`` says why properties are `@exclusivity(unchecked)`.
///
/// `@unchecked Sendable`: the hub ensures that.
final class WatchCore: @unchecked Sendable {
    private let store: any Store
    private let apps: Apps
    private let board: PresenceBoard
    @exclusivity(unchecked) private var watches: [UInt32: AppWatch] = [:]
    private var openings = OpeningQueue()
    @exclusivity(unchecked) private var consumers = ConsumerStreams()
    private let arena = Arena()
    @exclusivity(unchecked) private var out = Outbox()
    /// The events of the commit that is being reported; the array is kept for its memory.
    @exclusivity(unchecked) private var events: [Found] = []
    /// Whether they are in the order of the feed, by app; to find that out costs a twentieth of
    /// sorting them.
    @exclusivity(unchecked) private var isInOrder = true
    /// The last of them.
    @exclusivity(unchecked) private var last: (app: UInt32, position: Int64) = (0, 0)
    /// The time and the number of the present pass.
    @exclusivity(unchecked) private var nowMs: Int64 = 0
    @exclusivity(unchecked) private var pass = 0
    /// Learns which apps streams follow; see ``ChangeHub/followApps(_:)``.
    var onApp: (UInt32, Int64?) -> Void = { _, _ in }

    /// An event of a commit.
    ///
    /// It keeps no watch and no stream, since a pass may have thousands of events. ``watches`` keep
    /// them: only streams that open and close change these, and none does while a commit is
    /// reported.
    private struct Found {
        let watch: Unmanaged<AppWatch>
        let event: StoredEvent
        /// The streams that follow its user.
        let own: StreamSet.View
        /// The number of the app.
        let app: UInt32
    }

    init(store: any Store, apps: Apps, board: PresenceBoard) {
        self.board = board
        self.store = store
        self.apps = apps
    }

    deinit {
        arena.free()
    }

    /// Performs `inputs`, and adds the resulting work for loops to `work`.
    func process(_ inputs: [ChangeHub.Input], at now: Timestamp, _ work: inout LoopWork) {
        begin(at: now)
        for input in inputs {
            switch input {
            case .open(let stream): open(stream)
            case .opened(let stream): begin(openings.remove(stream))
            case .paused(let stream): begin(openings.pause(stream, at: nowMs))
            case .reopened(let stream): begin(openings.add(stream))
            case .claimed(let stream): claim(stream)
            case .close(let stream): close(stream)
            case .commit(let rows): commit(rows)
            case .presence: notifyOfPresence()
            case .lost: lost()
            case .tick: tick()
            }
        }
        out.post(in: &work, arena)
        arena.reset()
    }

    /// Reports a commit if this needs no reading and few messages; otherwise does nothing.
    ///
    /// - Returns: Whether it has reported the commit.
    func process(
        _ rows: [EventRow], atMost messages: Int, at now: Timestamp, _ work: inout LoopWork
    ) -> Bool {
        begin(at: now)
        defer {
            events.removeAll(keepingCapacity: true)
            arena.reset()
        }
        do throws(CodecError) {
            try read(rows)
        } catch {
            return false
        }
        var count = 0
        for found in events {
            let own = found.own.count
            let watch = found.watch.takeUnretainedValue()
            count += own + watch.all.count
            let mayHaveOthers =
                found.event.reachesOthers && watch.users.count > (own > 0 ? 1 : 0)
            guard !mayHaveOthers, count <= messages else { return false }
        }
        notifyAll()
        out.post(in: &work, arena)
        return true
    }

    private func begin(at now: Timestamp) {
        nowMs = now.milliseconds
        pass += 1
    }

    /// Whether no stream is left.
    var isIdle: Bool {
        for watch in watches.values { watch.checkInvariants() }
        return watches.isEmpty && openings.isEmpty && consumers.isEmpty
    }

    // MARK: Streams

    private func open(_ stream: WatchStream) {
        guard let plan = stream.plan else { return }
        guard let app = apps[plan.app.id] else {
            return out.add(.fail(apps.missing(plan.app.id)), to: stream)
        }
        let watch: AppWatch
        if let known = watches[plan.app.id] {
            watch = known
            watch.sign(as: app)
        } else {
            // Read before the stream reads anything, so the stream's own read includes every event
            // that the hub passes over.
            guard let position = position(of: plan.app) else {
                return out.add(.fail(.storeIsAway), to: stream)
            }
            watch = AppWatch(app, position: position)
            watches[plan.app.id] = watch
            onApp(plan.app.id, position)
        }
        stream.lastSentMs = nowMs
        watch.add(stream, plan)
        begin(openings.add(stream))
    }

    private func begin(_ streams: [WatchStream]) {
        for stream in streams { out.add(.begin, to: stream) }
    }

    private func close(_ stream: WatchStream) {
        guard let plan = stream.plan else { return }
        begin(openings.remove(stream))
        consumers.remove(stream)
        guard let watch = watches[plan.app.id], watch.remove(stream, plan) else { return }
        if watch.isEmpty {
            watches[plan.app.id] = nil
            onApp(plan.app.id, nil)
        }
    }

    /// Ends the stream before, which another one of its consumer replaces.
    private func claim(_ stream: WatchStream) {
        guard let (former, present) = consumers.claim(stream) else { return }
        out.add(.fail(.readerFenced(present: present)), to: former)
    }

    /// The position of the latest event of `app`; nil if the store is away.
    private func position(of app: App) -> Int64? {
        try? store.read { (transaction) throws(StorageError) in
            try Feed.state(of: app, in: transaction).position
        }
    }

    // MARK: Commits

    private func commit(_ rows: [EventRow]) {
        do throws(CodecError) {
            try read(rows)
            notifyAll()
        } catch {
            // An event that cannot be sent here can be read from the log.
            lost()
        }
        events.removeAll(keepingCapacity: true)
    }

    /// Reports the events that ``read(_:)`` found.
    private func notifyAll() {
        do throws(CodecError) {
            // No notification changes the list.
            let events = events
            for index in events.indices {
                try events[index].watch.borrowed { (watch) throws(CodecError) in
                    try notify(of: events[index], watch)
                }
            }
        } catch {
            lost()
        }
    }

    private func notify(of found: Found, _ watch: AppWatch) throws(CodecError) {
        let event = found.event
        guard !watch.hasReached(event.position) else { return }
        // One event may be several messages for a stream of several users. Messages about other
        // users come first, with the token from before the event, so that none is lost.
        if event.isOfProfile { try notifyProfileSubscribers(event, watch) }
        if event.kind == .statusChanged { try notifyOfStatus(event, watch) }
        try notifyFollowers(found.own, of: event, watch)
        // Moved only now, so that an event that could not be sent stays after the streams'
        // positions.
        watch.reach(event.position)
    }

    /// Reads the events that rows report.
    ///
    /// The events of each app are in the order of its feed, whatever the order of the rows.
    private func read(_ rows: [EventRow]) throws(CodecError) {
        var known: UInt32?
        var watch: Unmanaged<AppWatch>?
        (isInOrder, last) = (true, (0, 0))
        // Rows are read where they are: to take one out counts its references.
        for index in rows.indices {
            let app = rows[index].key.app
            if known != app {
                known = app
                // Kept by `watches`, which no commit changes.
                watch = watches[app].map(Unmanaged.passUnretained)
            }
            guard let watch else { continue }
            if rows[index].key.kind == Tables.changes.kind {
                found(try StoredEvent(rows[index]), watch)
            } else {
                for event in try StoredEvent.ofFeed(rows[index], arena) { found(event, watch) }
            }
        }
        sort()
    }

    /// Puts the events of each app in their order, if they are not in it.
    private func sort() {
        guard !isInOrder else { return }
        events.sort { one, other in
            (one.app, one.event.position) < (other.app, other.event.position)
        }
    }

    /// - Parameter watch: The app's streams, which the core keeps during a pass.
    private func found(_ event: StoredEvent, _ watch: Unmanaged<AppWatch>) {
        let (app, own) = watch._withUnsafeGuaranteedRef { watch in
            (watch.app, watch.view(of: event.user))
        }
        events.append(Found(watch: watch, event: event, own: own, app: app))
        isInOrder = isInOrder && last <= (app, event.position)
        last = (app, event.position)
    }

    private func notifyFollowers(
        _ own: StreamSet.View, of event: StoredEvent, _ watch: AppWatch
    ) throws(CodecError) {
        let hasAll = !watch.all.isEmpty
        guard own.count > 0 || hasAll, let views = watch.views(of: apps, in: pass) else { return }
        let isEnd = event.kind == .accountDeleted
        if isEnd { notifyOfMissing(event, to: watch.users[event.user] ?? StreamSet(), watch) }
        var numbers = Numbers()
        switch own {
        case .none: break
        case .one(let stream):
            try stream.borrowed { (stream) throws(CodecError) in
                try notify(stream, of: event, views, &numbers, watch)
            }
        case .many:
            for stream in watch.users[event.user] ?? StreamSet() {
                try notify(stream, of: event, views, &numbers, watch)
            }
        }
        if hasAll {
            try watch.all.each { (stream) throws(CodecError) in
                try notify(stream, of: event, views, &numbers, watch)
            }
        }
        guard isEnd else { return }
        for stream in watch.users[event.user] ?? StreamSet() {
            guard case .user = stream.plan?.scope else { continue }
            out.add(.fail(.unknownUser(event.user)), to: stream)
        }
    }

    /// Names the deleted user to the streams of several users.
    ///
    /// This comes before the event, with the token from before it. So a stream that breaks between
    /// the two is sent again.
    private func notifyOfMissing(_ event: StoredEvent, to streams: StreamSet, _ watch: AppWatch) {
        let several = streams.filter { $0.plan?.namesReceivers == true }
        guard !several.isEmpty else { return }
        let number = out.add(
            0..<0, position: event.position, EventUsers(missing: [event.user.text]), isAll: false,
            in: watch)
        for stream in several { deliver(number, to: stream) }
    }

    /// The numbers of one event in the outbox, as administrators and as others see it.
    private struct Numbers {
        var toAdmins: Int?
        var toOthers: Int?
    }

    private func notify(
        _ stream: WatchStream, of event: StoredEvent, _ views: AppViews, _ numbers: inout Numbers,
        _ watch: AppWatch
    ) throws(CodecError) {
        guard let plan = stream.heldPlan else { return }
        let isWanted = try plan.borrowed { (plan) throws(CodecError) in
            try plan.wants(event, arena)
        }
        guard isWanted else { return }
        let isAdmin = plan._withUnsafeGuaranteedRef(\.isAdmin)
        if let known = isAdmin ? numbers.toAdmins : numbers.toOthers {
            return deliver(known, to: stream)
        }
        let start = out.events.count
        try event.write(isAdmin ? views.ofAdmins : views.ofOthers, arena, to: out.events)
        let number = out.add(
            start..<out.events.count, position: event.position, in: watch)
        if isAdmin { numbers.toAdmins = number } else { numbers.toOthers = number }
        deliver(number, to: stream)
    }

    private func deliver(_ number: Int, to stream: WatchStream) {
        stream.lastSentMs = nowMs
        out.deliver(number, to: stream)
    }

    // MARK: Others' profiles

    /// Notifies the users that follow the profile of this event's user, each of the part that it
    /// sees.
    private func notifyProfileSubscribers(
        _ event: StoredEvent, _ watch: AppWatch
    ) throws(CodecError) {
        guard let app = watch.views(of: apps, in: pass)?.app else { return }
        guard watch.users.count > (watch.users[event.user] == nil ? 0 : 1) else { return }
        let record = try event.record(arena)
        guard let item = record.items.first else { return }
        let groups: [ProfileSubscribers.SharedView]
        var profile = ProfileRecord()
        let now = Timestamp(milliseconds: nowMs)
        do throws(StorageError) {
            groups = try store.read { (transaction) throws(StorageError) in
                let receivers = try ProfileSubscribers.ofProfile(
                    of: event.user, among: watch.watched, at: now, app: app, in: transaction)
                guard !receivers.isEmpty else { return [] }
                profile = try Profiles.record(of: event.user, app: app, in: transaction)
                return try ProfileSubscribers.views(
                    of: event.user, profile, changing: item, by: receivers, app: app,
                    in: transaction)
            }
        } catch {
            throw CodecError(.malformed, "the receivers of an event are not known: \(error)")
        }
        for group in groups {
            let seen = item.visiblePart(
                of: event.kind, seen: group.view, before: group.before, now: profile, app.settings)
            guard let seen else { continue }
            var change = ChangeRecord()
            change.kind = event.kind
            change.timeMs = record.timeMs
            change.actorUserID = record.actorUserID
            change.feedPosition = event.position
            change.items = [seen]
            try notify(
                group.viewers, EventSuffix(event.user).bytes(ending: change, arena), event.kind,
                position: event.position, watch)
        }
    }

    /// Notifies the streams that follow `receivers` of an event that is in no log of theirs.
    private func notify(
        _ receivers: [UserID], _ event: [UInt8], _ kind: ChangeKind, position: Int64,
        _ watch: AppWatch
    ) throws(CodecError) {
        let start = out.events.count
        out.events.append(event)
        let event = start..<out.events.count
        var shared: Int?
        // A stream that follows several receivers gets one message, which names them.
        var several: [ObjectIdentifier: (stream: WatchStream, users: [String])] = [:]
        for receiver in receivers {
            for stream in watch.users[receiver] ?? StreamSet() {
                guard let plan = stream.plan, plan.wants(kind) else { continue }
                guard !plan.namesReceivers else {
                    several[ObjectIdentifier(stream), default: (stream, [])].users
                        .append(receiver.text)
                    continue
                }
                let number = shared ?? out.add(event, position: position, in: watch)
                shared = number
                deliver(number, to: stream)
            }
        }
        for (stream, users) in several.values {
            let number = out.add(
                event, position: position, EventUsers(receivers: users.sorted()), isAll: false,
                in: watch)
            deliver(number, to: stream)
        }
    }

    // MARK: Presence

    /// Notifies friends and subscribers of the presence of the users that changed.
    private func notifyOfPresence() {
        let now = Timestamp(milliseconds: nowMs)
        for change in board.takeChanges(at: now) {
            guard let watch = watches[change.app], let app = apps[change.app] else { continue }
            do {
                try notifyOfPresence(
                    of: change.user, app, watch, withoutDevices: change.isLost, position: 0)
            } catch {
                // A stream that begins again gets the presence of that time.
                lost()
            }
        }
    }

    /// Notifies friends and subscribers of the custom status of this event's user, as a part of its
    /// presence.
    private func notifyOfStatus(_ event: StoredEvent, _ watch: AppWatch) throws(CodecError) {
        guard let app = watch.views(of: apps, in: pass)?.app else { return }
        guard watch.users.count > (watch.users[event.user] == nil ? 0 : 1) else { return }
        do {
            try notifyOfPresence(
                of: event.user, app, watch, withoutDevices: true, position: event.position)
        } catch {
            throw CodecError(.malformed, "the receivers of an event are not known: \(error)")
        }
    }

    /// Notifies friends and subscribers of the presence of one user.
    ///
    /// - Parameter withoutDevices: Whether they are notified also if no device and no status is
    ///   known.
    private func notifyOfPresence(
        of user: UserID, _ app: App, _ watch: AppWatch, withoutDevices: Bool, position: Int64
    ) throws {
        let now = Timestamp(milliseconds: nowMs)
        var known: Presence?
        var status: StatusRecord?
        let receivers = try store.read { (transaction) throws(StorageError) in
            let userRecords = try Accounts.records(of: [user], app: app, in: transaction)
            known = try board.presence(
                of: [user], with: userRecords, app: app, at: now, in: transaction)[0]
            status = try Statuses.records(of: [user], at: now, app: app, in: transaction)[0]
            return try PresenceSubscribers.users(
                of: user, among: watch.watched, at: now, app: app, in: transaction)
        }
        // Presence of an earlier account under the same id belongs to no user.
        guard var presence = known, !receivers.isEmpty else { return }
        presence.show(status)
        guard !presence.devices.isEmpty || withoutDevices else { return }
        var event = ChangeEvent(.presence, at: now, [presence])
        event.userID = user.text
        try notify(receivers, event.bytes(arena), .presence, position: position, watch)
    }

    // MARK: Time and losses

    private func tick() {
        for stream in openings.late(at: nowMs) { out.add(.expire, to: stream) }
        for (stream, present) in consumers.fenced(in: store) {
            out.add(.fail(.readerFenced(present: present)), to: stream)
        }
        for watch in watches.values {
            guard apps[watch.app] != nil else {
                for stream in watch.streams {
                    out.add(.fail(apps.missing(watch.app)), to: stream)
                }
                continue
            }
            sendHeartbeats(watch)
            for stream in watch.streams where stream.needsCheck {
                out.add(.check, to: stream)
            }
        }
    }

    private func sendHeartbeats(_ watch: AppWatch) {
        var heartbeat: Int?
        for stream in watch.streams {
            guard let plan = stream.plan, plan.heartbeatMs > 0,
                stream.lastSentMs + plan.heartbeatMs <= nowMs
            else { continue }
            let number = heartbeat ?? out.add(0..<0, in: watch)
            heartbeat = number
            deliver(number, to: stream)
        }
    }

    private func lost() {
        // The events before this one were sent up to the present position of the streams.
        out.seal(arena)
        for watch in watches.values {
            guard let app = apps[watch.app] else { continue }
            // If the store is away, later events come again: a stream skips those that it reads.
            watch.skip(to: position(of: app) ?? watch.position)
            for stream in watch.streams { out.add(.lost, to: stream) }
        }
    }
}

extension RPCError {
    fileprivate static var storeIsAway: RPCError {
        RPCError(StorageError(.unavailable, "the feed cannot be read"))
    }
}
