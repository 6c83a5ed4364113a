import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The calls of ConsentService.
package enum ConsentHandlers {
    package static func register(in router: Router) {
        router.write(ConsentMethods.grantPermissions, grant)
        router.write(ConsentMethods.declinePermissions, decline)
        router.write(ConsentMethods.revokePermissions, revoke)
        router.read(ConsentMethods.listPermissions, list)
        router.read(ConsentMethods.readUser, readUser)
        router.read(ConsentMethods.listAppFriendsView, listAppFriends)
    }

    // MARK: The user's answers

    static func grant(
        _ request: GrantPermissionsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<GrantPermissionsResponse> {
        violations.count(request.names.count, "names", 1...Limits.permissionItems)
        let names = request.names.prefix(Limits.permissionItems).map { PermissionName($0) }
        let asked = names.compactMap { $0.flatMap(call.app.settings.permission)?.access }
        if Set(asked).count > 1 {
            violations.add(
                "names", "has permissions to read and to publish; a grant has one kind",
                reason: .permissionsMixed)
        }
        let client = call.client(request.clientAppID, &violations)
        let holdsBack = request.options?.allOrNothing ?? false
        return saying(.grant, request.names, to: client, call, allOrNothing: holdsBack)
    }

    static func decline(
        _ request: DeclinePermissionsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<DeclinePermissionsResponse> {
        violations.count(request.names.count, "names", 1...Limits.permissionItems)
        let client = call.client(request.clientAppID, &violations)
        let holdsBack = request.options?.allOrNothing ?? false
        return saying(.decline, request.names, to: client, call, allOrNothing: holdsBack)
    }

    static func revoke(
        _ request: RevokePermissionsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<RevokePermissionsResponse> {
        var names: [String]?
        switch request.permissions {
        case .all(let all):
            if !all { violations.add("all", "must be true if it is given") }
        case .names(let list):
            names = list.values
            violations.count(list.values.count, "names", 1...Limits.permissionItems)
        case nil:
            violations.add("names", "must be given, unless `all` is")
        }
        let client = call.client(request.clientAppID, &violations)
        let holdsBack = request.options?.allOrNothing ?? false
        if let names {
            return saying(.revoke, names, to: client, call, allOrNothing: holdsBack)
        }
        let user = call.user
        var work = Work<RevokePermissionsResponse>(
            .one { (ledger) throws(StorageError) in
                let revoked = try Consent.revokeAll(of: user, to: client, in: ledger)
                return .success(
                    WriteResult(applied: !revoked.isEmpty) { stands in
                        var response = RevokePermissionsResponse()
                        response.results = revoked.map { grant in
                            var result = PermissionResult(
                                grant.permission, .done(changing: stands))
                            result.state = UserPermission(grant, ledger.settings, at: ledger.now)
                            return result
                        }
                        return response
                    })
            })
        Consent.keysForRevokingAll(of: user, app: call.app, into: &work.keys)
        return work
    }

    /// The work of a call that gives one answer about several permissions.
    private static func saying<Response: ItemsResponse<PermissionResult>>(
        _ word: Consent.Word, _ texts: [String], to client: ClientAppID, _ call: Call,
        allOrNothing: Bool
    ) -> Work<Response> {
        let names = texts.map { PermissionName($0) }
        let user = call.user
        var work = Work<Response>(
            .one { (ledger) throws(StorageError) in
                let said = try Consent.set(
                    word, names, of: user, to: client, allOrNothing: allOrNothing, in: ledger)
                let isRefused = !said.answers.allSatisfy(\.outcome.isAcceptable)
                return .success(
                    WriteResult(applied: said.changed, isRefused: isRefused) { stands in
                        var response = Response()
                        let answers = stands ? said.answers : said.answers.map(\.withoutChange)
                        response.results = zip(texts, answers).map { text, answer in
                            var result = PermissionResult(text, answer.outcome)
                            result.state = answer.grant.map {
                                UserPermission($0, ledger.settings, at: ledger.now)
                            }
                            return result
                        }
                        return response
                    })
            })
        work.cost = max(1, texts.count)
        Consent.keys(of: names, of: user, to: client, app: call.app, into: &work.keys)
        return work
    }

    // MARK: ListPermissions

    static func list(
        _ request: ListPermissionsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListPermissionsResponse> {
        let query = "ListPermissions \(mark: call.app) \(request.clientAppID) \(call.user)"
        let page = KeyedPage(request.pageSize, request.pageToken, of: query, &violations)
        let client = call.client(request.clientAppID, &violations)
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            let grants = try Consent.grants(
                of: call.user, to: client, app: call.app, in: transaction)
            let shown = page.cut(grants, by: \.permission)
            var response = ListPermissionsResponse()
            response.permissions = shown.rows.map {
                UserPermission($0, call.app.settings, at: call.now)
            }
            response.nextPageToken = shown.nextToken
            response.totalSize = Int32(grants.count)
            response.sequence = userRecord.consentsSequence
            return response
        }
    }
}

extension Call {
    /// The client app that a request names; if there is none, a violation and an id that is never
    /// used.
    ///
    /// This is asked last. A request with other errors must not learn which client apps exist.
    func client(_ text: String, _ violations: inout Violations) -> ClientAppID {
        let client = violations.clientApp(text)
        if violations.isEmpty, app.settings.clientApp(client) == nil {
            violations.refuse(
                RPCError(
                    .notFound, .clientAppNotFound,
                    "client_app_id: the app has no client app \"\(client)\""))
        }
        return client
    }
}

extension UserPermission {
    init(_ grant: GrantRecord, _ settings: AppSettings, at now: Timestamp) {
        self.init(grant, at: now)
        if let definition = PermissionName(grant.permission).flatMap(settings.permission) {
            kind = definition.kind
            access = definition.access
        }
    }

    /// The user's answer, without the definition of the permission.
    init(_ grant: GrantRecord, at now: Timestamp) {
        self.init()
        name = grant.permission
        status = grant.status(at: now)
        grantTimeMs = grant.grantTimeMs
        expireTimeMs = grant.expireTimeMs
        changeTimeMs = grant.changeTimeMs
    }
}

extension PermissionResult: ChangeMessage {
    fileprivate init(_ name: String, _ outcome: PermissionOutcome) {
        self.init()
        self.name = name.echoed()
        set(outcome)
    }
}
