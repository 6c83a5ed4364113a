import RelationAccess
package import RelationCalls
import RelationCore
package import RelationModel
package import Storage

/// The credential above all apps.
///
/// It is made on the machine of the data and not by a call. A person who can read a server's folder
/// needs no permission from the server.
package enum OperatorKey {
    /// Makes the key of a store's operators, and the registry of apps if there is none.
    ///
    /// - Parameter replaces: Whether an existing key is revoked and replaced; otherwise it stays,
    ///   and no key is made.
    /// - Returns: The key, of which only a digest is stored; nil if no key was made.
    package static func make(
        in store: any Store, at now: Timestamp, randomness: Randomness = .system, replaces: Bool
    ) throws(StorageError) -> String? {
        _ = try Apps(of: store, at: now)
        let id = CredentialID(randomness.text(bytes: 8))
        let key = "\(App.registry.id).\(id.text).\(randomness.text(bytes: 32))"
        let partitions = [App.registry.partition]
        return try store.write(touching: partitions) {
            (transaction) throws(StorageError) -> String? in
            let known = try CredentialRules.list(of: .registry, in: transaction)
            guard known.isEmpty || replaces else { return nil }
            let ledger = Ledger(
                app: .registry, now: now, origin: Origin(user: nil), transaction: transaction)
            for row in known { _ = try CredentialRules.revoke(row.id, in: ledger) }
            var record = CredentialRecord()
            record.name = "operator"
            record.scopes = [.operator]
            record.createdMs = now.milliseconds
            record.digest = APIKey.digest(of: key.utf8)
            _ = try CredentialRules.create(id, record, in: ledger)
            try ledger.close()
            return key
        }
    }
}
