import RelationModel
import Storage

/// Rules over the credentials with which an app's backends and users sign in.
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

    /// The credentials that open the server: the operator's keys, and those of each app that takes
    /// calls.
    ///
    /// - Parameter known: The number of the newest end of sessions that the caller has of each app,
    ///   with the history of the app: it gets the later ones of them.
    package static func all(
        beyond known: [UInt32: (history: UInt64, last: Int64)] = [:],
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [AppCredentials] {
        var all = [
            AppCredentials(
                app: App.registry.id, secrets: [],
                credentials: try list(of: .registry, in: transaction))
        ]
        for row in try AppRules.list(after: 0, limit: .max, in: transaction)
        where row.record.state == .active {
            let app = App(id: row.id, settings: .tim)
            all.append(
                AppCredentials(
                    app: row.id, secrets: row.record.secrets,
                    credentials: try list(of: app, in: transaction),
                    sessions: try SessionRules.all(
                        of: app, row.record.history, beyond: known[row.id], in: transaction)))
        }
        return all
    }

    /// The result of adding a credential.
    package enum Creation: Equatable {
        case done
        /// The app already has as many as it may have.
        case full
        /// The app has this client certificate already.
        case exists
    }

    /// Adds an API key or a client certificate to the app of `ledger`.
    ///
    /// - Returns: ``Creation/done``, or the first of these that applies: ``Creation/exists``,
    ///   ``Creation/full``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func create(
        _ id: CredentialID, _ record: CredentialRecord, in ledger: Ledger
    ) throws(StorageError) -> Creation {
        let known = try list(of: ledger.app, in: ledger.transaction)
        let isKnown = known.contains { row in
            row.record.isCertificate && row.record.digest == record.digest
        }
        guard !record.isCertificate || !isKnown else { return .exists }
        guard known.count < Limits.credentials else { return .full }
        try Tables.credentials.set(
            record, at: ledger.app.partition, id, in: ledger.transaction)
        ledger.credentialChanges.append(
            CredentialChange(app: ledger.app.id, id: id, record: record))
        return .done
    }

    /// Removes a credential from the app of `ledger`; from then on it is refused.
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
        ledger.credentialChanges.append(
            CredentialChange(app: ledger.app.id, id: id, record: nil))
        return true
    }

    /// Notes that a call showed the credential `id` of `app` at `usedMs`, if it is there and no
    /// later use is noted.
    ///
    /// The number of changes of the apps stays: no server needs the time in memory.
    package static func note(
        _ id: CredentialID, usedMs: Int64, of app: App, in transaction: any WriteTransaction
    ) throws(StorageError) {
        let stored = try Tables.credentials.record(app.partition, id, in: transaction)
        guard var record = stored, record.lastUseMs < usedMs else { return }
        record.lastUseMs = usedMs
        try Tables.credentials.set(record, at: app.partition, id, in: transaction)
    }

    /// Adds the row that revoking the credential `id` of `app` reads.
    package static func keysForRevoking(
        _ id: CredentialID, of app: App, into keys: inout KeyList
    ) {
        Tables.credentials.add(app.partition, id, to: &keys)
    }

    /// Gives the app `id` a new secret for its users' signatures.
    ///
    /// The secret before it stays good until `oldValidUntilMs`, and any older one ends now. If it
    /// is the newest one already, nothing changes.
    ///
    /// - Returns: The app with its secrets, and whether it changed; nil if it is gone.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func rotate(
        _ secret: String, oldValidUntilMs: Int64, of id: UInt32, in ledger: Ledger
    ) throws(StorageError) -> (app: AppRecord, changed: Bool)? {
        guard let old = try AppRules.record(of: id, in: ledger.transaction), old.state == .active
        else { return nil }
        guard old.secrets.first?.text != secret else { return (old, false) }
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
