package import RelationModel
import Storage

/// Rules over profiles.
package enum Profiles {
    /// The profile of `user`: empty, with version 0, if it never set anything.
    package static func record(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> ProfileRecord {
        try Tables.profiles.record(app.partition(of: user), OnlyKey(), in: transaction)
            ?? ProfileRecord()
    }

    /// Adds the rows that a change of the profile of `user` reads.
    ///
    /// - Parameter uniqueID: The unique id that the change sets, if it sets one.
    package static func keys(
        of user: UserID, uniqueID: String? = nil, app: App, into keys: inout KeyList
    ) {
        Tables.profiles.add(app.partition(of: user), OnlyKey(), to: &keys)
        Feed.addState(of: app, to: &keys)
        Reviews.keysForUpdating(app, into: &keys)
        if let uniqueID {
            Tables.uniqueIDs.add(app.uniqueIDs, UniqueID(stored: uniqueID), to: &keys)
        }
    }

    /// The profiles of `users`; nil for a user that is not an account.
    package static func records(
        of users: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [ProfileRecord?] {
        try rows(of: users, for: nil, app: app, in: transaction).records
    }

    /// The profiles of `users`, nil for a user that is not an account; and for each user whether it
    /// has `viewer` on its blacklist.
    ///
    /// All rows are read at once and in the order of the users: rows of one user are neighbours.
    static func rows(
        of users: [UserID], for viewer: UserID?, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> (records: [ProfileRecord?], areClosed: [Bool]) {
        enum Row { case userRecord, profile, blacklisted }
        var keys = KeyList()
        var rows: [(index: Int, row: Row)] = []
        keys.reserve(users.count * 3)
        rows.reserveCapacity(users.count * 3)
        for (index, user) in users.enumerated() {
            let name = user.text.utf8
            Tables.userRecords.add(app.id, name, OnlyKey(), to: &keys)
            Tables.profiles.add(app.id, name, OnlyKey(), to: &keys)
            rows += [(index, .userRecord), (index, .profile)]
            guard let viewer, viewer != user else { continue }
            Tables.blacklist.add(app.id, name, viewer, to: &keys)
            rows.append((index, .blacklisted))
        }
        // In an app that makes accounts implicitly, a user that was never named is as a new account
        // would be.
        let implied = app.settings.makesAccountsImplicitly ? ProfileRecord() : nil
        var records = [ProfileRecord?](repeating: implied, count: users.count)
        var areClosed = [Bool](repeating: false, count: users.count)
        var exists = false
        var isBroken = false
        try transaction.read(keys) { number, bytes in
            let (index, row) = rows[number]
            switch row {
            case .userRecord: exists = bytes != nil
            case .profile where exists:
                let record = bytes.map { Tables.profiles.decode($0, in: transaction.arena) }
                if case .some(nil) = record { isBroken = true }
                records[index] = (record ?? nil) ?? ProfileRecord()
            case .profile: break
            case .blacklisted: areClosed[index] = bytes != nil
            }
        }
        if isBroken { throw StorageError(.corrupted, "a profile does not decode") }
        return (records, areClosed)
    }

    /// The result of an update.
    package enum Result: Equatable {
        /// The profile has this version now.
        ///
        /// It changed if a field got another value, or if the account was made.
        case done(version: Int64, changed: Bool)
        /// Nothing was written: the profile has this version, and another was expected.
        case stale(version: Int64)
        /// Nothing was written: the account is being deleted.
        case isLeaving
        /// Nothing may be written: the values of these paths would be under review, and the app has
        /// no room for them. The profile has this version.
        case reviewsFull(paths: [String], version: Int64)
    }

    /// Writes the fields of `values` named in `fields` and `customKeys` into `user`'s profile; a
    /// named field that `values` lacks is cleared.
    ///
    /// It makes the account if there is none. To write the values that are there already changes
    /// nothing.
    ///
    /// The values have been checked: an update is all or nothing.
    ///
    /// - Parameter isReviewed: Whether new values of the app's reviewed fields are reviewed.
    /// - Precondition: The unique identifier, if one is written, belongs to no other user.
    package static func update(
        _ user: UserID, _ values: ProfileRecord, fields: [ProfileField],
        customKeys: [String] = [], expectedVersion: Int64?, isReviewed: Bool = true,
        in ledger: Ledger
    ) throws(StorageError) -> Result {
        let isNew = try ledger.userRecord(of: user) == nil
        if isNew {
            let full = try fieldsWithoutRoom(
                values, fields, customKeys, isReviewed: isReviewed, in: ledger)
            guard full.isEmpty else { return .reviewsFull(paths: full, version: 0) }
            try Accounts.fetchForCreating(user, in: ledger)
            let creation = try Accounts.create(user, nick: "", faceURL: "", in: ledger)
            guard creation != .isLeaving else { return .isLeaving }
        }
        let old = try record(of: user, app: ledger.app, in: ledger.transaction)
        if let expectedVersion, expectedVersion != old.version {
            return .stale(version: old.version)
        }
        var row = old
        var reported = ProfileRecord()
        var changed: [String] = []
        var plan =
            Reviews.areAffected(old, ledger.settings)
            ? ReviewPlan(
                old, old.reviews, ledger.settings, isReviewed: isReviewed, at: ledger.now) : nil
        for field in fields {
            let before = row
            field.copy(from: values, to: &row)
            plan?.review(field.name, in: &row)
            if try Tables.profiles.differ(row, before, in: ledger.transaction) {
                field.copy(from: row, to: &reported)
                changed.append(field.name)
            }
        }
        for key in customKeys {
            var value = values.custom.value(of: key)
            let before = row.custom.value(of: key)
            guard plan != nil || before != value else { continue }
            row.custom.set(value, of: key)
            if plan != nil {
                plan?.review(CustomPath.prefix + key, in: &row)
                value = row.custom.value(of: key)
                guard before != value else { continue }
            }
            reported.custom.set(value, of: key)
            changed.append(CustomPath.prefix + key)
        }
        guard let plan, plan.hasChanged else {
            // An update that changes nothing succeeds, and no event reports it.
            guard !changed.isEmpty else { return .done(version: old.version, changed: isNew) }
            let version = try save(
                &row, since: old, reporting: &reported, changed, of: user, in: ledger)
            return .done(version: version, changed: true)
        }
        try Reviews.fetchCounts(in: ledger)
        guard try Reviews.haveRoom(for: plan.growth, in: ledger) else {
            return .reviewsFull(paths: plan.added, version: old.version)
        }
        row.reviews = try Reviews.carryOut(plan, of: user, in: ledger)
        let version = try save(
            &row, since: old, reporting: &reported, changed, of: user, in: ledger)
        try Reviews.notifyChanges(plan, row.reviews, of: user, in: ledger)
        return .done(version: version, changed: true)
    }

    /// Writes a profile after a decision about the value of the field of that path.
    static func save(
        _ row: ProfileRecord, since old: ProfileRecord, decided path: String, of user: UserID,
        in ledger: Ledger
    ) throws(StorageError) {
        var row = row
        var reported = ProfileRecord()
        var changed: [String] = []
        if let value = ReviewedValue(of: path, in: row),
            value != ReviewedValue(of: path, in: old)
        {
            value.set(at: path, into: &reported)
            changed.append(path)
        }
        _ = try save(&row, since: old, reporting: &reported, changed, of: user, in: ledger)
    }

    /// Writes a profile of which these fields changed; if it is none, its version stays.
    ///
    /// - Returns: The version of the profile.
    private static func save(
        _ row: inout ProfileRecord, since old: ProfileRecord,
        reporting reported: inout ProfileRecord, _ changed: [String], of user: UserID,
        in ledger: Ledger
    ) throws(StorageError) -> Int64 {
        guard !changed.isEmpty else {
            // Others see the same as before, so nothing tells them of the write.
            try Tables.profiles.set(
                row, at: ledger.partition(of: user), OnlyKey(), in: ledger.transaction)
            return old.version
        }
        try move(user, from: old.uniqueID, to: row.uniqueID, in: ledger)
        try FoundNames.move(user, from: old, to: row, in: ledger)
        row.version = ledger.settings.history.number(after: old.version)
        noteVersions(in: &row, since: old, changed, ledger.settings)
        reported.version = row.version
        try write(row, reporting: reported, changed, .profileChange, of: user, in: ledger)
        return row.version
    }

    /// Writes the profile of an import as it is, and notifies `user` of it as of a change.
    ///
    /// - Precondition: `user` is an account without a profile, and no other user has the unique
    ///   identifier.
    static func restore(
        _ row: ProfileRecord, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try move(user, from: nil, to: row.uniqueID, in: ledger)
        try FoundNames.move(user, from: ProfileRecord(), to: row, in: ledger)
        var row = row
        row.reviews = try Reviews.restore(row.reviews, of: user, in: ledger)
        let today = CalendarDay(of: ledger.now)
        var changed = ProfileField.stored.filter { $0.isSet(in: row, on: today) }.map(\.name)
        changed += row.custom.map { CustomPath.prefix + $0.key }
        try write(row, reporting: row, changed, .profileChange, of: user, in: ledger)
        let choices = row.fieldChoices.chosen
        guard row.visibility != .notSet || !choices.isEmpty else { return }
        try write(
            row, reporting: row, ["visibility"] + choices.map(\.path), .visibilityChanged,
            choices.map { ChangedFieldVisibility($0) }, of: user, in: ledger)
    }

    /// - Parameters:
    ///   - choices: The choices for single fields that changed.
    ///   - former: The same choices as they were before.
    static func write(
        _ row: ProfileRecord, reporting reported: ProfileRecord, _ changed: [String],
        _ kind: ChangeKind, _ choices: [ChangedFieldVisibility] = [],
        before former: [ChangedFieldVisibility] = [], of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        var row = row
        row.position = try ledger.position(of: kind, for: user)
        try Tables.profiles.set(
            row, at: ledger.partition(of: user), OnlyKey(), in: ledger.transaction)
        var item = ChangeItemRecord(about: user)
        item.profile = reported.forEvent(of: user)
        item.fields = changed
        if kind == .visibilityChanged { item.visibility = row.visibility }
        item.fieldVisibilities = choices
        item.formerFieldVisibilities = former
        try ledger.notify(user, kind, item)
    }

    /// Sets the versions that other users get after a change of the fields of those paths.
    ///
    /// A field with a rule of its own counts by itself, because not all who see the others see it.
    private static func noteVersions(
        in record: inout ProfileRecord, since old: ProfileRecord, _ changed: [String],
        _ settings: AppSettings
    ) {
        let rules = FieldRules(of: old, settings)
        var isOpen = false
        var isOnCard = false
        for path in changed where mayShow(path, settings) {
            if rules?.contains(path) ?? false {
                record.fieldChoices.note(record.version, of: path)
            } else {
                isOpen = true
                isOnCard = isOnCard || ProfileField(named: path)?.isAlwaysVisible ?? false
            }
        }
        record.noteVersions(since: old, isOpen: isOpen, isOnCard: isOnCard)
    }
}

extension ProfileRecord {
    /// The profile as events report it: with its user, and without the fields that only the store
    /// has.
    package func forEvent(of user: UserID) -> ProfileRecord {
        var reported = self
        reported.userID = user.text
        reported.visibility = .notSet
        reported.position = 0
        reported.openVersion = nil
        reported.cardVersion = nil
        reported.fieldChoices = []
        reported.reviews = []
        return reported
    }

    /// Sets the versions that other users get after a change of `old`.
    ///
    /// - Parameters:
    ///   - isOpen: Whether something changed that other users may see.
    ///   - isOnCard: Whether something changed that all other users see, whatever the visibility.
    mutating func noteVersions(since old: ProfileRecord, isOpen: Bool, isOnCard: Bool) {
        openVersion = isOpen ? version : old.openVersion ?? old.version
        cardVersion = isOnCard ? version : old.cardVersion ?? old.version
    }
}
