package import RelationModel
import Storage

/// Rules over the choices of users about the ways in which others find them.
package enum FindSettingsRules {
    /// Takes the choices that `chosen` has; the others stay.
    ///
    /// To choose the same again changes nothing, and no event reports it.
    ///
    /// - Returns: Whether a choice changed.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func set(
        _ chosen: FindSettingsRecord, of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        guard let old = try ledger.userRecord(of: user) else { return false }
        var new = old
        new.apply(chosen)
        guard new.findSettings != old.findSettings else { return false }
        try write(chosen, of: user, in: ledger)
        try FoundNames.move(user, from: old, to: new, in: ledger)
        return true
    }

    /// Writes choices into the user's record, and notifies the user.
    static func write(
        _ chosen: FindSettingsRecord, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try ledger.changeUserRecord(of: user) { $0.apply(chosen) }
        var item = ChangeItemRecord(about: user)
        item.findSettings = try ledger.userRecord(of: user)?.findSettings
        try ledger.notify(user, .findSettingsChanged, item)
    }

    /// Adds the rows that setting the choices of `user` reads.
    package static func keysForSetting(_ user: UserID, app: App, into keys: inout KeyList) {
        Feed.addState(of: app, to: &keys)
        guard app.settings.findsUsers else { return }
        keys.addPossible { keys in
            Tables.profiles.add(app.partition(of: user), OnlyKey(), to: &keys)
        }
    }
}
