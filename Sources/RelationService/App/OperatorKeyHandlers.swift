import GRPC
import RPC
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel

/// The calls of AppService about the keys of operators.
enum OperatorKeyHandlers {
    static func register(in router: Router) {
        let randomness = router.randomness
        router.write(AppMethods.createOperatorKey) { request, call, violations in
            create(request, call, &violations, randomness)
        }
        let apps = router.apps
        router.read(AppMethods.listOperatorKeys) { request, call, violations in
            list(request, call, &violations, apps.lastUses(of:))
        }
        router.write(AppMethods.revokeOperatorKey, revoke)
    }

    static func create(
        _ request: CreateOperatorKeyRequest, _ call: Call, _ violations: inout Violations,
        _ randomness: Randomness
    ) -> Work<CreateOperatorKeyResponse> {
        if request.name.isEmpty { violations.add("name", "must be given") }
        violations.length(request.name, "name", atMost: Limits.appNameBytes)
        violations.end(request.expireTimeMs, at: call.now)
        let key = NewOperatorKey(
            request.name, expiresMs: request.expireTimeMs, at: call.now, randomness)
        let isDryRun = request.options?.dryRun ?? false
        return Work(
            .one { (ledger) throws(StorageError) in
                guard try OperatorKeyRules.create(key.id, key.record, in: ledger) else {
                    return .failure(
                        .full(
                            .tooManyCredentials, "the server", "keys of operators",
                            Limits.operatorKeys))
                }
                var response = CreateOperatorKeyResponse()
                response.operatorKey = OperatorKey(key.id, key.record)
                let kept = response
                if !isDryRun { response.key = key.text }
                return .success(WriteResult(response: response, applied: true, kept: kept))
            })
    }

    static func list(
        _ request: ListOperatorKeysRequest, _ call: Call, _ violations: inout Violations,
        _ lastUses: @escaping CredentialHandlers.LastUses
    ) -> Reading<ListOperatorKeysResponse> {
        let app = call.app
        let query = "ListOperatorKeys \(mark: app)"
        let page = KeyedPage(request.pageSize, request.pageToken, of: query, &violations)
        return Reading { (transaction) throws(StorageError) in
            let all = try CredentialRules.list(of: app, in: transaction)
            let shown = page.cut(all, by: \.id.text)
            var response = ListOperatorKeysResponse()
            let uses = lastUses(app.id)
            response.operatorKeys = shown.rows.map { row in
                var key = OperatorKey(row.id, row.record)
                key.lastUseTimeMs = max(uses[row.id.text] ?? 0, row.record.lastUseMs)
                return key
            }
            response.nextPageToken = shown.nextToken
            response.totalSize = Int32(all.count)
            return response
        }
    }

    static func revoke(
        _ request: RevokeOperatorKeyRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<RevokeOperatorKeyResponse> {
        let id = violations.credentialID(request.credentialID)
        var work = Work<RevokeOperatorKeyResponse>(
            .one { (ledger) throws(StorageError) in
                switch try OperatorKeyRules.revoke(id, in: ledger) {
                case .done:
                    return .success(
                        WriteResult(response: RevokeOperatorKeyResponse(), applied: true))
                case .unknown:
                    return .failure(
                        RPCError(
                            .notFound, .credentialNotFound,
                            "credential_id: the server has no such key of an operator"))
                case .last:
                    return .failure(
                        RPCError(
                            .failedPrecondition, .lastOperatorKey,
                            "credential_id: it is the last key that is good for ever; make another"
                                + " one before"))
                }
            })
        CredentialRules.keysForRevoking(id, of: call.app, into: &work.keys)
        return work
    }
}
