import GRPC
import Protobuf
package import RelationAPI
import RelationCalls
package import RelationCore
package import RelationModel

/// ImportAccounts.
package enum AccountRows: ImportRows {
    package typealias Request = ImportAccountsRequest
    package typealias Response = ImportAccountsResponse

    package struct Row {
        let user: UserID
        let nick: String
        let faceURL: String
    }

    package static var name: String { AccountMethods.importAccounts.name }

    package static func setup(_ request: ImportAccountsRequest) -> ImportSetup {
        ImportSetup(
            options: request.options, importID: request.importID, firstRow: request.firstRow)
    }

    package static func row(_ request: ImportAccountsRequest, _ app: App) -> ImportRow<
        Row, FriendStatus
    >? {
        request.row.map { ImportRow(userID: $0.userID.echoed(), value: value($0, app.settings)) }
    }

    private static func value(_ row: AccountRow, _ settings: AppSettings) -> Result<
        Row, FriendRefusal
    > {
        guard let user = UserID(row.userID) else {
            return .failure(FriendRefusal(Reason.AccountImport.userIDIllegal))
        }
        guard settings.limits.nick.allows(row.nick) else {
            return .failure(FriendRefusal(Reason.AccountImport.nickIllegal))
        }
        guard settings.limits.faceURL.allows(row.faceURL) else {
            return .failure(FriendRefusal(Reason.AccountImport.faceURLIllegal))
        }
        guard !settings.forbids(row.nick), !settings.forbids(row.faceURL) else {
            return .failure(
                FriendRefusal(Outcome(.sensitiveText, Reason.AccountImport.sensitiveText)))
        }
        return .success(Row(user: user, nick: row.nick, faceURL: row.faceURL))
    }

    package static func addKeys(_ row: Row, _ app: App, to keys: inout KeyList) {
        Accounts.keysForCreating(row.user, app: app, into: &keys)
    }

    package static func apply(
        _ row: Row, _ setup: ImportSetup, _ trail: inout ImportTrail,
        in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let creation = try Accounts.create(
            row.user, nick: row.nick, faceURL: row.faceURL, in: ledger)
        switch creation {
        case .made: return .success
        case .existed: return Outcome(.success, Reason.existed)
        case .isLeaving: return Outcome(.invalidParameter, Reason.AccountImport.isLeaving)
        }
    }
}
