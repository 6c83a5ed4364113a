import GRPC
import Protobuf
package import RelationAPI
import RelationCalls
package import RelationCore
import RelationModel
package import RelationRuntime

/// ImportFriends.
package enum FriendRows: ImportRows {
    package static var name: String { MaintenanceMethods.importFriends.name }

    package static func setup(_ request: ImportFriendsRequest) -> ImportSetup {
        ImportSetup(
            options: request.options, notify: request.notify, importID: request.importID,
            firstRow: request.firstRow)
    }

    package static func row(
        _ request: ImportFriendsRequest, _ app: App
    ) -> ImportRow<FriendImport.Row>? {
        request.row.map {
            ImportRow(userID: $0.userID.echoed(), value: value($0, app.settings))
        }
    }

    private static func value(
        _ row: FriendRow, _ settings: AppSettings
    ) -> Result<FriendImport.Row, Refusal> {
        let limits = settings.limits
        guard let owner = UserID(row.userID) else {
            return .failure(Refusal(Reason.FriendImport.userIDIllegal))
        }
        guard let friend = UserID(row.friendUserID) else {
            return .failure(Refusal(Reason.FriendImport.friendIDIllegal))
        }
        guard owner != friend else { return .failure(Refusal(Reason.FriendImport.oneself)) }
        guard (row.addTimeMs ?? 0) >= 0, (row.remarkTimeMs ?? 0) >= 0 else {
            return .failure(Refusal(Reason.FriendImport.timeIllegal))
        }
        guard limits.remark.allows(row.remark ?? "") else {
            return .failure(Refusal(Reason.FriendImport.remarkIllegal))
        }
        let groups = row.groups?.values ?? []
        guard !GroupNames.areTooMany(groups) else {
            return .failure(Refusal(Outcome(.groupLimit, Reason.FriendImport.groupLimit)))
        }
        guard GroupNames.areLegal(groups, limits) else {
            return .failure(Refusal(Reason.FriendImport.groupIllegal))
        }
        guard let source = AddSource.stored(row.source ?? "") else {
            return .failure(Refusal(Reason.FriendImport.sourceIllegal))
        }
        guard limits.wording.allows(row.wording ?? "") else {
            return .failure(Refusal(Reason.FriendImport.wordingIllegal))
        }
        // An import acts as an administrator, and so may write every field.
        var value = FriendImport.Row(owner: owner, friend: friend)
        var custom = CustomValues(settings, isAdmin: true, .importing)
        do throws(Refusal) {
            try custom.take(row.custom)
            value.custom = try custom.checked()
        } catch {
            return .failure(error)
        }
        value.bothWays = row.bothWays
        value.addTimeMs = row.addTimeMs
        value.remark = row.remark
        value.remarkTimeMs = row.remarkTimeMs
        value.groups = row.groups?.values
        value.source = row.source == nil ? nil : source
        value.wording = row.wording
        return .success(value)
    }

    package static func addKeys(
        _ row: FriendImport.Row, _ app: App, to keys: inout KeyList
    ) {
        FriendImport.keys(for: row, app: app, into: &keys)
    }

    package static func apply(
        _ row: FriendImport.Row, _ setup: ImportSetup, _ trail: inout ImportTrail,
        in ledger: Ledger
    ) throws(StorageError) -> Outcome {
        try FriendImport.write(row, notify: setup.notify, in: ledger)
    }

    package static func response(
        _ result: ImportRowResult, _ detail: ImportRowDetail?
    ) -> ImportFriendsResponse {
        var response = ImportFriendsResponse()
        response.answer = .row(result)
        return response
    }

    package static func response(_ progress: ImportProgress) -> ImportFriendsResponse {
        var response = ImportFriendsResponse()
        response.answer = .progress(progress)
        return response
    }
}
