import Storage
import StoragePostgres

/// One server of a modelled database: the primary, or a standby that follows another one.
///
/// Statements of a session run one after another. One that waits for a lock waits here, and the
/// client elsewhere. So a transaction goes on, and may be committed, though its client is gone.
final class ModelNode {
    unowned let model: PostgresModel
    let index: Int
    var tables = ModelTables()
    var notes = ModelNotes()
    var locks = ModelLocks()
    var sessions: [Int: ModelSession] = [:]
    /// The server that it follows; nil for a primary.
    weak var leader: ModelNode?
    var isStandby = false
    /// The count of takeovers.
    var timeline: UInt32 = 1
    /// Counts its starts.
    var boots = 1
    var isUp = true
    /// Until when it does nothing, as a machine that hangs.
    var frozenUntil: UInt64 = 0
    /// How far its clock is off, in nanoseconds.
    var clockOffset: Int64 = 0
    /// The changes that have come to a standby, and are not seen in it yet.
    var received: [ModelChange] = []
    /// How long they wait; nil for ever.
    var lag: UInt64? = 0
    /// Until when nothing passes from the server that a standby follows, and nothing back.
    var (heldFrom, heldTo): (UInt64, UInt64) = (0, 0)
    private var lastShipped: UInt64 = 0
    /// The work that waits until it does something again, in its order.
    private var frozen: [() -> Void] = []
    /// The changes that are shown though no standby may have them, since their sessions ended.
    private(set) var shownEarly = ModelChange()

    init(_ index: Int, in model: PostgresModel) {
        (self.index, self.model) = (index, model)
    }

    /// Its clock, in nanoseconds.
    var now: UInt64 { UInt64(Int64(model.present) + clockOffset) }

    /// Runs `work` at its time, or when the server does something again.
    func at(_ time: UInt64, _ work: @escaping () -> Void) {
        let boot = boots
        model.at(time) { [unowned self] in
            awake { [unowned self] in if isUp, boots == boot { work() } }
        }
    }

    /// Runs `work` now, or when the server does something again.
    private func awake(_ work: @escaping () -> Void) {
        guard frozenUntil > model.present || !frozen.isEmpty else { return work() }
        frozen.append(work)
        if frozen.count == 1 { model.at(frozenUntil) { [unowned self] in thaw() } }
    }

    /// Goes on with what has waited, if it does something again.
    func thaw() {
        guard frozenUntil <= model.present else {
            if !frozen.isEmpty { model.at(frozenUntil) { [unowned self] in thaw() } }
            return
        }
        let waiting = frozen
        frozen = []
        for work in waiting { work() }
    }

    /// Runs `work` now, or when a session does something again.
    private func awake(_ session: ModelSession, _ work: @escaping () -> Void) {
        guard session.hungUntil > model.present else { return work() }
        at(session.hungUntil) { [unowned self] in awake(session, work) }
    }

    // MARK: Statements

    /// Statements of a client have come.
    func arrive(_ request: ModelRequest, on session: ModelSession) {
        guard !session.losesAll else { return }
        guard isUp, session.boot == boots, !session.isEnded else { return send(session) }
        guard frozenUntil <= model.present else {
            return awake { [unowned self] in arrive(request, on: session) }
        }
        if !isStandby, model.nodes.contains(where: { !$0.isStandby && $0.timeline > timeline }) {
            model.onFormer()
        }
        guard session.waiting.count < ModelLimits.waitingRequests else { return end(session) }
        session.waiting.append(request)
        resume(session)
    }

    private func resume(_ session: ModelSession) {
        awake(session) { [unowned self] in run(session) }
    }

    private func run(_ session: ModelSession) {
        while !session.isEnded, !session.isBlocked, !session.isCommitting {
            if session.running == nil {
                guard !session.waiting.isEmpty else { return }
                session.running = session.waiting.removeFirst()
            }
            guard let request = session.running else { return }
            do throws(StorageError) {
                while request.next < request.questions.count {
                    let question = request.questions[request.next]
                    guard let answer = try answer(question, request, session) else {
                        return block(session, request)
                    }
                    request.answers.append(answer)
                    request.next += 1
                }
                if request.ends { try commit(session) }
                if !session.isCommitting { finish(session) }
            } catch {
                refuse(session, error)
            }
        }
    }

    private func answer(
        _ question: ModelQuestion, _ request: ModelRequest, _ session: ModelSession
    ) throws(StorageError) -> ModelAnswer? {
        if session.isRepeatable, session.view == nil { session.view = tables }
        let view = session.view ?? tables
        switch question {
        case .rows(let keys): return .values(keys.map { view.rows.value(of: $0) })
        case .scan(let lower, let upper, let order, let limit):
            let slice = view.rows.slice(from: lower, to: upper)
            return .rows(
                order == .ascending
                    ? Array(slice.prefix(limit)) : Array(slice.reversed().prefix(limit)))
        case .noted(let writer): return .numbers(view.batches[writer].map { [$0] } ?? [])
        case .lock, .tryLock, .lockAll: return takeLocks(question, request, session)
        case .greet(let seen):
            let identity = Primary.Identity(
                system: "model", timeline: isStandby ? 0 : timeline, started: "\(boots)")
            return .greeting(identity, isStandby: isStandby, isWhole: seen.isIn(tables))
        case .listen:
            session.isListening = true
            return .done
        case .checkTables: return .numbers([Int64(now / 1_000_000)])
        case .olderLeases(let process, let version):
            let others = tables.leases.filter { $0.key != process && $0.value.version < version }
            return .names(others.map { "\($0.key) \($0.value.renewal)" }.sorted())
        case .fence(let time): return .numbers([fence(by: session, within: time)])
        case .change, .note, .notify, .renew, .post, .trimNotes, .releaseLease:
            guard !isStandby else {
                throw StorageError(.unavailable, "the server takes no writes")
            }
            guard hasRow(of: question, session) else { return nil }
            return try change(question, session)
        }
    }

    /// Carries out a request that writes.
    private func change(
        _ question: ModelQuestion, _ session: ModelSession
    ) throws(StorageError) -> ModelAnswer {
        switch question {
        case .change(let rows): session.change.rows += rows
        case .note(let writer, let batch, let tenure, let process):
            let lease = tables.leases[process]
            guard tenure == 0 || lease?.tenure == tenure && lease?.until ?? 0 > now else {
                throw StorageError(.unavailable, "the lease has run out")
            }
            session.change.batches[writer] = batch
        case .notify(let news): session.news.append(news)
        case .renew(let process, let version, let seen):
            return .numbers(try renew(process, version, seen, session))
        case .post(let posted, let position):
            notes.post(posted, orBegin: model.name(), at: now)
            if !posted.isEmpty { session.news.append(.notes) }
            return .notes(notes.read(after: position))
        case .trimNotes(let count):
            notes.trim(to: count, before: now - min(now, ModelLimits.dayNanoseconds))
        case .releaseLease(let process): session.change.leases.updateValue(nil, forKey: process)
        default: preconditionFailure("another function answers this")
        }
        return .done
    }

    /// Takes the lock of the row of a lease that a statement changes.
    ///
    /// - Returns: False if another transaction has changed the row, and has not ended.
    private func hasRow(of question: ModelQuestion, _ session: ModelSession) -> Bool {
        guard model.flaw != .overwritesLeases else { return true }
        switch question {
        case .renew(let process, _, let seen):
            // A row that is not as the process has seen it is left alone, and not waited for.
            let known = (session.view ?? tables).leases[process]
            if let seen, known?.renewal ?? 0 < seen { return true }
            return takeLock(.lease(process), isShared: false, session)
        case .releaseLease(let process):
            return takeLock(.lease(process), isShared: false, session)
        default: return true
        }
    }

    private func renew(
        _ process: String, _ version: Int64, _ seen: Int64?, _ session: ModelSession
    ) throws(StorageError) -> [Int64] {
        let known = tables.leases[process]
        // The row may not have changed since the transaction took its view.
        guard session.view.map({ $0.leases[process]?.renewal == known?.renewal }) ?? true else {
            throw StorageError(.conflict, "another transaction has changed the lease")
        }
        if let seen, known?.renewal ?? 0 < seen { return [] }
        var renewal: Int64 = 1 << ModelLease.tenureBits
        if let known {
            renewal =
                known.until > now
                ? known.renewal + 1 : (known.tenure + 1) << ModelLease.tenureBits
        }
        session.change.leases[process] = ModelLease(
            until: now + UInt64(LeaseLimits.milliseconds) * 1_000_000, version: version,
            renewal: renewal)
        let others = tables.leases.filter { $0.key != process && $0.value.until > now }
        return [renewal, Int64(others.count), Int64(others.count { $0.key < process })]
    }

    // MARK: Locks

    private func takeLocks(
        _ question: ModelQuestion, _ request: ModelRequest, _ session: ModelSession
    ) -> ModelAnswer? {
        switch question {
        case .lock(let numbers):
            while request.nextLock <= numbers.count {
                let isLast = request.nextLock == numbers.count
                let number = isLast ? Lock.store : numbers[request.nextLock]
                guard takeLock(.advisory(number), isShared: isLast, session) else {
                    if !isLast { request.waits += 1 }
                    return nil
                }
                request.nextLock += 1
            }
            defer { request.nextLock = 0 }
            return .numbers([Int64(request.waits)])
        case .tryLock(let numbers):
            let refused = numbers.indices.filter {
                !locks.acquire(.advisory(numbers[$0]), by: session.number)
            }
            return .numbers(refused.map(Int64.init))
        default:
            return takeLock(.advisory(Lock.store), isShared: false, session) ? .done : nil
        }
    }

    private func takeLock(
        _ name: ModelLocks.Name, isShared: Bool, _ session: ModelSession
    ) -> Bool {
        if model.flaw == .sharesLocks { return true }
        if session.isGranted {
            session.isGranted = false
            return true
        }
        if locks.acquire(name, isShared: isShared, by: session.number) { return true }
        locks.wait(for: name, isShared: isShared, by: session.number)
        return false
    }

    /// Lets a statement wait for a lock, until its time is over.
    private func block(_ session: ModelSession, _ request: ModelRequest) {
        session.isBlocked = true
        session.blocks += 1
        model.onLockWait()
        let block = session.blocks
        var patience = request.patience
        if case .lockAll = request.questions[request.next] {
            patience = min(patience, ModelClient.aloneMilliseconds * 1_000_000)
        }
        at(model.present + patience) { [unowned self] in
            awake(session) { [unowned self] in
                guard session.isBlocked, session.blocks == block else { return }
                refuse(session, StorageError(.unavailable, "a lock did not come free in time"))
            }
        }
        at(model.present + ModelLimits.deadlockMilliseconds * 1_000_000) { [unowned self] in
            awake(session) { [unowned self] in
                guard session.isBlocked, session.blocks == block,
                    locks.isDeadlocked(session.number)
                else { return }
                refuse(session, StorageError(.conflict, "a deadlock"))
            }
        }
    }

    private func release(_ session: ModelSession) {
        for number in locks.release(session.number) {
            guard let granted = sessions[number] else { continue }
            (granted.isBlocked, granted.isGranted) = (false, true)
            at(model.present) { [unowned self] in resume(granted) }
        }
    }

    /// - Returns: How many sessions it has ended.
    private func fence(by session: ModelSession, within time: UInt64) -> Int64 {
        let lapsed = sessions.values.filter { other in
            // One whose commit waits for a standby would show it before the standby has it.
            guard other !== session, !other.isCommitting,
                let lease = tables.leases[other.process]
            else { return false }
            return lease.until <= now && locks.holds(other.number)
        }
        for other in lapsed.sorted(by: { $0.number < $1.number }) { end(other) }
        let next = tables.leases.values.map(\.until).filter { $0 > now }.min()
        if let next, next - now < time {
            let left = time - (next - now)
            at(model.present + next - now + 1) { [unowned self] in
                _ = fence(by: session, within: left)
            }
        }
        return Int64(lapsed.count)
    }

    // MARK: The end of a transaction

    /// Commits what a transaction has changed; it may wait for a standby then.
    func commit(_ session: ModelSession) throws(StorageError) {
        guard !session.change.isEmpty else { return publish(session) }
        if model.refusesCommits { throw StorageError(.failed, "not today") }
        session.isCommitting = model.isSynchronous && model.flaw != .answersEarly
        session.commits += 1
        ship(session)
        if !session.isCommitting { publish(session) }
    }

    /// Lets all see what a transaction has changed.
    private func publish(_ session: ModelSession) {
        tables.apply(session.change)
        session.change = ModelChange()
        for news in session.news { notify(news) }
        forget(session)
    }

    /// Forgets a transaction.
    private func forget(_ session: ModelSession) {
        (session.change, session.view, session.news) = (ModelChange(), nil, [])
        (session.isBlocked, session.isGranted, session.isCommitting) = (false, false, false)
        release(session)
    }

    private func finish(_ session: ModelSession) {
        guard let request = session.running else { return }
        session.running = nil
        reply(to: session) { request.isAnswered = true }
    }

    private func refuse(_ session: ModelSession, _ error: StorageError) {
        forget(session)
        session.running?.error = error
        finish(session)
        resume(session)
    }

    private func notify(_ news: PeerSignal) {
        for (_, session) in sessions.sorted(by: { $0.key < $1.key }) where session.isListening {
            var time = max(
                model.present + model.delay(ModelLimits.noticeMicroseconds),
                model.heldDown(session))
            if let latest = model.latestNotice { time += model.delay(0...(latest * 1_000)) }
            model.at(time) { if !session.losesAnswers { session.notices.append(news) } }
        }
    }

    /// Runs `work` at the client, unless the way to it is lost.
    private func reply(to session: ModelSession, _ work: @escaping () -> Void) {
        let time = max(
            model.present + model.delay(ModelLimits.wayMicroseconds), session.lastDown,
            model.heldDown(session))
        session.lastDown = time
        model.at(time) { if !session.losesAnswers { work() } }
    }

    /// Lets the client know that its session has ended.
    private func send(_ session: ModelSession) { reply(to: session) { session.isTold = true } }

    /// Ends a session, as an operator does, or as its client has gone.
    ///
    /// Changes that it has sent to be committed and that are on the disk stay. One that hangs ends
    /// when it goes on, unless its server ends.
    ///
    /// - Parameter isAtOnce: Whether its server ends.
    func end(_ session: ModelSession, isAtOnce: Bool = false) {
        guard !session.isEnded else { return }
        guard isAtOnce || session.hungUntil <= model.present else {
            return at(session.hungUntil) { [unowned self] in end(session) }
        }
        session.isEnded = true
        if session.isCommitting {
            shownEarly.batches.merge(session.change.batches) { $1 }
            shownEarly.leases.merge(session.change.leases) { $1 }
            publish(session)
        } else {
            forget(session)
        }
        (session.running, session.waiting) = (nil, [])
        sessions[session.number] = nil
        send(session)
    }

    // MARK: Standbys

    /// Sends the changes of a transaction to those who follow.
    private func ship(_ session: ModelSession) {
        for standby in model.nodes where standby.leader === self && standby.isStandby {
            ship(session, to: standby)
        }
    }

    /// Sends a new standby, which has a copy of the tables, the changes that wait for one.
    func shipWaiting(to standby: ModelNode) {
        for (_, session) in sessions.sorted(by: { $0.key < $1.key }) where session.isCommitting {
            ship(session, to: standby)
        }
    }

    private func ship(_ session: ModelSession, to standby: ModelNode) {
        let (change, commit) = (session.change, session.commits)
        let time = max(
            model.present + model.delay(ModelLimits.shipMicroseconds), standby.lastShipped,
            standby.heldFrom)
        standby.lastShipped = time
        standby.at(time) { [unowned self, unowned standby] in
            guard standby.leader === self else { return }
            standby.receive(change)
            let answer = model.present + model.delay(ModelLimits.shipMicroseconds)
            at(max(answer, standby.heldTo)) { [unowned self] in
                awake(session) { [unowned self] in confirm(session, commit) }
            }
        }
    }

    /// A standby has the changes of a commit.
    private func confirm(_ session: ModelSession, _ commit: Int) {
        guard session.isCommitting, session.commits == commit else { return }
        publish(session)
        finish(session)
        resume(session)
    }

    private func receive(_ change: ModelChange) {
        received.append(change)
        if received.count > ModelLimits.waitingChanges, let leader { return copy(leader) }
        guard let lag else { return }
        at(model.present + lag) { [unowned self] in applyNext() }
    }

    private func applyNext() {
        guard lag != nil, !received.isEmpty else { return }
        tables.apply(received.removeFirst())
    }

    /// Shows all that has come.
    func catchUp() {
        for change in received { tables.apply(change) }
        received = []
    }

    /// Begins anew from a copy of another server.
    func copy(_ other: ModelNode) {
        (tables, received, notes) = (other.tables, [], ModelNotes())
        (shownEarly, other.shownEarly) = (ModelChange(), ModelChange())
    }
}
