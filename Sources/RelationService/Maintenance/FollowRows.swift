import Protobuf
package import RelationAPI
package import RelationCalls
package import RelationCore
package import RelationModel

/// ImportFollows.
package enum FollowRows: ListImportRows {
    package typealias Result = ImportFollowsRowResult

    package static var name: String { MaintenanceMethods.importFollows.name }

    package static func value(_ row: FollowRow, _ app: App) throws(Refusal<FollowStatus>)
        -> FollowImport.Row
    {
        let (owner, user) = try ImportedPair.users(
            row.userID, row.followedUserID, row.followTimeMs, code: FollowStatus.invalidParameter)
        return FollowImport.Row(owner: owner, user: user, followTimeMs: row.followTimeMs)
    }

    package static func addKeys(
        _ row: FollowImport.Row, _ app: App, to keys: inout KeyList
    ) {
        FollowImport.keys(for: row, app: app, into: &keys)
    }

    package static func apply(
        _ row: FollowImport.Row, _ setup: ImportSetup, _ trail: inout ImportTrail,
        in ledger: Ledger
    ) throws(StorageError) -> FollowOutcome {
        try FollowImport.write(row, notify: setup.notify, in: ledger)
    }
}
