import RelationModel
import Storage

/// Rules over the keys of a server's operators: the credentials of the registry.
///
/// The registry is the app of each ledger here.
package enum OperatorKeyRules {
    /// Adds a key to the registry.
    ///
    /// - Returns: Whether there was room for it.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func create(
        _ id: CredentialID, _ record: CredentialRecord, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        guard try list(in: ledger).count < Limits.operatorKeys else { return false }
        return try CredentialRules.create(id, record, in: ledger) == .done
    }

    /// The result of ending a key.
    package enum Revocation: Equatable {
        case done
        case unknown
        /// No other key is good for ever, so that operators might be shut out one day.
        case last
    }

    /// Removes a key from the registry; from then on it is refused.
    ///
    /// - Returns: ``Revocation/done``, or the first of these that applies: ``Revocation/unknown``,
    ///   ``Revocation/last``.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func revoke(
        _ id: CredentialID, in ledger: Ledger
    ) throws(StorageError) -> Revocation {
        let known = try list(in: ledger)
        guard let row = known.first(where: { $0.id == id }) else { return .unknown }
        let isOther = known.contains { $0.id != id && $0.record.expiresMs == 0 }
        guard row.record.expiresMs != 0 || isOther else { return .last }
        return try CredentialRules.revoke(id, in: ledger) ? .done : .unknown
    }

    /// Removes all keys, and adds one instead.
    ///
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func replaceAll(
        by id: CredentialID, _ record: CredentialRecord, in ledger: Ledger
    ) throws(StorageError) {
        for row in try list(in: ledger) {
            _ = try CredentialRules.revoke(row.id, in: ledger)
        }
        _ = try create(id, record, in: ledger)
    }

    /// The keys, in the order of their ids.
    package static func list(
        in ledger: Ledger
    ) throws(StorageError) -> [(id: CredentialID, record: CredentialRecord)] {
        try CredentialRules.list(of: ledger.app, in: ledger.transaction)
    }
}
