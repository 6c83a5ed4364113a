import RelationModel
package import Storage

/// The index of the names by which users of an app are found, and of the beginnings of ids if the
/// app lets these find users.
///
/// It has rows only in apps that let users be found. Users that no user may find in some way stand
/// apart from the others there, so a search passes no row of them.
package enum FoundNames {
    /// The rows of an account with these records.
    static func rows(
        of user: UserID, _ userRecord: UserRecord, _ profile: ProfileRecord,
        _ settings: AppSettings
    ) -> [FoundName] {
        FoldedName(profile.nick).rows(
            of: user, isHidden: !userRecord.canBeFound(by: .name, settings))
            + ids(of: user, profile, settings).map { by, letters in
                FoundName(
                    FoundName.Part(by, isHidden: !userRecord.canBeFound(by: by.way, settings)),
                    letters, user)
            }
    }

    /// The ids of a user by whose beginnings it is found.
    static func ids(
        of user: UserID, _ profile: ProfileRecord, _ settings: AppSettings
    ) -> [(by: FoundBy, letters: [UInt8])] {
        guard settings.findsIDBeginnings else { return [] }
        var ids = [(FoundBy.idBeginning, Array(user.text.utf8))]
        if let id = profile.uniqueID { ids.append((.uniqueIDBeginning, Array(id.utf8))) }
        return ids
    }

    /// Replaces rows of the index by others.
    static func replace(
        _ old: [FoundName], by new: [FoundName], in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.app.foundNames
        for row in old where !new.contains(row) {
            Tables.foundNames.remove(partition, row, in: ledger.transaction)
        }
        for row in new where !old.contains(row) {
            try Tables.foundNames.set(EmptyRecord(), at: partition, row, in: ledger.transaction)
        }
    }

    /// Moves `user` from one profile to another, if the app has the index; nil while it
    /// is not an account.
    static func move(
        _ user: UserID, from old: ProfileRecord?, to new: ProfileRecord?, in ledger: Ledger
    ) throws(StorageError) {
        let settings = ledger.settings
        guard settings.findsUsers, !haveSameNames(old, new, settings),
            let record = try ledger.userRecord(of: user)
        else { return }
        try replace(
            old.map { rows(of: user, record, $0, settings) } ?? [],
            by: new.map { rows(of: user, record, $0, settings) } ?? [], in: ledger)
    }

    private static func haveSameNames(
        _ old: ProfileRecord?, _ new: ProfileRecord?, _ settings: AppSettings
    ) -> Bool {
        guard old?.nick == new?.nick else { return false }
        guard settings.findsIDBeginnings else { return true }
        return (old == nil) == (new == nil) && old?.uniqueID == new?.uniqueID
    }

    /// Moves `user` from one choice about who may find it to another, if the app has the index.
    static func move(
        _ user: UserID, from old: UserRecord, to new: UserRecord, in ledger: Ledger
    ) throws(StorageError) {
        let settings = ledger.settings
        let ways: [FindWay] = settings.findsIDBeginnings ? [.name, .id, .uniqueID] : [.name]
        guard settings.findsUsers,
            ways.contains(where: { way in
                old.canBeFound(by: way, settings) != new.canBeFound(by: way, settings)
            })
        else { return }
        let profile =
            try Tables.profiles.record(
                ledger.partition(of: user), OnlyKey(), in: ledger.transaction) ?? ProfileRecord()
        try replace(
            rows(of: user, old, profile, settings), by: rows(of: user, new, profile, settings),
            in: ledger)
    }
}

extension FoundBy {
    /// The choice of a user that decides about it.
    var way: FindWay {
        switch self {
        case .id, .idBeginning: .id
        case .uniqueID, .uniqueIDBeginning: .uniqueID
        default: .name
        }
    }
}

extension App {
    /// The index of names, and its state.
    package var foundNames: Partition { Partition(app: id, name: [0x1E]) }
}
