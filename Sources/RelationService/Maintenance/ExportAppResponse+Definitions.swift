import Protobuf
import RelationAPI
import RelationCore
import RelationModel

/// The rows of an export that define the app, in the order in which an import needs them.
extension ExportAppResponse {
    /// - Parameter withSecrets: Whether keys and secrets have what opens the app.
    static func definitions(
        of id: UInt32, _ record: AppRecord,
        _ credentials: [(id: CredentialID, record: CredentialRecord)],
        _ sessions: AppSessions, withSecrets: Bool
    ) -> [ExportAppResponse] {
        let isOfBounds = { (setting: SettingRecord) in
            AppSetting.numbered(setting.number)?.isForOperators ?? false
        }
        var app = ExportedApp()
        app.appID = id
        app.preset = record.preset
        app.name = record.name
        app.createTimeMs = record.createdMs
        app.settings = SettingsVisitor.message(of: record.settings.filter { !isOfBounds($0) })
        app.highest = SettingsVisitor.message(of: record.highest)
        var rows = [ExportAppResponse(.app(app))]
        if let bounds = SettingsVisitor.message(of: record.settings.filter(isOfBounds))?.bounds {
            rows.append(ExportAppResponse(.bounds(bounds)))
        }
        rows += record.customFields.map {
            ExportAppResponse(.customField(CustomFieldMessage($0)))
        }
        rows += record.clientApps.map {
            ExportAppResponse(.clientApp(ClientAppDescription($0.clientApp)))
        }
        rows += record.permissions.map {
            ExportAppResponse(.permission(PermissionDefinition($0.permission)))
        }
        for (id, record) in credentials {
            let digest = withSecrets && !record.isCertificate ? record.digest : []
            let credential = ExportedCredential.with {
                $0.credential = Credential(id, record)
                $0.digest = digest
            }
            rows.append(ExportAppResponse(.credential(credential)))
        }
        rows += record.secrets.map {
            ExportAppResponse(.secret(ExportedSecret($0, withSecrets)))
        }
        rows += record.hooks.map { ExportAppResponse(.hook(ExportedHook($0, withSecrets))) }
        return rows + ends(of: sessions)
    }

    /// The ends of users' sessions, after the one that holds for all users.
    ///
    /// The ends of erased users have no id that another server could compare.
    private static func ends(of sessions: AppSessions) -> [ExportAppResponse] {
        let floor = sessions.floorMs == 0 ? [] : [("", sessions.floorMs)]
        let named = sessions.ends.filter { !SessionRules.isErased($0.user) }
        return (floor + named.map { ($0.user.text, $0.beforeMs) }).map { user, beforeMs in
            let end = ExportedSessionEnd.with {
                $0.userID = user
                $0.beforeTimeMs = beforeMs
            }
            return ExportAppResponse(.sessionEnd(end))
        }
    }
}

extension ExportedSecret {
    fileprivate init(_ record: SecretRecord, _ hasText: Bool) {
        self.init()
        createTimeMs = record.createdMs
        expireTimeMs = record.validUntilMs
        secret = hasText ? record.text : ""
    }
}

extension ExportedHook {
    fileprivate init(_ record: HookRecord, _ hasSecrets: Bool) {
        self.init()
        var hook = Hook()
        hook.hookID = record.id
        hook.name = record.name
        hook.url = record.url
        hook.kinds = record.kinds
        hook.form = record.form
        hook.batchSize = record.batchSize
        hook.usersOnly = record.usersOnly
        hook.state = record.isPaused ? .paused : .active
        hook.createTimeMs = record.createdMs
        hook.asks = record.asks
        hook.silence = record.silence
        hook.askTimeoutMs = record.askTimeoutMs
        hook.asksOnly = record.asksOnly
        self.hook = hook
        secrets = record.secrets.map { ExportedSecret($0, hasSecrets) }
    }
}
