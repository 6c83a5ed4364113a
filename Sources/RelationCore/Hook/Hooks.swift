package import RelationModel
import Storage

/// Rules over the webhooks of an app.
///
/// The hooks stand in the app's record, so every server has them in memory. How far each has come
/// stands in a row of its own, which is written often.
package enum Hooks {
    /// The result of making a hook.
    package enum Creation: Equatable {
        case done(HookRecord, HookProgressRecord)
        /// The app has as many hooks as it may have.
        case full
        /// Another hook of the app asks before the same calls.
        case taken
        /// The app is gone.
        case unknownApp
    }

    /// A hook after a call, with how far it has come.
    package struct Changed: Equatable {
        package let hook: HookRecord
        package let progress: HookProgressRecord
        package let isChanged: Bool
    }

    /// Changes that a call asks for; nil leaves a value as it is.
    package struct Change {
        package var name: String?
        package var url: String?
        package var kinds: [ChangeKind]?
        package var form: HookForm?
        package var batchSize: Int32?
        package var usersOnly: Bool?
        package var isPaused: Bool?
        package var asks: [HookQuestion]?
        package var silence: HookSilence?
        package var askTimeoutMs: Int64?
        package var asksOnly: Bool?

        package init() {}
    }

    // MARK: Calls

    /// Makes a hook of the app of `ledger`, which gets the events after this write.
    ///
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func create(
        _ hook: HookRecord, in ledger: Ledger
    ) throws(StorageError) -> Creation {
        guard let old = try AppRules.record(of: ledger.app.id, in: ledger.transaction) else {
            return .unknownApp
        }
        guard old.hooks.count < Limits.hooks else { return .full }
        guard !old.hooks.contains(where: { $0.shares(hook.asks) }) else { return .taken }
        var app = old
        // Ids are random, so there is none of that id, but for tests that draw few.
        app.hooks.removeAll { $0.id.isExactly(hook.id) }
        app.hooks.append(hook)
        app.hooks.sort { $0.id < $1.id }
        try AppRules.replace(old, by: app, of: ledger.app.id, in: ledger)
        return .done(hook, try begin(HookID(hook.id), app, in: ledger))
    }

    /// Lets a hook begin at the end of the app's feed.
    @discardableResult
    package static func begin(
        _ id: HookID, _ app: AppRecord, in ledger: Ledger
    ) throws(StorageError) -> HookProgressRecord {
        var progress = HookProgressRecord()
        progress.position = try ledger.feedState().position
        progress.historyID = app.historyID
        try write(progress, of: id, in: ledger)
        return progress
    }

    /// Changes the hook `id`; one that goes on again is no longer stopped.
    ///
    /// - Returns: The hook afterwards; nil if the app has no such hook.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func update(
        _ id: HookID, _ change: Change, in ledger: Ledger
    ) throws(StorageError) -> Changed? {
        guard let (app, index) = try find(id, in: ledger),
            var progress = try progress(of: id, ledger.app, in: ledger.transaction)
        else { return nil }
        var hook = app.hooks[index]
        let (old, before) = (hook, progress)
        hook.name = change.name ?? hook.name
        hook.url = change.url ?? hook.url
        hook.kinds = change.kinds ?? hook.kinds
        hook.form = change.form ?? hook.form
        hook.batchSize = change.batchSize ?? hook.batchSize
        hook.usersOnly = change.usersOnly ?? hook.usersOnly
        hook.isPaused = change.isPaused ?? hook.isPaused
        hook.asks = change.asks ?? hook.asks
        hook.silence = change.silence ?? hook.silence
        hook.askTimeoutMs = change.askTimeoutMs ?? hook.askTimeoutMs
        hook.asksOnly = change.asksOnly ?? hook.asksOnly
        let goesOn = change.isPaused == false && progress.stoppedMs != 0
        let beginsAnew = old.asksOnly && !hook.asksOnly
        if beginsAnew {
            progress.position = try ledger.feedState().position
            progress.later = []
            progress.historyID = app.historyID
        }
        if goesOn || beginsAnew {
            progress.stoppedMs = 0
            progress.failingSinceMs = 0
            progress.failingForMs = 0
            progress.round += 1
        }
        // Nothing has failed at another receiver; a server that delivers forgets it too.
        if hook.url != old.url {
            (progress.failingSinceMs, progress.failingForMs, progress.failing) = (0, 0, [])
        }
        // The time in which it got nothing is not one in which its events failed.
        if goesOn || beginsAnew || (old.isPaused && !hook.isPaused) { progress.failing = [] }
        if progress != before { try write(progress, of: id, in: ledger) }
        let readsAnew =
            (hook.kinds, hook.form) != (old.kinds, old.form)
            || (hook.usersOnly, hook.batchSize) != (old.usersOnly, old.batchSize)
        if goesOn || readsAnew { hook.revision += 1 }
        return try write(hook, at: index, in: app, progress, goesOn || beginsAnew, ledger)
    }

    /// Whether another hook of the app than `id` asks before one of the calls `asks`.
    package static func isTaken(
        _ asks: [HookQuestion], besides id: HookID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let app = try AppRules.record(of: ledger.app.id, in: ledger.transaction)
        return app?.hooks.contains { !$0.id.isExactly(id.text) && $0.shares(asks) } ?? false
    }

    /// The hook `id`; nil if the app has no such hook.
    ///
    /// - Throws: ``StorageError`` if the store failed.
    package static func record(of id: HookID, in ledger: Ledger) throws(StorageError) -> HookRecord?
    {
        try find(id, in: ledger).map { $0.app.hooks[$0.index] }
    }

    /// Removes the hook `id` with its position and its failures.
    ///
    /// - Returns: Whether the app had it.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func delete(_ id: HookID, in ledger: Ledger) throws(StorageError) -> Bool {
        guard let (old, index) = try find(id, in: ledger) else { return false }
        var app = old
        app.hooks.remove(at: index)
        try AppRules.replace(old, by: app, of: ledger.app.id, in: ledger)
        let partition = ledger.app.partition
        if let progress = try progress(of: id, ledger.app, in: ledger.transaction) {
            for number in kept(progress) {
                Tables.hookFailures.remove(
                    partition, HookFailureKey(id, number), in: ledger.transaction)
            }
        }
        Tables.hookProgress.remove(partition, id, in: ledger.transaction)
        return true
    }

    /// The result of giving a hook a new secret.
    package enum Rotation: Equatable {
        case done(Changed)
        /// As many secrets are good as may sign at one time.
        case full
        /// The app has no such hook.
        case unknown
    }

    /// Gives the hook `id` a new secret; the one before it signs until `oldValidUntilMs` too.
    ///
    /// Older ones sign until their own times, since receivers may still have them. All end if that
    /// time has passed. Nothing changes if the secret is the newest one already.
    ///
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func rotate(
        _ id: HookID, to secret: String, oldValidUntilMs: Int64, in ledger: Ledger
    ) throws(StorageError) -> Rotation {
        guard let (app, index) = try find(id, in: ledger),
            let progress = try progress(of: id, ledger.app, in: ledger.transaction)
        else { return .unknown }
        let now = ledger.now.milliseconds
        var hook = app.hooks[index]
        guard hook.secrets.first?.text != secret else {
            return .done(Changed(hook: hook, progress: progress, isChanged: false))
        }
        // An old secret that is taken again stands once, as the newest.
        var older = hook.secrets.filter {
            $0.text != secret && $0.validUntilMs.map { $0 >= now } ?? true
        }
        if oldValidUntilMs < now { older = [] }
        guard older.count < Limits.hookSecrets else { return .full }
        if let newest = older.first, newest.validUntilMs == nil {
            older[0].validUntilMs = oldValidUntilMs
        }
        var record = SecretRecord()
        record.text = secret
        record.createdMs = now
        hook.secrets = [record] + older
        return .done(try write(hook, at: index, in: app, progress, false, ledger))
    }

    /// The point to which a replay goes.
    package enum Start: Equatable {
        case position(Int64)
        case time(Int64)
    }

    /// Sends the hook `id` to another position; it goes on if the server had stopped it.
    ///
    /// - Returns: The hook afterwards; nil if the app has no such hook.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func replay(
        _ id: HookID, from start: Start, in ledger: Ledger
    ) throws(StorageError) -> Changed? {
        guard let (app, index) = try find(id, in: ledger),
            var progress = try progress(of: id, ledger.app, in: ledger.transaction)
        else { return nil }
        switch start {
        case .position(let position):
            progress.position = min(position, try ledger.feedState().position)
        case .time(let time):
            let state = try ledger.feedState()
            progress.position = try Feed.position(
                before: time, state, of: ledger.app, in: ledger.transaction)
        }
        progress.later = []
        progress.failing = []
        progress.historyID = app.historyID
        progress.stoppedMs = 0
        progress.failingSinceMs = 0
        progress.failingForMs = 0
        progress.round += 1
        try write(progress, of: id, in: ledger)
        var hook = app.hooks[index]
        hook.revision += 1
        return try write(hook, at: index, in: app, progress, true, ledger)
    }

    /// Notes that the hook `id` is tested; the time grows with each test, so it names it.
    ///
    /// - Returns: The hook, with the time of the test in its progress; nil if the app has no such
    ///   hook.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func test(_ id: HookID, in ledger: Ledger) throws(StorageError) -> Changed? {
        guard let (app, index) = try find(id, in: ledger),
            var progress = try progress(of: id, ledger.app, in: ledger.transaction)
        else { return nil }
        progress.testedMs = max(ledger.now.milliseconds, progress.testedMs + 1)
        try write(progress, of: id, in: ledger)
        return Changed(hook: app.hooks[index], progress: progress, isChanged: true)
    }

    // MARK: Reading

    /// How far the hook `id` has come; nil if the app has no such hook.
    package static func progress(
        of id: HookID, _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> HookProgressRecord? {
        try Tables.hookProgress.record(app.partition, id, in: transaction)
    }

    /// How far the hooks have come, in their order.
    package static func progress(
        of hooks: [HookRecord], _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [HookProgressRecord?] {
        var keys = KeyList()
        for hook in hooks { Tables.hookProgress.add(app.partition, HookID(hook.id), to: &keys) }
        return try Tables.hookProgress.records(keys, in: transaction)
    }

    /// How far hooks of several apps have come, in their order; nil for those that are gone.
    package static func progress(
        of hooks: [(app: UInt32, hook: HookID)], in transaction: any ReadTransaction
    ) throws(StorageError) -> [HookProgressRecord?] {
        var keys = KeyList()
        for (app, hook) in hooks {
            Tables.hookProgress.add(App(id: app, settings: .tim).partition, hook, to: &keys)
        }
        return try Tables.hookProgress.records(keys, in: transaction)
    }

    /// The failures of the hook `id` that are kept, the latest first.
    package static func failures(
        of id: HookID, _ progress: HookProgressRecord, _ app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [(number: Int64, record: HookFailureRecord)] {
        let numbers = kept(progress).reversed()
        var keys = KeyList()
        for number in numbers {
            Tables.hookFailures.add(app.partition, HookFailureKey(id, number), to: &keys)
        }
        return zip(numbers, try Tables.hookFailures.records(keys, in: transaction)).compactMap {
            (number, record) in record.map { (number, $0) }
        }
    }

    /// The numbers of the failures that are kept.
    static func kept(_ progress: HookProgressRecord) -> ClosedRange<Int64> {
        let last = progress.failures
        // Number 0 is not a failure, and its row is never there.
        return max(0, last - Int64(Limits.hookFailures) + 1)...last
    }

    // MARK: Failures

    /// Adds questions of the hook `id` of the app that had no answer to the failures that are kept,
    /// if there is such a hook.
    ///
    /// A question may be stored long after its call came. One of a user whom no erasure reaches any
    /// more does not name it. In an app that makes accounts implicitly it does: the user may have
    /// called for the first time.
    ///
    /// - Important: The transaction has the lock of the app, so that no deletion of an account is
    ///   committed beside it.
    package static func note(
        _ failures: [HookFailureRecord], of id: HookID, in app: App,
        in transaction: any WriteTransaction
    ) throws(StorageError) {
        let partition = app.partition
        let table = Tables.hookProgress
        guard var row = try table.record(partition, id, in: transaction) else { return }
        let users =
            app.settings.makesAccountsImplicitly
            ? [] : failures.map(\.userID).filter { !$0.isEmpty }
        let unreached = try AuditedUsers.unreached(among: users, of: app, in: transaction)
        let named = failures.map { failure in
            var failure = failure
            if unreached.contains(ExactText(failure.userID)) { failure.userID = "" }
            return failure
        }
        try append(named, to: &row, of: id, at: partition, in: transaction)
        try table.set(row, at: partition, id, in: transaction)
    }

    /// Writes failures, the oldest first, under the numbers after those in `row`.
    static func append(
        _ failures: [HookFailureRecord], to row: inout HookProgressRecord, of id: HookID,
        at partition: Partition, in transaction: any WriteTransaction
    ) throws(StorageError) {
        for failure in failures {
            row.failures += 1
            try Tables.hookFailures.set(
                failure, at: partition, HookFailureKey(id, row.failures), in: transaction)
            let gone = row.failures - Int64(Limits.hookFailures)
            guard gone > 0 else { continue }
            Tables.hookFailures.remove(partition, HookFailureKey(id, gone), in: transaction)
        }
    }

    // MARK: Rows

    private static func find(
        _ id: HookID, in ledger: Ledger
    ) throws(StorageError) -> (app: AppRecord, index: Int)? {
        let app = try AppRules.record(of: ledger.app.id, in: ledger.transaction)
        guard let app, let index = app.hooks.firstIndex(where: { $0.id.isExactly(id.text) }) else {
            return nil
        }
        return (app, index)
    }

    private static func write(
        _ hook: HookRecord, at index: Int, in old: AppRecord, _ progress: HookProgressRecord,
        _ isProgressChanged: Bool, _ ledger: Ledger
    ) throws(StorageError) -> Changed {
        var app = old
        app.hooks[index] = hook
        let replaced = try AppRules.replace(old, by: app, of: ledger.app.id, in: ledger)
        return Changed(
            hook: hook, progress: progress, isChanged: replaced.changed || isProgressChanged)
    }

    private static func write(
        _ progress: HookProgressRecord, of id: HookID, in ledger: Ledger
    ) throws(StorageError) {
        try Tables.hookProgress.set(
            progress, at: ledger.app.partition, id, in: ledger.transaction)
    }

    /// Adds the rows that making a hook reads.
    package static func keysForCreating(_ app: App, into keys: inout KeyList) {
        AppRules.keys(of: app.id, into: &keys)
        Feed.addState(of: app, to: &keys)
    }

    /// Adds the rows that a change of the hook `id` reads.
    package static func keys(_ id: HookID, _ app: App, into keys: inout KeyList) {
        AppRules.keys(of: app.id, into: &keys)
        Tables.hookProgress.add(app.partition, id, to: &keys)
        Feed.addState(of: app, to: &keys)
    }
}

extension HookRecord {
    /// Whether the hook asks before one of the calls.
    package func shares(_ others: [HookQuestion]) -> Bool {
        asks.contains { others.contains($0) }
    }

    /// Whether its questions fit its other fields: one that is only asked has some, and TIM's form
    /// has those of TIM alone.
    package var isAskable: Bool {
        let ofTIM: [HookQuestion] = [.addFriends, .respondToApplications]
        return (!asksOnly || !asks.isEmpty)
            && (form != .timCallbacks || asks.allSatisfy { ofTIM.contains($0) })
    }
}
