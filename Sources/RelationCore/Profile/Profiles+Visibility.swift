package import RelationModel
import Storage

extension Profiles {
    /// A new choice for one field, as a call gives it.
    package struct FieldChoice: Sendable {
        package let path: String
        package let visibility: Visibility
        /// The names of the user's friend groups.
        package let groups: [String]

        package init(_ path: String, _ visibility: Visibility, _ groups: [String] = []) {
            self.path = path
            self.visibility = visibility
            self.groups = groups
        }
    }

    /// The result of new choices of who sees a profile.
    package enum Choosing: Equatable {
        /// The profile has this version now.
        case done(version: Int64, changed: Bool)
        /// Nothing was written: the profile has this version, and another was expected.
        case stale(version: Int64)
        /// Nothing was written: the profile has this version.
        case refused(ProfileStatus, Reason, version: Int64)
    }

    /// Sets the visibility of `user`'s profile.
    ///
    /// To choose the same visibility again changes nothing, and no event reports it.
    ///
    /// - Returns: The outcome for the profile; its account exists.
    package static func setVisibility(
        _ visibility: Visibility, of user: UserID, expectedVersion: Int64? = nil, in ledger: Ledger
    ) throws(StorageError) -> Choosing {
        try choose(visibility, [], of: user, expectedVersion: expectedVersion, in: ledger)
    }

    /// Adds the rows that choices for fields read, beside those of ``keys(of:uniqueID:app:into:)``.
    package static func keys(
        of user: UserID, choosing fields: [FieldChoice], app: App, into keys: inout KeyList
    ) {
        for name in fields.flatMap(\.groups) {
            Tables.groups.add(app.partition(of: user), GroupName(name), to: &keys)
        }
    }

    /// Sets who sees the profile of `user` as a whole, and single fields of it.
    ///
    /// It checks, in this order, that the groups exist, and that the fields and groups are not too
    /// many. If a choice is refused, none is made. A choice that is the present one changes
    /// nothing.
    ///
    /// - Parameters:
    ///   - visibility: Nil leaves the choice for the whole as it is.
    ///   - fields: Choices for different fields, checked but for their groups.
    package static func choose(
        _ visibility: Visibility?, _ fields: [FieldChoice], of user: UserID,
        expectedVersion: Int64? = nil, in ledger: Ledger
    ) throws(StorageError) -> Choosing {
        let old = try record(of: user, app: ledger.app, in: ledger.transaction)
        if let expectedVersion, expectedVersion != old.version {
            return .stale(version: old.version)
        }
        var row = old
        row.visibility = visibility ?? old.visibility
        var changed = row.visibility == old.visibility ? [] : ["visibility"]
        var choices: [ChangedFieldVisibility] = []
        var former: [ChangedFieldVisibility] = []
        for field in fields {
            let records = try Groups.records(
                field.groups, of: user, app: ledger.app, in: ledger.transaction)
            let groups = records.compactMap { $0?.number }.sorted()
            guard groups.count == field.groups.count else {
                return .refused(
                    .invalidParameter, Reason.VisibilitySet.groupNotExist, version: old.version)
            }
            let present = old.fieldChoices.index(of: field.path).map { old.fieldChoices[$0] }
            let before = present ?? FieldChoiceRecord(field.path, .notSet)
            guard before.visibility != field.visibility || before.groups != groups else {
                continue
            }
            row.fieldChoices.set(field.path) { $0.choose(field.visibility, groups) }
            changed.append(field.path)
            choices.append(ChangedFieldVisibility(field))
            former.append(ChangedFieldVisibility(before))
        }
        guard !changed.isEmpty else { return .done(version: old.version, changed: false) }
        if let reason = excess(of: row, over: old, ledger.settings) {
            return .refused(.sizeLimit, reason, version: old.version)
        }
        // The change counts as a version, so that viewers that compare versions read the profile
        // again. Viewers that see only the card learn nothing of it. Other viewers learn nothing of
        // a choice that equals the visibility that applied before, and nothing of a field that they
        // do not see.
        row.version = ledger.settings.history.number(after: old.version)
        let standard = ledger.settings
        row.noteVersions(
            since: old,
            isOpen: standard.visibility(chosen: old.visibility)
                != standard.visibility(chosen: row.visibility),
            isOnCard: false)
        row.noteRules(since: old, changed, standard)
        try write(
            row, reporting: row, changed, .visibilityChanged, choices, before: former, of: user,
            in: ledger)
        return .done(version: row.version, changed: true)
    }

    /// The reason for which a profile has too many choices; nil if it has not, or had as many.
    private static func excess(
        of row: ProfileRecord, over old: ProfileRecord, _ settings: AppSettings
    ) -> Reason? {
        let count = row.fieldChoices.chosen.count
        if count > settings.limits.fieldVisibilities, count > old.fieldChoices.chosen.count {
            return Reason.VisibilitySet.tooManyFields
        }
        let groups = Set(row.fieldChoices.flatMap(\.groups)).count
        if groups > Limits.groupsOfFields, groups > Set(old.fieldChoices.flatMap(\.groups)).count {
            return Reason.VisibilitySet.tooManyGroups
        }
        return nil
    }

    /// Whether some user beside the profile's own may see the field of that path.
    static func mayShow(_ path: String, _ settings: AppSettings) -> Bool {
        if let field = ProfileField(named: path) { return !field.isPrivate }
        guard let key = CustomPath.key(in: path) else { return false }
        return settings.customField(key, of: .profile)?.isReadable ?? false
    }

    /// The choices of `user` for single fields, with the present names of its groups.
    package static func fieldChoices(
        of record: ProfileRecord, _ user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [FieldChoice] {
        let chosen = record.fieldChoices.chosen
        var names: [UInt32: String] = [:]
        if chosen.contains(where: { !$0.groups.isEmpty }) {
            for (name, group) in try Groups.all(of: user, app: app, in: transaction) {
                names[group.number] = name
            }
        }
        return chosen.map { choice in
            FieldChoice(choice.path, choice.visibility, choice.groups.compactMap { names[$0] })
        }
    }
}

extension FieldChoiceRecord {
    fileprivate mutating func choose(_ visibility: Visibility, _ groups: [UInt32]) {
        (formerVisibility, formerGroups) = (self.visibility, self.groups)
        (self.visibility, self.groups) = (visibility, groups)
    }
}

extension ProfileRecord {
    /// Counts new choices for fields as changes of these fields, if another rule applies to them
    /// now.
    fileprivate mutating func noteRules(
        since old: ProfileRecord, _ changed: [String], _ settings: AppSettings
    ) {
        let (before, now) = (FieldRules(of: old, settings), FieldRules(of: self, settings))
        for path in changed where ProfilePath.isOfField(path) {
            guard !FieldRules.areEqual(before, now, on: path) else { continue }
            fieldChoices.note(version, of: path)
        }
    }
}

extension ChangeItemRecord {
    /// The rules before the choices that the event reports; nil if it reports none for fields.
    ///
    /// - Parameter row: The present profile, which alone knows the groups.
    func formerRules(now row: ProfileRecord, _ settings: AppSettings) -> FieldRules? {
        guard !formerFieldVisibilities.isEmpty else { return nil }
        var choices = row.fieldChoices
        for former in formerFieldVisibilities {
            choices.set(former.field) { choice in
                let known = choice.former
                choice.visibility = former.visibility ?? .notSet
                choice.groups = choice.visibility == known.visibility ? known.groups : []
            }
        }
        return FieldRules(choices, whole: row.visibility, settings.fieldDefaults)
    }
}

extension ChangedFieldVisibility {
    package init(_ choice: Profiles.FieldChoice) {
        field = choice.path
        visibility = choice.visibility
        groupNames = choice.groups
    }
}
