package import RelationModel
import Storage

/// Rules over the registry of apps.
package enum AppRules {
    /// The result of making an app.
    package enum CreateResult: Equatable {
        /// The app was made, under this number.
        case done(UInt32, AppRecord)
        /// An app has that number.
        case exists
        /// The app of that number was deleted, but some of its rows are still there.
        case beingDeleted
        /// The server already has as many apps as it may hold.
        case tooMany
    }

    /// The result of changing an app.
    package enum UpdateResult: Equatable {
        case done(AppRecord, changed: Bool)
        /// The server has no such app, or is deleting it.
        case unknown
        /// The app is on its way to another database.
        case moving
        /// Nothing was written: the app has this version, and another was expected.
        case stale(version: Int64)
    }

    /// The result of deleting an app.
    package enum DeleteResult: Equatable {
        case done(AppRecord, changed: Bool)
        /// The server has no such app.
        case unknown
        /// The app is on its way to another database.
        case moving
    }

    /// An app to make: everything in it has been checked.
    package struct Making {
        /// Nil asks for the next number that is free.
        package var id: UInt32?
        package var name = ""
        package var preset = AppPreset.tim
        package var settings: [SettingRecord] = []
        /// The number of the app's ``History``; nil takes a random one.
        package var historyID: UInt64?

        package init() {}
    }

    /// A change of an app: everything in it has been checked.
    package struct Change {
        /// Nil leaves the name as it is.
        package var name: String?
        /// Each with its new value, or nil to leave it to the preset again.
        package var settings: [(setting: AppSetting, value: AppSetting.Value?)] = []
        package var expectedVersion: Int64?

        package init() {}
    }

    // MARK: Reading

    package static func record(
        of id: UInt32, in transaction: any ReadTransaction
    ) throws(StorageError) -> AppRecord? {
        try Tables.apps.record(App.registry.partition, AppNumber(id), in: transaction)
    }

    package static func deletion(
        of id: UInt32, in transaction: any ReadTransaction
    ) throws(StorageError) -> AppDeletionRecord? {
        try Tables.appDeletions.record(App.registry.partition, AppNumber(id), in: transaction)
    }

    /// The number of apps, those that are being deleted included.
    package static func count(in transaction: any ReadTransaction) throws(StorageError) -> Int {
        Int(try registry(in: transaction)?.appCount ?? 0)
    }

    /// The highest number that was given to an app so far, as far as its apps and the count of
    /// numbers say; 0 if there was none.
    package static func highestNumber(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> UInt32 {
        let counted = try registry(in: transaction)?.lastNumber ?? 0
        let apps = try list(after: 0, limit: .max, in: transaction)
        return max(counted, apps.last?.id ?? 0)
    }

    /// At most `limit` apps whose numbers are above `last`, in ascending order.
    package static func list(
        after last: UInt32, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [(id: UInt32, record: AppRecord)] {
        var rows: [(id: UInt32, record: AppRecord)] = []
        var isBroken = false
        let range = Tables.apps.rows(of: App.registry.partition, after: AppNumber(last))
        try Tables.apps.scan(range, limit: limit, in: transaction) { key, bytes in
            guard let record = Tables.apps.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            rows.append((key.id, record))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "an app's row does not decode") }
        return rows
    }

    /// The apps that take calls; nil if nothing was ever written to the registry.
    package static func active(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [App]? {
        guard try registry(in: transaction) != nil else { return nil }
        return try list(after: 0, limit: .max, in: transaction)
            .filter { $0.record.state == .active }
            .map { App(id: $0.id, settings: $0.record.effectiveSettings) }
    }

    // MARK: The version

    /// The number of changes of the registry, as far as they were counted.
    package static func version(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64 {
        try registry(in: transaction)?.version ?? 0
    }

    /// Counts a change of an app or a credential, after it was made.
    ///
    /// - Returns: The version that has it.
    package static func renew(in transaction: any WriteTransaction) throws(StorageError) -> Int64 {
        // Changes of two apps may be made at the same time, and this is the row of both.
        try transaction.lock([App.registry.partition])
        var record = try registry(in: transaction) ?? RegistryRecord()
        record.version += 1
        try Tables.registry.set(
            record, at: App.registry.partition, OnlyKey(), in: transaction)
        return record.version
    }

    // MARK: Changing

    /// Makes an app.
    ///
    /// - Returns: ``CreateResult/done(_:_:)``, or the first of these that applies:
    ///   ``CreateResult/exists``, ``CreateResult/beingDeleted``, ``CreateResult/tooMany``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func create(
        _ making: Making, in ledger: Ledger
    ) throws(StorageError) -> CreateResult {
        var registry = try registry(in: ledger.transaction) ?? RegistryRecord()
        if let id = making.id {
            if let known = try record(of: id, in: ledger.transaction) {
                return known.state == .deleting ? .beingDeleted : .exists
            }
            // An app that lives in another database, or comes from there, keeps its number.
            guard try !MovedApps.isAway(id, in: ledger.transaction) else { return .exists }
        }
        guard Int(registry.appCount) < Limits.apps else { return .tooMany }

        let id: UInt32
        if let asked = making.id {
            id = asked
        } else {
            id = try nextNumber(after: registry.lastNumber, in: ledger.transaction)
            registry.lastNumber = id
        }
        registry.appCount += 1
        var app = AppRecord()
        // A store that went back may have had an app of that number before.
        let identity = try Tables.identity.record(
            App.registry.partition, OnlyKey(), in: ledger.transaction)
        app.history = .new(above: identity?.floor ?? 0, id: making.historyID)
        app.preset = making.preset
        app.name = making.name
        app.state = .active
        app.createdMs = ledger.now.milliseconds
        app.version = app.history.number(after: 0)
        app.settings = making.settings.sorted { $0.number < $1.number }
        try write(registry, in: ledger)
        try write(app, of: id, in: ledger)
        let made = App(id: id, settings: app.effectiveSettings)
        try FoundNames.begin(made, in: ledger.transaction)
        if made.keepsHistory {
            try HistoryLog.switchHistory(made, at: ledger.now, in: ledger.transaction)
        }
        return .done(id, app)
    }

    /// The first number above `last` that no app has, here or elsewhere; after the highest comes 1.
    private static func nextNumber(
        after last: UInt32, in transaction: any ReadTransaction
    ) throws(StorageError) -> UInt32 {
        var number = last
        var isTaken = true
        while isTaken {
            number = number == UInt32.max ? 1 : number + 1
            isTaken = try record(of: number, in: transaction) != nil
            if !isTaken { isTaken = try MovedApps.isAway(number, in: transaction) }
        }
        return number
    }

    /// Changes the name or settings of an app.
    ///
    /// A limit below the amount that a user has takes nothing from the user: it gets no more until
    /// it has less than the limit.
    ///
    /// - Returns: ``UpdateResult/done(_:changed:)``, or the first of these that applies:
    ///   ``UpdateResult/moving``, ``UpdateResult/unknown``, ``UpdateResult/stale(version:)``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func update(
        _ id: UInt32, _ change: Change, in ledger: Ledger
    ) throws(StorageError) -> UpdateResult {
        guard let old = try record(of: id, in: ledger.transaction) else { return .unknown }
        guard old.state == .active else { return old.state == .moving ? .moving : .unknown }
        if let expected = change.expectedVersion, expected != old.version {
            return .stale(version: old.version)
        }
        var app = old
        if let name = change.name { app.name = name }
        for (setting, value) in change.settings {
            app.settings.removeAll { $0.number == setting.number }
            if let value { app.settings.append(setting.record(of: value)) }
        }
        app.settings.sort { $0.number < $1.number }
        app.noteLowered(from: old)
        let replaced = try replace(old, by: app, of: id, in: ledger)
        return .done(replaced.app, changed: replaced.changed)
    }

    /// Marks an app as deleted: no call finds it any more, and the maintenance removes its rows.
    ///
    /// - Returns: ``DeleteResult/done(_:changed:)``, without a change if the app is being deleted
    ///   already, or ``DeleteResult/moving``, or ``DeleteResult/unknown``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func delete(
        _ id: UInt32, in ledger: Ledger
    ) throws(StorageError) -> DeleteResult {
        guard var app = try record(of: id, in: ledger.transaction), app.state != .moving else {
            return try MovedApps.isAway(id, in: ledger.transaction) ? .moving : .unknown
        }
        guard app.state == .active else { return .done(app, changed: false) }
        app.state = .deleting
        app.version = app.history.number(after: app.version)
        // No user can sign in any more, so no signature has to be checked.
        app.secrets = []
        try write(app, of: id, in: ledger)
        var deletion = AppDeletionRecord()
        deletion.startedMs = ledger.now.milliseconds
        try Tables.appDeletions.set(
            deletion, at: App.registry.partition, AppNumber(id), in: ledger.transaction)
        try Jobs.deleteApp(id, in: ledger.transaction)
        return .done(app, changed: true)
    }

    /// Notes that `rows` more rows of a deleted app are gone; if they were the last ones, frees its
    /// number.
    package static func removed(
        _ rows: Int, of id: UInt32, isLast: Bool, in ledger: Ledger
    ) throws(StorageError) {
        guard var deletion = try deletion(of: id, in: ledger.transaction) else { return }
        let partition = App.registry.partition
        guard isLast else {
            deletion.removedRows += Int64(rows)
            return try Tables.appDeletions.set(
                deletion, at: partition, AppNumber(id), in: ledger.transaction)
        }
        Tables.appDeletions.remove(partition, AppNumber(id), in: ledger.transaction)
        Tables.apps.remove(partition, AppNumber(id), in: ledger.transaction)
        var registry = try registry(in: ledger.transaction) ?? RegistryRecord()
        registry.appCount.decrease()
        try write(registry, in: ledger)
    }

    // MARK: Rows

    /// Writes `app` instead of `old` as its next version, unless they are equal.
    ///
    /// - Returns: The app as it is now, and whether it changed.
    @discardableResult
    static func replace(
        _ old: AppRecord, by app: AppRecord, of id: UInt32, in ledger: Ledger
    ) throws(StorageError) -> (app: AppRecord, changed: Bool) {
        guard try Tables.apps.differ(app, old, in: ledger.transaction) else { return (old, false) }
        var app = app
        app.version = app.history.number(after: old.version)
        let (before, now) = (old.effectiveSettings, app.effectiveSettings)
        if before.findsUsers != now.findsUsers
            || before.findsIDBeginnings != now.findsIDBeginnings
            || before.defaultFindability != now.defaultFindability
        {
            app.findEpoch = app.version
        }
        if before.reportsReverseFriends != now.reportsReverseFriends {
            app.reverseEpoch = app.version
        }
        try write(app, of: id, in: ledger)
        // A history that was off has a gap, however short it was.
        if (before.historyDays > 0) != (now.historyDays > 0) {
            try HistoryLog.switchHistory(
                App(id: id, settings: now), at: ledger.now, in: ledger.transaction)
        }
        return (app, true)
    }

    private static func write(
        _ app: AppRecord, of id: UInt32, in ledger: Ledger
    ) throws(StorageError) {
        try Tables.apps.set(
            app, at: App.registry.partition, AppNumber(id), in: ledger.transaction)
        ledger.appChange =
            app.state == .active
            ? AppChange(App(id: id, settings: app.effectiveSettings), secrets: app.secrets)
            : AppChange(removed: id)
    }

    /// Counts an app that comes from another database, or goes there.
    static func changeCount(
        by change: Int, in transaction: any WriteTransaction
    ) throws(StorageError) {
        var record = try registry(in: transaction) ?? RegistryRecord()
        record.appCount = UInt32(clamping: Int64(record.appCount) + Int64(change))
        try Tables.registry.set(
            record, at: App.registry.partition, OnlyKey(), in: transaction)
    }

    private static func registry(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> RegistryRecord? {
        try Tables.registry.record(App.registry.partition, OnlyKey(), in: transaction)
    }

    private static func write(
        _ registry: RegistryRecord, in ledger: Ledger
    ) throws(StorageError) {
        try Tables.registry.set(
            registry, at: App.registry.partition, OnlyKey(), in: ledger.transaction)
    }

    /// Adds the rows that every change of the app reads first.
    package static func keys(of id: UInt32, into keys: inout KeyList) {
        Tables.apps.add(App.registry.partition, AppNumber(id), to: &keys)
    }

    /// Adds the rows that making an app of a chosen number reads, beside those of the registry.
    package static func keysForMaking(_ id: UInt32, into keys: inout KeyList) {
        self.keys(of: id, into: &keys)
        Tables.appMoves.add(App.registry.partition, AppNumber(id), to: &keys)
    }

    /// Adds the rows that deleting the app reads.
    package static func keysForDeleting(_ id: UInt32, into keys: inout KeyList) {
        keysForMaking(id, into: &keys)
        Jobs.keys(into: &keys)
    }

    /// Adds the row that making and deleting apps changes.
    package static func registryKeys(into keys: inout KeyList) {
        Tables.registry.add(App.registry.partition, OnlyKey(), to: &keys)
        Tables.identity.add(App.registry.partition, OnlyKey(), to: &keys)
    }
}
