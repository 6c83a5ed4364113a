import Protobuf
import RelationAPI
import RelationAccess
import RelationCalls
import RelationCore
import RelationHooks
import RelationModel

/// Reads a row of an export that defines the app, or finds the rule that it breaks.
///
/// The definitions come before the first account.
struct AppDefinitionReader {
    /// The app with what the row defines.
    private(set) var app: AppRecord
    private(set) var position: ImportPosition
    /// Names the secret that the export lacks; nil if it lacks none.
    private(set) var missing: String?
    private let isOperator: Bool

    init(_ app: AppRecord, _ position: ImportPosition, isOperator: Bool) {
        self.app = app
        self.position = position
        self.isOperator = isOperator
    }

    mutating func read(_ row: ExportAppResponse) throws(AppRowError) {
        try Self.checkOrder(position)
        switch row.row {
        case .app(let row): try define(row)
        case .bounds(let bounds): try set(bounds)
        case .customField(let field): try add(field)
        case .clientApp(let client): try add(client)
        case .permission(let permission): try add(permission)
        case .secret(let secret): try add(secret)
        case .hook(let hook): try add(hook)
        default: throw AppRowError("", "the row is of no kind that this server knows")
        }
    }

    private static func checkOrder(_ position: ImportPosition) throws(AppRowError) {
        guard position.userID.isEmpty else {
            throw AppRowError(
                "", "the row must come before the first account", Reason.AppImport.order)
        }
    }

    private func checkOperator() throws(AppRowError) {
        guard isOperator else { throw Self.operatorsOnly }
    }

    private static let operatorsOnly = AppRowError(
        "", "only operators may import it", Reason.AppImport.operatorsOnly)

    // MARK: The app

    private mutating func define(_ row: ExportedApp) throws(AppRowError) {
        guard row.appID != 0 else { throw AppRowError("app_id", "must be given") }
        guard row.preset == .tim || row.preset == .rongCloud else {
            throw AppRowError("preset", "is not a preset that this server knows")
        }
        guard row.name.utf8.count <= Limits.appNameBytes else {
            throw AppRowError("name", "is too long")
        }
        let settings = try records(of: row.settings)
        let highest = try records(of: row.highest)
        let isOfBounds = { (record: SettingRecord) in
            AppSetting.numbered(record.number)?.isForOperators ?? false
        }
        guard !settings.contains(where: isOfBounds) else {
            throw AppRowError("settings.bounds", "must be in a row of its own")
        }
        app.preset = row.preset
        // A file of another system has no name for the app, and a team has given it one here.
        if !row.name.isEmpty { app.name = row.name }
        app.settings = (settings + app.settings.filter(isOfBounds)).sorted {
            $0.number < $1.number
        }
        app.highest = highest
        position.appID = row.appID
    }

    private mutating func set(_ bounds: AppBoundsMessage) throws(AppRowError) {
        try checkOperator()
        var message = AppSettingsMessage()
        message.bounds = bounds
        let records = try records(of: message)
        let numbers = records.map(\.number)
        app.settings.removeAll { numbers.contains($0.number) }
        app.settings = (app.settings + records).sorted { $0.number < $1.number }
    }

    private func records(
        of message: AppSettingsMessage?
    ) throws(AppRowError) -> [SettingRecord] {
        var violations = Violations()
        let settings = violations.settings(message)
        if let error = violations.first { throw AppRowError(error.field, error.rule) }
        return settings.map { $0.setting.record(of: $0.value) }
    }

    // MARK: Definitions

    private mutating func add(_ field: CustomFieldMessage) throws(AppRowError) {
        let known = app.customFields.lazy.map { (owner: $0.owner, key: $0.key) }
        if let violation = field.firstViolation(app.effectiveSettings.limits, among: known) {
            throw AppRowError(violation.field, violation.rule)
        }
        var record = CustomFieldRecord()
        record.owner = field.owner
        record.key = field.key
        record.type = field.valueType
        record.adminReads = field.adminReads
        record.adminWrites = field.adminWrites
        record.isRetired = field.retired
        app.customFields.append(record)
    }

    private mutating func add(_ client: ClientAppDescription) throws(AppRowError) {
        guard ClientAppID(client.clientAppID) != nil else {
            throw AppRowError("client_app_id", "is not an id of a client app")
        }
        guard client.name.utf8.count <= Limits.appNameBytes else {
            throw AppRowError("name", "is too long")
        }
        guard !app.clientApps.contains(where: { $0.id.isExactly(client.clientAppID) }),
            app.clientApps.count < Limits.clientApps
        else {
            throw AppRowError(
                "client_app_id", "the app has the client app already, or as many as it may")
        }
        var record = ClientAppRecord()
        record.id = client.clientAppID
        record.name = client.name
        app.clientApps.append(record)
    }

    private mutating func add(_ definition: PermissionDefinition) throws(AppRowError) {
        guard let name = PermissionName(definition.name) else {
            throw AppRowError("name", "is not a name of a permission")
        }
        guard definition.kind.isKnown, definition.access.isKnown else {
            throw AppRowError("kind", "is not a kind that this server knows")
        }
        let fields = definition.fields
        let areKnown = fields.allSatisfy { path in
            guard let key = CustomPath.key(in: path) else {
                return ProfileField(named: path) != nil
            }
            return app.customFields.contains { $0.owner == .profile && $0.key.isExactly(key) }
        }
        guard fields.count <= Limits.permissionFields, Set(fields).count == fields.count, areKnown
        else { throw AppRowError("fields", "names a field twice, or one that profiles lack") }
        guard (0...Limits.permissionLifetimeMs).contains(definition.lifetimeMs) else {
            throw AppRowError("lifetime_ms", "is out of its bounds")
        }
        guard !app.permissions.contains(where: { $0.name.isExactly(name.text) }),
            app.permissions.count < Limits.permissions
        else {
            throw AppRowError("name", "the app has the permission already, or as many as it may")
        }
        var permission = Permission(name, definition.kind, fields: fields)
        permission.access = definition.access
        permission.lifetimeMs = definition.lifetimeMs
        app.permissions.append(PermissionRecord(permission))
    }

    private mutating func add(_ exported: ExportedSecret) throws(AppRowError) {
        guard !exported.secret.isEmpty else {
            missing = "a secret of users' signatures, made at \(exported.createTimeMs)"
            return
        }
        try checkOperator()
        guard AppSecretText.isOne(exported.secret) else {
            throw AppRowError("secret", AppSecretText.rule)
        }
        guard app.secrets.count < Limits.appSecrets else {
            throw AppRowError("secret", "the app has as many secrets as it may have")
        }
        var record = SecretRecord()
        record.text = exported.secret
        record.createdMs = exported.createTimeMs
        record.validUntilMs = exported.expireTimeMs
        app.secrets.append(record)
    }

    private mutating func add(_ exported: ExportedHook) throws(AppRowError) {
        let hook = exported.hook ?? Hook()
        guard exported.secrets.allSatisfy({ !$0.secret.isEmpty }), !exported.secrets.isEmpty else {
            missing = "the hook \(hook.hookID.echoed(atMost: 64)), whose secret is not there"
            return
        }
        try checkOperator()
        guard hook.hookID.utf8.count == HookID.byteCount,
            !app.hooks.contains(where: { $0.id.isExactly(hook.hookID) }),
            app.hooks.count < Limits.hooks
        else {
            throw AppRowError(
                "hook.hook_id", "is not an id, or the app has the hook, or as many as it may")
        }
        guard hook.name.utf8.count <= Limits.appNameBytes else {
            throw AppRowError("hook.name", "is too long")
        }
        guard (1...Limits.hookURLBytes).contains(hook.url.utf8.count) else {
            throw AppRowError("hook.url", "is empty or too long")
        }
        guard hook.kinds.count <= Limits.hookKinds, hook.form.isKnown, hook.form != .unspecified
        else { throw AppRowError("hook.kinds", "are too many, or the form is unknown") }
        guard (1...Int32(Limits.hookBatch)).contains(hook.batchSize) else {
            throw AppRowError("hook.batch_size", "is out of its bounds")
        }
        guard hook.asks.allSatisfy({ $0.isKnown && $0 != .unspecified }), hook.silence.isKnown,
            Set(hook.asks).count == hook.asks.count,
            hook.askTimeoutMs == 0 || Limits.askMilliseconds.contains(hook.askTimeoutMs),
            !app.hooks.contains(where: { $0.shares(hook.asks) })
        else { throw AppRowError("hook.asks", "are unknown, twice, or those of another hook") }
        guard exported.secrets.count <= Limits.hookSecrets,
            exported.secrets.allSatisfy({ $0.secret.utf8.count <= Limits.importedNameBytes })
        else { throw AppRowError("secrets", "are too many or too long") }
        var record = HookRecord()
        record.id = hook.hookID
        record.name = hook.name
        record.url = hook.url
        record.kinds = hook.kinds
        record.form = hook.form
        record.batchSize = hook.batchSize
        record.usersOnly = hook.usersOnly
        record.asks = hook.asks
        record.silence = hook.silence
        record.askTimeoutMs = hook.askTimeoutMs
        record.asksOnly = hook.asksOnly
        guard record.isAskable else {
            throw AppRowError("hook.asks", "do not fit the other fields of the hook")
        }
        guard hook.form.rule(brokenBySecret: exported.secrets[0].secret) == nil else {
            throw AppRowError("secrets", "do not fit the form of the hook")
        }
        record.isPaused = true
        record.createdMs = hook.createTimeMs
        record.secrets = exported.secrets.map { exported in
            var record = SecretRecord()
            record.text = exported.secret
            record.createdMs = exported.createTimeMs
            record.validUntilMs = exported.expireTimeMs
            return record
        }
        app.hooks.append(record)
        app.hooks.sort { $0.id < $1.id }
    }

    // MARK: Credentials

    enum ReadCredential {
        case found(CredentialID, CredentialRecord)
        /// The export lacks its secret part, or it opens another app.
        case missing(String)
    }

    /// - Parameter id: The number of the app that the export is read into.
    static func credential(
        _ exported: ExportedCredential, _ position: ImportPosition, into id: UInt32,
        isOperator: Bool
    ) throws(AppRowError) -> ReadCredential {
        try checkOrder(position)
        let credential = exported.credential ?? Credential()
        let name = credential.credentialID
        guard (1...Limits.importedNameBytes).contains(name.utf8.count) else {
            throw AppRowError("credential.credential_id", "is empty or too long")
        }
        let isCertificate = !credential.certificateSHA256.isEmpty
        guard isCertificate || !exported.digest.isEmpty else {
            return .missing("the API key \(name), \(credential.name.echoed(atMost: 64))")
        }
        guard isCertificate || position.appID == id else {
            return .missing("the API key \(name), which names the app \(position.appID)")
        }
        guard isOperator else { throw operatorsOnly }
        let digest = isCertificate ? credential.certificateSHA256 : exported.digest
        guard digest.count == Limits.certificateDigestBytes else {
            throw AppRowError("digest", "must have \(Limits.certificateDigestBytes) bytes")
        }
        let grantable: [Scope] = [.read, .write, .watch, .admin]
        guard credential.scopes.allSatisfy(grantable.contains), credential.scopes.count <= 4 else {
            throw AppRowError("credential.scopes", "has a scope that no app may have")
        }
        guard credential.name.utf8.count <= Limits.appNameBytes else {
            throw AppRowError("credential.name", "is too long")
        }
        var record = CredentialRecord()
        record.name = credential.name
        record.scopes = credential.scopes
        record.createdMs = credential.createTimeMs
        record.expiresMs = credential.expireTimeMs
        record.digest = digest
        record.isCertificate = isCertificate
        return .found(CredentialID(name), record)
    }

    // MARK: Sessions

    /// The end of sessions in a row: of a user, or nil for all users.
    static func sessionEnd(
        _ row: ExportedSessionEnd, _ position: ImportPosition, at now: Timestamp
    ) throws(AppRowError) -> UserID? {
        try checkOrder(position)
        let user = UserID(row.userID)
        guard row.userID.isEmpty || user != nil else {
            throw AppRowError("session_end.user_id", "is not an id of a user")
        }
        let latest = now.milliseconds + AccessLimits.clockSkewMilliseconds
        guard (1...latest).contains(row.beforeTimeMs) else {
            throw AppRowError("session_end.before_time_ms", "must be given, and not of the future")
        }
        return user
    }
}
