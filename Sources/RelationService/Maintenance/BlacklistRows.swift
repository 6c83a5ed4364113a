import Protobuf
package import RelationAPI
package import RelationCalls
package import RelationCore
import RelationModel

/// ImportBlacklists.
package enum BlacklistRows: ListImportRows {
    package typealias Result = ImportRowResult

    package static var name: String { MaintenanceMethods.importBlacklists.name }

    package static func value(
        _ row: BlacklistRow, _ app: App
    ) throws(FriendRefusal) -> BlacklistImport.Row {
        let (owner, user) = try ImportedPair.users(
            row.userID, row.blockedUserID, row.addTimeMs, code: FriendStatus.invalidParameter)
        return BlacklistImport.Row(owner: owner, user: user, addTimeMs: row.addTimeMs)
    }

    package static func addKeys(
        _ row: BlacklistImport.Row, _ app: App, to keys: inout KeyList
    ) {
        BlacklistImport.keys(for: row, app: app, into: &keys)
    }

    package static func apply(
        _ row: BlacklistImport.Row, _ setup: ImportSetup, _ trail: inout ImportTrail,
        in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        try BlacklistImport.write(row, notify: setup.notify, in: ledger)
    }
}

/// The fields that a row of a blacklist and a follow share.
enum ImportedPair {
    /// The two users of a row.
    ///
    /// - Parameter code: The code of a refusal.
    static func users<Code: OutcomeCode>(
        _ owner: String, _ other: String, _ timeMs: Int64?, code: Code
    ) throws(Refusal<Code>) -> (owner: UserID, other: UserID) {
        guard let owner = UserID(owner) else {
            throw Refusal(code, Reason.ListImport.userIDIllegal)
        }
        guard let other = UserID(other) else {
            throw Refusal(code, Reason.ListImport.otherIDIllegal)
        }
        guard owner != other else { throw Refusal(code, Reason.ListImport.oneself) }
        guard timeMs ?? 0 >= 0 else { throw Refusal(code, Reason.ListImport.timeIllegal) }
        return (owner, other)
    }
}
