import GRPC
import RPC
import RelationAPI
import RelationAccess
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel

/// The calls of AppService about API keys, client certificates, and the secrets of users'
/// signatures.
enum CredentialHandlers {
    /// Gives when the credentials of an app were used last at this server, by their ids.
    typealias LastUses = @Sendable (UInt32) -> [String: Int64]

    static func register(in router: Router) {
        let randomness = router.randomness
        router.write(AppMethods.createCredential) { request, call, violations in
            create(request, call, &violations, randomness)
        }
        let apps = router.apps
        router.read(AppMethods.listCredentials) { request, call, violations in
            list(request, call, &violations, apps.lastUses(of:))
        }
        router.write(AppMethods.revokeCredential, revoke)
        router.write(AppMethods.rotateAppSecret) { request, call, violations in
            rotate(request, call, &violations, randomness)
        }
        router.write(AppMethods.importAppSecret, importSecret)
    }

    static func create(
        _ request: CreateCredentialRequest, _ call: Call, _ violations: inout Violations,
        _ randomness: Randomness
    ) -> Work<CreateCredentialResponse> {
        violations.length(request.name, "name", atMost: Limits.appNameBytes)
        let grantable: [Scope] = [.read, .write, .watch, .admin]
        let isRepeated = Set(request.scopes).count < request.scopes.count
        if request.scopes.isEmpty || isRepeated || !request.scopes.allSatisfy(grantable.contains) {
            violations.add(
                "scopes",
                "must be 1 to 4 different scopes out of SCOPE_READ, SCOPE_WRITE, SCOPE_WATCH"
                    + " and SCOPE_ADMIN")
        }
        violations.end(request.expireTimeMs, at: call.now)
        let certificate = request.certificateSHA256
        if !certificate.isEmpty, certificate.count != Limits.certificateDigestBytes {
            violations.add(
                "certificate_sha256",
                "has \(certificate.count) bytes, and must have none or"
                    + " \(Limits.certificateDigestBytes)")
        }
        // The key names its app and its credential, and only its last part is secret.
        let id = CredentialID(randomness.text(bytes: 8))
        let key = "\(call.app.id).\(id.text).\(randomness.text(bytes: 32))"
        var record = CredentialRecord()
        record.name = request.name
        record.scopes = grantable.filter(request.scopes.contains)
        record.createdMs = call.now.milliseconds
        record.expiresMs = request.expireTimeMs
        record.isCertificate = !certificate.isEmpty
        record.digest = record.isCertificate ? certificate : APIKey.digest(of: key.utf8)
        let isDryRun = request.options?.dryRun ?? false
        return Work(
            .one { (ledger) throws(StorageError) in
                switch try CredentialRules.create(id, record, in: ledger) {
                case .done: break
                case .exists:
                    return .failure(
                        RPCError(
                            .alreadyExists, .credentialExists,
                            "certificate_sha256: the app has that certificate already"))
                case .full:
                    return .failure(
                        .full(.tooManyCredentials, "the app", "credentials", Limits.credentials))
                }
                var response = CreateCredentialResponse()
                response.credential = Credential(id, record)
                let kept = response
                if !isDryRun, !record.isCertificate { response.key = key }
                return .success(WriteResult(response: response, applied: true, kept: kept))
            })
    }

    static func list(
        _ request: ListCredentialsRequest, _ call: Call, _ violations: inout Violations,
        _ lastUses: @escaping LastUses
    ) -> Reading<ListCredentialsResponse> {
        let app = call.app
        let query = "ListCredentials \(mark: app)"
        let page = KeyedPage(request.pageSize, request.pageToken, of: query, &violations)
        return Reading { (transaction) throws(StorageError) in
            let all = try CredentialRules.list(of: app, in: transaction)
            let shown = page.cut(all, by: \.id.text)
            var response = ListCredentialsResponse()
            let uses = lastUses(app.id)
            response.credentials = shown.rows.map { row in
                var credential = Credential(row.id, row.record)
                credential.lastUseTimeMs = max(uses[row.id.text] ?? 0, row.record.lastUseMs)
                return credential
            }
            response.nextPageToken = shown.nextToken
            response.totalSize = Int32(all.count)
            return response
        }
    }

    static func revoke(
        _ request: RevokeCredentialRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<RevokeCredentialResponse> {
        let id = violations.credentialID(request.credentialID)
        var work = Work<RevokeCredentialResponse>(
            .one { (ledger) throws(StorageError) in
                guard try CredentialRules.revoke(id, in: ledger) else {
                    return .failure(
                        RPCError(
                            .notFound, .credentialNotFound,
                            "credential_id: the app has no such credential"))
                }
                return .success(WriteResult(response: RevokeCredentialResponse(), applied: true))
            })
        CredentialRules.keysForRevoking(id, of: call.app, into: &work.keys)
        return work
    }

    static func rotate(
        _ request: RotateAppSecretRequest, _ call: Call, _ violations: inout Violations,
        _ randomness: Randomness
    ) -> Work<RotateAppSecretResponse> {
        let until = violations.endOfOldSecret(request.oldExpireTimeMs, at: call.now)
        let isGiven = !request.secret.isEmpty
        if isGiven { violations.appSecret(request.secret) }
        let secret = isGiven ? request.secret : randomness.text(bytes: 32)
        let isDryRun = request.options?.dryRun ?? false
        let id = call.app.id
        var work = Work<RotateAppSecretResponse>(
            .one { (ledger) throws(StorageError) in
                let rotated = try CredentialRules.rotate(
                    secret, oldValidUntilMs: until, of: id, in: ledger)
                guard let rotated else { return .failure(.unknownApp(id)) }
                var response = RotateAppSecretResponse()
                response.secrets = rotated.app.secrets.map(AppSecretDescription.init)
                let kept = response
                if !isDryRun, !isGiven { response.secret = secret }
                return .success(
                    WriteResult(response: response, applied: rotated.changed, kept: kept))
            })
        AppRules.keys(of: id, into: &work.keys)
        return work
    }

    static func importSecret(
        _ request: ImportAppSecretRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<ImportAppSecretResponse> {
        let id = request.appID
        if id == 0 { violations.add("app_id", "must be given") }
        violations.appSecret(request.secret)
        let until = violations.endOfOldSecret(request.oldExpireTimeMs, at: call.now)
        let secret = request.secret
        var work = Work<ImportAppSecretResponse>(
            .one { (ledger) throws(StorageError) in
                let rotated = try CredentialRules.rotate(
                    secret, oldValidUntilMs: until, of: id, in: ledger)
                guard let rotated else {
                    return .failure(
                        RPCError(.notFound, .appNotFound, "app_id: there is no app \(id)"))
                }
                var response = ImportAppSecretResponse()
                response.secrets = rotated.app.secrets.map(AppSecretDescription.init)
                return .success(WriteResult(response: response, applied: rotated.changed))
            })
        AppRules.keys(of: id, into: &work.keys)
        return work
    }
}

extension Violations {
    /// Checks until when the secret before stays good.
    ///
    /// - Returns: The time; 0 if there is a violation.
    fileprivate mutating func endOfOldSecret(_ time: Int64?, at now: Timestamp) -> Int64 {
        let field = "old_expire_time_ms"
        let latest = now.milliseconds + Limits.oldSecretMilliseconds
        guard let time else {
            add(field, "must be given, because 0 ends the old secret at once")
            return 0
        }
        guard (0...latest).contains(time) else {
            add(field, "must be 0 to \(latest), which is 30 days from now")
            return 0
        }
        return time
    }

    /// Checks a secret that an app brings along.
    ///
    /// The violation never shows it.
    fileprivate mutating func appSecret(_ secret: String) {
        let length = Limits.appSecretBytes
        guard length.contains(secret.utf8.count),
            secret.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            return add(
                "secret",
                "must be \(length.lowerBound) to \(length.upperBound) visible characters of ASCII")
        }
    }
}

extension Credential {
    init(_ id: CredentialID, _ record: CredentialRecord) {
        self.init()
        credentialID = id.text
        name = record.name
        scopes = record.scopes
        createTimeMs = record.createdMs
        expireTimeMs = record.expiresMs
        if record.isCertificate { certificateSHA256 = record.digest }
    }
}
