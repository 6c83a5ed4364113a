import RelationAdmission
import RelationCalls
package import RelationCore
import RelationModel
import Storage
import Webhooks

// The delivery of hooks stores how far they have come, and ends.

extension HookLoop {
    // MARK: Storing

    /// Stores how far hooks have come, and gets more time for those that go on.
    func storeDue() throws(StorageError) {
        let now = now
        let due = rotated.filter { key in
            guard let served = hooks[key], let queue = served.queue else { return false }
            // Requests that are under way may still be confirmed: then they do not come again.
            if served.isEnding { return served.underWay == 0 || isStopping }
            if served.leaseUntil - now <= HookLimits.renewalMilliseconds { return true }
            guard now - served.storedMs >= HookLimits.storeMilliseconds else { return false }
            return served.isDirty || queue.progress() != served.stored
        }
        for part in due.parts(of: HookLimits.hooksPerWrite) { try store(part, at: now) }
    }

    private func store(_ keys: ArraySlice<HookKey>, at now: Int64) throws(StorageError) {
        let steps = keys.compactMap { hooks[$0].flatMap { step(of: $0, at: now) } }
        for (step, row) in try write(steps) {
            guard let served = hooks[HookKey(app: step.app, hook: step.hook)] else { continue }
            guard row != nil, !served.isEnding else {
                // Another round has begun, or this server gives the hook back.
                let pause = served.givesRoom ? HookLimits.outageRetakeMilliseconds : 0
                let retryAt = row == nil ? 0 : served.isSpare ? HookLimits.spareMilliseconds : pause
                served.end(retryAt: retryAt == 0 ? 0 : now + retryAt)
                continue
            }
            served.leaseUntil = leaseEnd(at: now)
            served.stored = served.queue?.progress() ?? served.stored
            served.storedMs = now
            served.deliveredMs = nil
            served.failures = []
            served.isDirty = false
        }
    }

    private func step(of served: ServedHook, at now: Int64) -> HookStep? {
        guard let queue = served.queue else { return nil }
        var step = HookStep(app: served.key.app, hook: served.key.hook, holder: holder)
        let progress = queue.progress()
        step.round = served.round
        step.erasures = served.erasures
        let wall = wall
        step.leaseUntilMs = served.isEnding ? 0 : leaseEnd(at: wall)
        // A position of another history is left as it is until the marker of it was delivered.
        if served.readThrough >= 0, !served.markerWaits {
            step.position = progress.lowWater
            step.later = progress.later.flatMap { [$0.lowerBound, $0.upperBound] }
            step.failing = queue.failing(atMost: HookLimits.failingUsers)
                .sorted { $0.key < $1.key }.flatMap { [$0.key, wall - (now - $0.value)] }
            step.historyID = served.historyID
        }
        step.deliveredMs = served.deliveredMs
        step.failingSinceMs = served.failingSinceMs
        step.failingForMs = served.failingForMs
        step.stoppedMs = served.stoppedMs
        step.failures = served.failures
        return step
    }

    /// Writes steps in one transaction; those of apps whose locks another server has are left out.
    func write(
        _ steps: [HookStep]
    ) throws(StorageError) -> [(step: HookStep, row: HookProgressRecord?)] {
        guard !steps.isEmpty else { return [] }
        let (clock, sharesStore, apps) = (clock, sharesStore, apps)
        let ids = Set(steps.map(\.app)).sorted()
        let locks = ids.map { App.lockPartition(of: $0) }
        return try store.write(touching: locks, waiting: false) {
            (transaction) throws(StorageError) in
            var written: [(step: HookStep, row: HookProgressRecord?)] = []
            // The first read tells which locks are there.
            if let first = steps.first {
                _ = try Hooks.progress(
                    of: first.hook, App(id: first.app, settings: .tim), in: transaction)
            }
            let refused = Set(transaction.refused.map { ids[$0] })
            for step in steps where !refused.contains(step.app) {
                // Asked with the locks held: a database that an app has left gets no row of it.
                let isServed = apps[step.app] != nil
                let row =
                    isServed
                    ? try step.write(at: clock.now(), sharesStore: sharesStore, in: transaction)
                    : nil
                written.append((step, row))
            }
            return written
        }
    }

    // MARK: Erasures

    /// Ends the lives of hooks in whose apps there were erasures since they began.
    ///
    /// Events may wait here that are gone from the feed: none goes out any more. The next life
    /// begins at the stored position, and the marker of events that are gone comes in their place.
    func endErased() throws(StorageError) {
        let now = now
        guard now - erasuresMs >= HookLimits.erasuresMilliseconds else { return }
        erasuresMs = now
        let present = rotated.filter { hooks[$0]?.hasMemory ?? false }
        guard !present.isEmpty else { return }
        let rows = try store.read(reaching: .disk) { (transaction) throws(StorageError) in
            try Hooks.progress(of: present.map { ($0.app, $0.hook) }, in: transaction)
        }
        for (key, row) in zip(present, rows) {
            guard let served = hooks[key], let row, row.erasures != served.erasures else {
                continue
            }
            counts.droppedStates += UInt64(served.states.clear())
            served.isEnding = true
        }
    }

    // MARK: Questions

    /// Takes a question without an answer, to store it with the next ones.
    package func note(_ app: UInt32, _ hook: HookID, _ failure: HookFailureRecord) {
        let key = HookKey(app: app, hook: hook)
        guard noted[key] != nil || noted.count < HookLimits.notedHooks else { return }
        noted[key, default: []].append(failure)
        noted[key] = noted[key]?.suffix(HookLimits.failuresPerWrite)
    }

    /// The hooks whose questions without an answer are not stored yet.
    var notedHooks: Int { noted.count }

    /// Stores the questions without an answer; those of apps whose locks another server has wait.
    func storeNoted() throws(StorageError) {
        let now = now
        guard !noted.isEmpty, isStopping || now - notedMs >= HookLimits.storeMilliseconds else {
            return
        }
        notedMs = now
        let part = noted.prefix(HookLimits.hooksPerWrite).map { ($0.key, $0.value) }
        let ids = Set(part.map(\.0.app)).sorted()
        let locks = ids.map { App.lockPartition(of: $0) }
        let written = try store.write(touching: locks, waiting: false) {
            [apps] (transaction) throws(StorageError) in
            if let first = part.first?.0 {
                _ = try Hooks.progress(
                    of: first.hook, App(id: first.app, settings: .tim), in: transaction)
            }
            let refused = Set(transaction.refused.map { ids[$0] })
            var written: [HookKey] = []
            for (key, failures) in part where !refused.contains(key.app) {
                // An app that is gone has no hook either.
                if let app = apps[key.app] {
                    try Hooks.note(failures, of: key.hook, in: app, in: transaction)
                }
                written.append(key)
            }
            return written
        }
        for key in written { noted[key] = nil }
    }

    // MARK: The end

    /// Whether no request is under way.
    package var isIdle: Bool { underWay == 0 }

    /// Hands out nothing more.
    package func beginStop() { isStopping = true }

    /// Stores all progress, and gives all hooks back.
    package func finish() throws(StorageError) {
        for served in hooks.values where served.isHeld { served.isEnding = true }
        try storeDue()
        try storeNoted()
    }
}
