import GRPC
import Protobuf
package import RPC
package import RelationAPI
import RelationCalls
package import RelationCore
package import RelationModel

/// ImportApp.
package enum AppRows: ImportRows {
    package static var name: String { MaintenanceMethods.importApp.name }

    package static var takesDryRuns: Bool { true }

    package static func setup(_ request: ImportAppRequest) -> ImportSetup {
        ImportSetup(
            options: request.options, importID: request.importID, firstRow: request.firstRow)
    }

    package static func row(
        _ request: ImportAppRequest, _ app: App
    ) -> ImportRow<ExportAppResponse, FriendStatus>? {
        request.row.map { ImportRow(userID: $0.ownerID.echoed(), value: .success($0)) }
    }

    package static func refusal(ofFirst row: ExportAppResponse) -> RPCError? {
        var violations = Violations()
        guard case .point(let point) = row.row else {
            violations.add("row", "the first row must be a point, which begins every export")
            return violations.error
        }
        guard point.format > 0 else {
            violations.add("row.point.format", "must be given")
            return violations.error
        }
        let newest = Limits.exportFormat
        guard point.format > newest else { return nil }
        return RPCError(
            .failedPrecondition, .exportFormatNewer,
            "row.point.format: the export has the form \(point.format), and this server knows"
                + " those up to \(newest); import it into a newer server",
            metadata: ["limit": "\(newest)", "actual": "\(point.format)"])
    }

    package static func addOpeningKeys(_ app: App, to keys: inout KeyList) {
        AppImport.keysForOpening(app, into: &keys)
    }

    package static func refusal(in ledger: Ledger) throws(StorageError) -> RPCError? {
        guard try !AppImport.isEmpty(in: ledger) else { return nil }
        return RPCError(
            .failedPrecondition, .appNotEmpty,
            "the app has accounts, custom fields, client apps or permissions already; import the"
                + " export into a new app, or go on under the import's id")
    }

    package static func apply(
        _ row: ExportAppResponse, _ setup: ImportSetup, _ trail: inout ImportTrail,
        in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let answer: Result<FriendOutcome, AppRowError> =
            switch row.row {
            case .point: try begin(setup, in: ledger)
            case .credential(let credential): try write(credential, setup, &trail, in: ledger)
            case .sessionEnd(let end): try write(end, setup, &trail, in: ledger)
            case .app, .bounds, .customField, .clientApp, .permission, .secret, .hook:
                try define(row, setup, &trail, in: ledger)
            default: try write(row, setup, &trail, in: ledger)
            }
        switch answer {
        case .success(let outcome):
            trail.detail?.kind = row.kindName
            return outcome
        case .failure(let failure):
            trail.detail = ImportRowDetail(
                kind: row.kindName, field: failure.field, rule: failure.rule)
            return Outcome(.invalidParameter, failure.reason)
        }
    }

    private static func begin(
        _ setup: ImportSetup, in ledger: Ledger
    ) throws(StorageError) -> Result<FriendOutcome, AppRowError> {
        if !setup.isDryRun { try AppImport.begin(in: ledger) }
        return .success(.success)
    }

    /// Writes a row of a user.
    private static func write(
        _ row: ExportAppResponse, _ setup: ImportSetup, _ trail: inout ImportTrail,
        in ledger: Ledger
    ) throws(StorageError) -> Result<FriendOutcome, AppRowError> {
        var reader = AppRowReader(trail.position ?? ImportPosition(), ledger.settings)
        let user: UserID
        let content: AppExport.Content
        do throws(AppRowError) {
            (user, content) = try reader.read(row)
        } catch {
            return .failure(error)
        }
        if !setup.isDryRun {
            if case .profile(let record) = content, let id = record.uniqueID,
                try AppImport.isTaken(id, byOtherThan: user, in: ledger)
            {
                return .failure(
                    AppRowError(
                        "profile.unique_id", "another user has it",
                        Reason.AppImport.uniqueIDTaken))
            }
            guard try AppImport.write(content, of: user, in: ledger) else {
                return .failure(
                    AppRowError(
                        "user_id", "an account of that id exists, or is still being deleted"))
            }
        }
        trail.position = reader.position
        return .success(.success)
    }

    /// Changes the definition of the app.
    private static func define(
        _ row: ExportAppResponse, _ setup: ImportSetup, _ trail: inout ImportTrail,
        in ledger: Ledger
    ) throws(StorageError) -> Result<FriendOutcome, AppRowError> {
        let old = try AppImport.definition(trail.draft, in: ledger)
        var reader = AppDefinitionReader(
            old, trail.position ?? ImportPosition(), isOperator: setup.isOperator)
        do throws(AppRowError) {
            try reader.read(row)
        } catch {
            return .failure(error)
        }
        trail.position = reader.position
        if let missing = reader.missing {
            trail.detail = ImportRowDetail(rule: missing)
            return .success(Outcome(.success, Reason.AppImport.credentialMissing))
        }
        if setup.isDryRun {
            trail.draft = reader.app
            ledger.appChange = AppChange(
                App(id: ledger.app.id, settings: reader.app.effectiveSettings))
        } else {
            try AppImport.define(reader.app, insteadOf: old, in: ledger)
            if case .hook(let hook) = row.row {
                try Hooks.begin(HookID(hook.hook?.hookID ?? ""), reader.app, in: ledger)
            }
        }
        return .success(.success)
    }

    /// Adds a credential to the app.
    private static func write(
        _ exported: ExportedCredential, _ setup: ImportSetup, _ trail: inout ImportTrail,
        in ledger: Ledger
    ) throws(StorageError) -> Result<FriendOutcome, AppRowError> {
        let position = trail.position ?? ImportPosition()
        let read: AppDefinitionReader.ReadCredential
        do throws(AppRowError) {
            read = try AppDefinitionReader.credential(
                exported, position, into: ledger.app.id, isOperator: setup.isOperator)
        } catch {
            return .failure(error)
        }
        switch read {
        case .missing(let rule):
            trail.detail = ImportRowDetail(rule: rule)
            return .success(Outcome(.success, Reason.AppImport.credentialMissing))
        case .found(let id, let record):
            let known = try CredentialRules.list(of: ledger.app, in: ledger.transaction)
            guard !known.contains(where: { $0.id == id }) else {
                return .failure(
                    AppRowError("credential.credential_id", "the app has it already"))
            }
            guard !setup.isDryRun else { return .success(.success) }
            guard try CredentialRules.create(id, record, in: ledger) == .done else {
                return .failure(
                    AppRowError(
                        "credential",
                        "the app has the certificate, or as many credentials as it may have"))
            }
            return .success(.success)
        }
    }

    /// Ends the sessions of a user, or those of all.
    private static func write(
        _ end: ExportedSessionEnd, _ setup: ImportSetup, _ trail: inout ImportTrail,
        in ledger: Ledger
    ) throws(StorageError) -> Result<FriendOutcome, AppRowError> {
        let user: UserID?
        do throws(AppRowError) {
            user = try AppDefinitionReader.sessionEnd(
                end, trail.position ?? ImportPosition(), at: ledger.now)
        } catch {
            return .failure(error)
        }
        guard !setup.isDryRun else { return .success(.success) }
        if let user {
            _ = try SessionRules.end(user, before: end.beforeTimeMs, in: ledger)
        } else {
            try SessionRules.raiseFloor(to: end.beforeTimeMs, in: ledger)
        }
        return .success(.success)
    }

    package static func response(_ row: ImportRowOutcome<FriendStatus>) -> ImportAppResponse {
        ImportAppResponse.with { $0.answer = .row(ImportAppRowResult(row)) }
    }

    package static func response(_ progress: ImportProgress) -> ImportAppResponse {
        ImportAppResponse.with { $0.answer = .progress(progress) }
    }
}

/// The reason why a row of an export is refused: its field, and the rule that it breaks.
struct AppRowError: Error {
    let field: String
    let rule: String
    let reason: Reason

    init(_ field: String, _ rule: String, _ reason: Reason = Reason.AppImport.rowIllegal) {
        self.field = field
        self.rule = rule
        self.reason = reason
    }
}

extension ExportAppResponse {
    /// The name of the row's case in the contract; empty if it has none that this server knows.
    fileprivate var kindName: String {
        switch row {
        case .account: "account"
        case .profile: "profile"
        case .friendEntry: "friend_entry"
        case .group: "group"
        case .application: "application"
        case .blacklistEntry: "blacklist_entry"
        case .point: "point"
        case .consent: "consent"
        case .subscription: "subscription"
        case .invitation: "invitation"
        case .invitationUse: "invitation_use"
        case .app: "app"
        case .bounds: "bounds"
        case .customField: "custom_field"
        case .clientApp: "client_app"
        case .permission: "permission"
        case .credential: "credential"
        case .secret: "secret"
        case .follow: "follow"
        case .sessionEnd: "session_end"
        case .dismissedSuggestion: "dismissed_suggestion"
        case .status: "status"
        case .hook: "hook"
        case .suspension: "suspension"
        case .report: "report"
        case .contactDigests: "contact_digests"
        case .devices: "devices"
        case nil: ""
        }
    }

    /// The user that the row belongs to; empty for a row of the app.
    fileprivate var ownerID: String { subject?.userID ?? "" }

    /// The rows that writing a user's row touches.
    fileprivate struct Subject {
        let section: AppExport.Section
        let userID: String
        var otherID = ""
        var groups: [String] = []
        var uniqueID: String?
    }

    fileprivate var subject: Subject? {
        switch row {
        case .account(let row): Subject(section: .account, userID: row.userID)
        case .profile(let row):
            Subject(
                section: .account, userID: row.profile?.userID ?? "",
                uniqueID: row.profile.flatMap { $0.uniqueID.isEmpty ? nil : $0.uniqueID })
        case .friendEntry(let row):
            Subject(
                section: .friends, userID: row.userID, otherID: row.entry?.userID ?? "",
                groups: row.entry?.groups ?? [])
        case .group(let row):
            Subject(
                section: .groups, userID: row.userID, groups: (row.group?.name).map { [$0] } ?? [])
        case .application(let row):
            Subject(
                section: .pendencies, userID: row.userID, otherID: row.application?.userID ?? "")
        case .blacklistEntry(let row): Subject(section: .blacklist, userID: row.userID)
        case .consent(let row): Subject(section: .consent, userID: row.userID)
        case .subscription(let row):
            Subject(
                section: .subscriptions, userID: row.userID,
                otherID: row.subscription?.userID ?? "")
        case .follow(let row):
            Subject(section: .follows, userID: row.userID, otherID: row.entry?.userID ?? "")
        case .invitation(let row): Subject(section: .invitations, userID: row.userID)
        case .invitationUse(let row): Subject(section: .invitationUses, userID: row.userID)
        case .dismissedSuggestion(let row): Subject(section: .dismissals, userID: row.userID)
        case .status(let row): Subject(section: .statuses, userID: row.userID)
        case .suspension(let row): Subject(section: .suspensions, userID: row.userID)
        case .report(let row): Subject(section: .reports, userID: row.reportedUserID)
        case .contactDigests(let row): Subject(section: .contactDigests, userID: row.userID)
        case .devices(let row): Subject(section: .seenDevices, userID: row.userID)
        default: nil
        }
    }
}

extension AppRows {
    /// Adds the rows that writing `row` reads.
    package static func addKeys(_ row: ExportAppResponse, _ app: App, to keys: inout KeyList) {
        if case .sessionEnd(let end) = row.row {
            let users = [UserID(end.userID)].compactMap(\.self)
            return SessionRules.keys(of: users, app: app, into: &keys)
        }
        if case .hook = row.row { return Hooks.keysForCreating(app, into: &keys) }
        guard let subject = row.subject else { return AppRules.keys(of: app.id, into: &keys) }
        guard let user = UserID(subject.userID) else { return }
        AppImport.keys(
            of: subject.section, user, UserID(subject.otherID),
            groups: subject.groups.filter {
                (1...Limits.importedNameBytes).contains($0.utf8.count)
            },
            uniqueID: subject.uniqueID.flatMap {
                $0.utf8.count <= Limits.importedNameBytes ? $0 : nil
            },
            app: app, into: &keys)
    }
}
