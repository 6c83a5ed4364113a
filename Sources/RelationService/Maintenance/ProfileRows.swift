import Protobuf
package import RelationAPI
import RelationCalls
package import RelationCore
package import RelationModel

/// ImportProfiles.
package enum ProfileRows: ImportRows {
    package typealias Request = ImportProfilesRequest
    package typealias Response = ImportProfilesResponse

    package struct Row {
        let user: UserID
        let update: ProfileUpdate
    }

    package static var name: String { MaintenanceMethods.importProfiles.name }

    package static func setup(_ request: ImportProfilesRequest) -> ImportSetup {
        ImportSetup(
            options: request.options, importID: request.importID, firstRow: request.firstRow)
    }

    package static func row(_ request: ImportProfilesRequest, _ app: App) -> ImportRow<
        Row, ProfileStatus
    >? {
        request.row.map {
            ImportRow(userID: $0.userID.echoed(), value: value($0, app.settings))
        }
    }

    private static func value(
        _ row: ProfileRow, _ settings: AppSettings
    ) -> Result<Row, Refusal<ProfileStatus>> {
        guard let user = UserID(row.userID) else {
            return .failure(Refusal(.invalidParameter, Reason.ProfileGet.userIDIllegal))
        }
        var update = ProfileUpdate(settings, isAdmin: true)
        update.read(row.profile ?? Profile(), mask: row.updateMask?.paths ?? [])
        return .success(Row(user: user, update: update))
    }

    package static func addKeys(_ row: Row, _ app: App, to keys: inout KeyList) {
        Accounts.keysForNaming(row.user, app: app, into: &keys)
        Profiles.keys(
            of: row.user, uniqueID: row.update.values.uniqueID, app: app, into: &keys)
    }

    package static func apply(
        _ row: Row, _ setup: ImportSetup, _ trail: inout ImportTrail, in ledger: Ledger
    ) throws(StorageError) -> Outcome<ProfileStatus> {
        guard try Accounts.ensureExists(row.user, in: ledger) else {
            return Outcome(.accountNotFound, Reason.ProfileGet.accountNotExist)
        }
        if let first = try row.update.violations(of: row.user, in: ledger).first {
            trail.detail = ImportRowDetail(field: first.key)
            return Outcome(first.code ?? .invalidParameter, first.reason)
        }
        let result = try Profiles.update(
            row.user, row.update.values, fields: row.update.fields,
            customKeys: row.update.customKeys, expectedVersion: nil, isReviewed: false,
            in: ledger)
        switch result {
        case .done(_, let changed): return .done(changing: changed)
        // The account is there, no version is expected, and nothing is reviewed.
        case .isLeaving, .stale, .reviewsFull:
            return Outcome(.accountNotFound, Reason.ProfileGet.accountNotExist)
        }
    }
}
