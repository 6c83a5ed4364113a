import RelationModel
package import Storage

/// Rules over what an app's backends and users sign in with.
package enum CredentialRules {
    /// The API keys of `app`, in the order of their ids.
    package static func list(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [(id: CredentialID, record: CredentialRecord)] {
        var rows: [(id: CredentialID, record: CredentialRecord)] = []
        var isBroken = false
        try Tables.credentials.scan(
            Tables.credentials.all(of: app.partition), limit: Limits.credentials, in: transaction
        ) { id, bytes in
            guard let record = Tables.credentials.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            rows.append((id, record))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a credential's row does not decode") }
        return rows
    }

    /// Adds an API key to the app of `ledger`.
    ///
    /// - Returns: Whether there was room for it.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func create(
        _ id: CredentialID, _ record: CredentialRecord, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let known = try list(of: ledger.app, in: ledger.transaction)
        guard known.count < Limits.credentials else { return false }
        try Tables.credentials.set(
            record, at: ledger.app.partition, id, in: ledger.transaction)
        return true
    }

    /// Removes an API key from the app of `ledger`: it opens nothing from then on.
    ///
    /// - Returns: Whether there was such a key.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func revoke(
        _ id: CredentialID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let partition = ledger.app.partition
        guard try Tables.credentials.contains(partition, id, in: ledger.transaction) else {
            return false
        }
        Tables.credentials.remove(partition, id, in: ledger.transaction)
        return true
    }

    /// Gives the app of `ledger` a new secret for its users' signatures.
    ///
    /// The one before stays good until `oldValidUntilMs`, and any older one ends now.
    ///
    /// - Returns: The app, with its secrets, or nil if it is gone.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func rotate(
        _ secret: String, oldValidUntilMs: Int64, in ledger: Ledger
    ) throws(StorageError) -> AppRecord? {
        let id = ledger.app.id
        guard let old = try AppRules.record(of: id, in: ledger.transaction) else { return nil }
        var app = old
        var record = SecretRecord()
        record.text = secret
        record.createdMs = ledger.now.milliseconds
        app.secrets = [record]
        if var previous = old.secrets.first, oldValidUntilMs >= ledger.now.milliseconds {
            previous.validUntilMs = oldValidUntilMs
            app.secrets.append(previous)
        }
        return try AppRules.replace(old, by: app, of: id, in: ledger)
    }
}
