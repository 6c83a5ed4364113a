import Protobuf
package import RelationAPI
package import RelationCalls
package import RelationCore
import RelationModel

/// ImportFriends.
package enum FriendRows: ListImportRows {
    package typealias Result = ImportRowResult

    package static var name: String { MaintenanceMethods.importFriends.name }

    package static func value(
        _ row: FriendRow, _ app: App
    ) throws(FriendRefusal) -> FriendImport.Row {
        let validator = FriendValuesValidator(.importing, app, isAdmin: true)
        let owner = try validator.user(row.userID)
        guard let friend = UserID(row.friendUserID) else {
            throw FriendRefusal(Reason.FriendImport.friendIDIllegal)
        }
        guard owner != friend else { throw FriendRefusal(Reason.FriendImport.oneself) }
        guard (row.addTimeMs ?? 0) >= 0, (row.remarkTimeMs ?? 0) >= 0 else {
            throw FriendRefusal(Reason.FriendImport.timeIllegal)
        }
        var value = FriendImport.Row(owner: owner, friend: friend)
        value.bothWays = row.bothWays
        value.values.addTimeMs = row.addTimeMs
        value.values.remark = row.remark
        value.values.remarkTimeMs = row.remarkTimeMs
        value.values.groups = row.groups?.values
        value.values.source = row.source
        value.values.wording = row.wording
        value.values.starred = row.starred
        value.values.pinOrder = row.pinOrder
        value.values.muteUntilMs = row.muteUntilMs
        value.values.ignored = row.ignored
        try validator.check(&value.values, custom: row.custom)
        return value
    }

    package static func addKeys(
        _ row: FriendImport.Row, _ app: App, to keys: inout KeyList
    ) {
        FriendImport.keys(for: row, app: app, into: &keys)
    }

    package static func apply(
        _ row: FriendImport.Row, _ setup: ImportSetup, _ trail: inout ImportTrail,
        in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        try FriendImport.write(row, notify: setup.notify, in: ledger)
    }
}
