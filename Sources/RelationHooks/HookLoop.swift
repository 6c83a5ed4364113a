package import RelationAdmission
package import RelationCalls
import RelationChanges
package import RelationCore
import RelationModel
package import Storage
import Webhooks

/// The delivery of all hooks of this server: one pass after another, on one thread.
///
/// A pass learns which hooks there are, takes those that no server has, reads their events, hands
/// out requests, and stores how far they have come. The results of requests come in between.
///
/// `@unchecked Sendable`: only the driver's thread touches it.
package final class HookLoop: @unchecked Sendable {
    let store: any Store
    let apps: Apps
    /// The time since 1970, for what is stored or sent.
    ///
    /// It may be set.
    let clock: ServiceClock
    /// A time in milliseconds that never goes back, for pauses and ages.
    private let steady: @Sendable () -> Int64
    let holder: String
    let send: HookSend
    /// Brings a result back to the thread.
    let post: @Sendable (@escaping @Sendable (HookLoop) -> Void) -> Void
    let sharesStore: Bool
    /// The servers of the store, this one included, as far as is known.
    private let servers: @Sendable () -> Int
    private let mostHeldBytes: Int

    private(set) var hooks: [HookKey: ServedHook] = [:]
    /// Hooks that get no more events, until their last requests have ended.
    ///
    /// A hook that comes back meanwhile still knows the lives of these requests. Each has such a
    /// request, so there are at most ``HookLimits/requests``.
    private var leaving: [HookKey: ServedHook] = [:]
    /// The keys in the order of the passes; a pass begins after the last one's beginning.
    private var order: [HookKey] = []
    /// The same, beginning with another hook in each pass.
    var rotated: [HookKey] = []
    private var round = 0
    /// The servers when hooks were last given to others.
    private var knownServers = 1
    private var generation: UInt64?
    var underWay = 0
    var underWayOfApp: [UInt32: Int] = [:]
    private var heldBytes = 0
    private var heldOfApp: [UInt32: Int] = [:]
    package internal(set) var counts = HookCounts()
    var isStopping = false
    private var seed: UInt64
    /// The number of the last login or logout that was sent.
    var lastState: UInt64 = 0
    /// Questions without an answer that are to be stored among the failures of their hooks.
    var noted: [HookKey: [HookFailureRecord]] = [:]
    var notedMs: Int64 = 0
    /// When it last looked whether there were erasures.
    var erasuresMs: Int64 = 0

    package init(
        store: any Store, apps: Apps, clock: ServiceClock,
        steady: @escaping @Sendable () -> Int64, holder: String, seed: UInt64,
        sharesStore: Bool, servers: @escaping @Sendable () -> Int = { 1 },
        heldBytes limit: Int = HookLimits.heldBytes, send: @escaping HookSend,
        post: @escaping @Sendable (@escaping @Sendable (HookLoop) -> Void) -> Void
    ) {
        self.store = store
        self.apps = apps
        self.clock = clock
        self.steady = steady
        self.holder = holder
        self.seed = seed
        self.send = send
        self.post = post
        self.sharesStore = sharesStore
        self.servers = servers
        mostHeldBytes = limit
    }

    /// The end of a lease that begins now; a store that no other server has needs no words of it.
    func leaseEnd(at now: Int64) -> Int64 {
        sharesStore ? now + HookLimits.leaseMilliseconds : .max / 2
    }

    /// The moment of the steady clock.
    var now: Int64 { steady() }
    /// The time since 1970.
    var wall: Int64 { clock.now().milliseconds }

    /// The moment of the steady clock at which something of that time since 1970 was.
    ///
    /// A time in the future is now: the clock that wrote it was wrong, or this one is.
    private func moment(of time: Int64) -> Int64 { now - max(0, wall - time) }

    // MARK: A pass

    /// Does all that is due now.
    package func pass() throws(StorageError) {
        readHooks()
        rotate()
        shareOut()
        try endErased()
        try claimHooks()
        measure()
        try readAll()
        for key in rotated {
            guard let served = hooks[key] else { continue }
            pump(served)
            pumpStates(served)
        }
        counts.count(hooks.values, at: now)
        try storeDue()
        try storeNoted()
    }

    /// Reads which hooks the apps have now.
    func readHooks() {
        let present = apps.generation
        guard present != generation else { return }
        generation = present
        var seen: Set<HookKey> = []
        for app in apps.all(after: 0) {
            for hook in app.settings.hooks where !hook.asksOnly {
                let key = HookKey(app: app.id, hook: HookID(hook.id))
                seen.insert(key)
                guard let served = hooks[key] else {
                    let served = leaving.removeValue(forKey: key) ?? ServedHook(key, hook)
                    served.hook = hook
                    served.nextTakeMs = 0
                    hooks[key] = served
                    continue
                }
                let isOther = hook.revision != served.hook.revision || hook.isPaused
                let goesOn = served.hook.isPaused && !hook.isPaused
                if hook.url != served.hook.url { served.move(at: now) }
                served.hook = hook
                if served.isHeld { served.isEnding = served.isEnding || isOther }
                if isOther || goesOn { served.waitsForNothing() }
            }
        }
        for (key, served) in hooks where !seen.contains(key) {
            served.end(retryAt: .max)
            hooks[key] = nil
            if served.underWay > 0 { leaving[key] = served }
        }
        order = hooks.keys.sorted { ($0.app, $0.hook.text) < ($1.app, $1.hook.text) }
    }

    /// Puts the hooks in the order of the pass, which begins with another one each time.
    private func rotate() {
        round &+= 1
        let first = order.isEmpty ? 0 : round % order.count
        rotated = Array(order[first...] + order[..<first])
    }

    // MARK: Leases

    /// The hooks that this server delivers for while the others do their part.
    private var fairShare: Int {
        let active = hooks.values.count { !$0.hook.isPaused }
        return (active + knownServers - 1) / knownServers
    }

    /// Gives hooks back that are beyond the fair share, once after the number of servers changed.
    ///
    /// A hook that no other server takes within ``HookLimits/spareMilliseconds`` is taken again. So
    /// a server that delivers no hooks costs such a pause, and no event.
    private func shareOut() {
        guard sharesStore, !isStopping else { return }
        let present = max(1, servers())
        guard present != knownServers else { return }
        let grows = present > knownServers
        knownServers = present
        guard grows else { return }
        var excess = hooks.values.count(where: \.isHeld) - fairShare
        for key in rotated where excess > 0 {
            guard let served = hooks[key], served.isHeld, !served.isEnding else { continue }
            served.isEnding = true
            served.isSpare = true
            excess -= 1
        }
    }

    /// Takes hooks that are due, and that no other server has.
    private func claimHooks() throws(StorageError) {
        guard !isStopping else { return }
        let now = now
        let due = rotated.filter { key in
            guard let served = hooks[key] else { return false }
            return !served.isHeld && !served.hook.isPaused && served.nextTakeMs <= now
        }
        guard !due.isEmpty else { return }
        var room = sharesStore ? fairShare - hooks.values.count(where: \.isHeld) : .max
        for part in due.parts(of: HookLimits.hooksPerWrite) {
            let free = try free(among: part, at: now, &room)
            let leaseEnd = leaseEnd(at: wall)
            let steps = free.map { key in
                var step = HookStep(app: key.app, hook: key.hook, holder: holder)
                step.leaseUntilMs = leaseEnd
                step.ended = hooks[key]?.foreignLease
                return step
            }
            for (step, row) in try write(steps) {
                guard let row, let served = hooks[HookKey(app: step.app, hook: step.hook)],
                    let app = apps[step.app]
                else { continue }
                begin(served, row, app, at: now)
            }
        }
    }

    /// The hooks that no server has and that this one is to take; the others are looked at again.
    ///
    /// - Parameter room: How many more are within the fair share.
    private func free(
        among keys: ArraySlice<HookKey>, at now: Int64, _ room: inout Int
    ) throws(StorageError) -> [HookKey] {
        let rows = try store.read(reaching: .disk) { (transaction) throws(StorageError) in
            var rows: [HookProgressRecord?] = []
            for key in keys {
                let app = App(id: key.app, settings: .tim)
                rows.append(try Hooks.progress(of: key.hook, app, in: transaction))
            }
            return rows
        }
        var free: [HookKey] = []
        for (key, row) in zip(keys, rows) {
            guard let served = hooks[key] else { continue }
            served.nextTakeMs = now + HookLimits.retakeMilliseconds
            served.isStopped = row.map { $0.stoppedMs != 0 } ?? false
            guard let row, mayTake(row, served, at: now) else {
                served.freeSinceMs = nil
                if let row, row.stoppedMs == 0 {
                    // A dead server is followed when its lease ends, not at the next usual look.
                    let left = max(1, row.leaseUntilMs - wall)
                    served.nextTakeMs = min(served.nextTakeMs, now + left)
                }
                continue
            }
            let since = served.freeSinceMs ?? now
            served.freeSinceMs = since
            guard room > 0 || now - since >= HookLimits.spareMilliseconds else { continue }
            room -= 1
            free.append(key)
        }
        return free
    }

    private func mayTake(
        _ row: HookProgressRecord, _ served: ServedHook, at now: Int64
    ) -> Bool {
        guard row.stoppedMs == 0 else { return false }
        let isFree =
            !sharesStore || row.holder.isEmpty || row.holder == holder
            || row.leaseUntilMs <= wall
        return isFree || served.hasSeenEnd(ofLeaseIn: row, at: now)
    }

    /// Begins a life of a hook that was taken.
    private func begin(
        _ served: ServedHook, _ row: HookProgressRecord, _ app: App, at now: Int64
    ) {
        var progress = DeliveryProgress(lowWater: row.position)
        progress.later = stride(from: 0, to: row.later.count - 1, by: 2).compactMap { index in
            let (first, last) = (row.later[index], row.later[index + 1])
            return first <= last ? first...last : nil
        }
        let isOfHistory = row.historyID == app.history.id
        served.historyID = app.history.id
        served.round = row.round
        served.erasures = row.erasures
        served.leaseUntil = leaseEnd(at: now)
        served.foreignLease = nil
        served.resumeFailures(row, at: now, wall: wall)
        served.stoppedMs = 0
        served.freeSinceMs = nil
        served.stored = progress
        served.storedMs = now
        served.readThrough = isOfHistory ? row.position : -1
        if !isOfHistory { progress = DeliveryProgress(lowWater: 0) }
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        served.queue = DeliveryQueue(
            settings(of: served.hook), from: progress,
            failing: isOfHistory ? failing(row) : [:], seed: seed)
        counts.taken += 1
    }

    /// The moments since which events fail.
    ///
    /// The time in which no server had the hook does not count: they are later by it.
    private func failing(_ row: HookProgressRecord) -> [Int64: Int64] {
        let away = row.storedMs == 0 ? 0 : max(0, wall - row.storedMs)
        var failing: [Int64: Int64] = [:]
        for index in stride(from: 0, to: row.failing.count - 1, by: 2) {
            failing[row.failing[index]] = min(now, moment(of: row.failing[index + 1]) + away)
        }
        return failing
    }

    private func settings(of hook: HookRecord) -> DeliverySettings {
        var settings = DeliverySettings()
        settings.waitingEvents = HookLimits.waitingEvents
        settings.waitingBytes = HookLimits.waitingBytes
        settings.batchEvents = hook.form == .timCallbacks ? 1 : max(1, Int(hook.batchSize))
        settings.parallelBatches = HookLimits.requestsOfHook
        settings.retriesForMilliseconds = HookLimits.retriesMilliseconds
        settings.countedGapMilliseconds = HookLimits.countedGapMilliseconds
        settings.parkedEvents = HookLimits.parkedEvents
        settings.laterRanges = HookLimits.laterRanges
        return settings
    }

    // MARK: Reading

    /// Counts the memory that waits.
    private func measure() {
        heldBytes = 0
        heldOfApp = [:]
        for (key, served) in hooks {
            let bytes = served.heldBytes
            heldBytes += bytes
            if bytes > 0 { heldOfApp[key.app, default: 0] += bytes }
        }
    }

    private func readAll() throws(StorageError) {
        guard !isStopping else { return }
        let ends = try feedEnds()
        for key in rotated {
            guard let served = hooks[key], let end = ends[key.app], served.readThrough < end
            else { continue }
            try read(served)
        }
        // Receivers that are away hold no memory that others need. An app alone holds half of all,
        // so this begins below that.
        guard heldBytes > mostHeldBytes * 3 / 8 else { return }
        for served in hooks.values where served.underWay == 0 {
            guard served.queue?.counts().isOutage == true else { continue }
            served.isEnding = true
            served.givesRoom = true
        }
    }

    /// The positions of the latest events of the apps, read together: most apps have no new ones.
    private func feedEnds() throws(StorageError) -> [UInt32: Int64] {
        var ids: Set<UInt32> = []
        for served in hooks.values where served.isHeld { ids.insert(served.key.app) }
        let present = ids.compactMap { apps[$0] }
        guard !present.isEmpty else { return [:] }
        let ends = try store.read(reaching: .disk) { (transaction) throws(StorageError) in
            try Feed.positions(of: present, in: transaction)
        }
        return Dictionary(zip(present.map(\.id), ends)) { first, _ in first }
    }

    /// Whether the hook's app has room for one more page.
    private func hasRoom(_ app: UInt32) -> Bool {
        let free = mostHeldBytes - heldBytes
        return free > 0 && heldOfApp[app, default: 0] <= free
    }

    /// Reads a page of a hook's events, if it has room.
    private func read(_ served: ServedHook) throws(StorageError) {
        guard served.mayRead, let app = apps[served.key.app], hasRoom(app.id) else { return }
        let (hook, after) = (served.hook, served.readThrough)
        let page = try store.read(reaching: .disk) { (transaction) throws(StorageError) in
            guard after >= 0 else {
                // The position is of another history: all that is known of this one is its end.
                var page = FeedPage(reached: 0)
                page.trimmedTo = try Feed.state(of: app, in: transaction).position
                return page
            }
            return try FeedPage.read(
                app, after: after, kinds: Set(hook.kinds), usersOnly: hook.usersOnly,
                asJSON: hook.form != .timCallbacks && hook.form != .grpc,
                asMessages: hook.form == .grpc, in: transaction)
        }
        let forms = HookForms(app: app, hook: hook)
        guard var queue = served.queue.take() else { return }
        defer { served.queue = queue }
        let before = queue.counts().waitingBytes
        if let end = page.trimmedTo {
            try mark(served, &queue, forms, to: end)
        } else if page.reached > after {
            served.readThrough = try offer(page, to: &queue, forms)
            queue.read(through: served.readThrough)
        }
        let more = queue.counts().waitingBytes - before
        heldBytes += more
        heldOfApp[app.id, default: 0] += more
    }

    /// Puts the marker of events that are gone into the queue, once all before it were tried.
    ///
    /// Events before it that fail may come after it: they may take days. No event after it in the
    /// log is read before it was delivered.
    private func mark(
        _ served: ServedHook, _ queue: inout DeliveryQueue, _ forms: HookForms, to end: Int64
    ) throws(StorageError) {
        let counts = queue.counts()
        guard counts.waitingEvents == counts.parkedEvents else { return }
        guard end > 0 else {
            served.readThrough = 0
            return
        }
        var event = try forms.trimmed(after: max(0, served.readThrough), to: end, at: wall)
        event.timeMilliseconds = now
        queue.forgetSettled(through: end)
        guard case .taken = queue.offer(event) else { return }
        queue.read(through: end)
        served.readThrough = end
        self.counts.trimmed += 1
    }

    /// - Returns: The position up to which the queue has all events.
    private func offer(
        _ page: FeedPage, to queue: inout DeliveryQueue, _ forms: HookForms
    ) throws(StorageError) -> Int64 {
        for event in page.events {
            guard var event = try forms.event(event) else { continue }
            event.timeMilliseconds = moment(of: event.timeMilliseconds)
            if case .full = queue.offer(event) { return event.position - 1 }
        }
        return page.reached
    }

    // MARK: Sending

    /// Hands out the requests of a hook that may go out now.
    private func pump(_ served: ServedHook) {
        let now = now
        guard !isStopping, !served.isEnding, served.strays == 0, served.maySend(at: now),
            let app = apps[served.key.app], var queue = served.queue.take()
        else { return }
        defer { served.queue = queue }
        let forms = HookForms(app: app, hook: served.hook)
        while served.maySend(at: now), underWay < HookLimits.requests,
            underWayOfApp[app.id, default: 0] < max(1, HookLimits.requests - underWay),
            let batch = queue.next(now: now)
        {
            underWay += 1
            underWayOfApp[app.id, default: 0] += 1
            served.underWay += 1
            counts.requests += 1
            let (key, life, url, post) = (served.key, served.life, served.hook.url, post)
            let done: @Sendable (HookResult) -> Void = { result in
                post { $0.complete(key, life, batch, result, from: url) }
            }
            do throws(StorageError) {
                var request = try forms.request(batch, at: wall)
                request.endMs = now + HookLimits.requestMilliseconds
                send(request, done)
            } catch {
                done(HookResult(.failed(why: error.message), status: 0))
            }
        }
    }

    private func complete(
        _ key: HookKey, _ life: Int, _ batch: DeliveryBatch, _ result: HookResult,
        from url: String
    ) {
        underWay -= 1
        underWayOfApp[key.app, default: 1] -= 1
        if underWayOfApp[key.app] == 0 { underWayOfApp[key.app] = nil }
        counts.note(result)
        guard let served = hooks[key] ?? leaving[key] else { return }
        served.underWay -= 1
        if served.underWay == 0 { leaving[key] = nil }
        guard served.life == life, let app = apps[key.app], var queue = served.queue.take() else {
            served.strays = max(0, served.strays - 1)
            return
        }
        let (now, wall) = (now, wall)
        let forms = HookForms(app: app, hook: served.hook)
        // An answer of a former receiver does not end the hook.
        let outcome = served.hook.url == url ? result.outcome : result.outcome.ofFormerReceiver
        let report = queue.complete(batch.id, outcome, now: now)
        served.queue = queue
        served.note(outcome, of: batch, at: now, wall: wall)
        if let failure = forms.failure(batch, result, at: wall) { served.failures.append(failure) }
        served.failures += report.givenUp.map { forms.failure($0, result.status, at: wall) }
        served.failures = served.failures.suffix(HookLimits.failuresPerWrite)
        served.isDirty = true
        counts.givenUp += UInt64(report.givenUp.count)
        let isOver =
            served.failingSinceMs > 0 && served.failingForMs >= HookLimits.outageMilliseconds
        if report.pauses != nil || isOver {
            served.stoppedMs = wall
            served.isStopped = true
            served.isEnding = true
            counts.stopped += 1
        }
        pump(served)
    }
}

extension [HookKey] {
    /// The keys in parts of at most `count`.
    func parts(of size: Int) -> [ArraySlice<HookKey>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
