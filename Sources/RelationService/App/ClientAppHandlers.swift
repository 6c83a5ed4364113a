import GRPC
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The calls of AppService about client apps and their permissions.
package enum ClientAppHandlers {
    package static func register(in router: Router) {
        router.write(AppMethods.registerClientApp, registerClientApp)
        router.read(AppMethods.listClientApps, list)
        router.write(AppMethods.definePermissions, define)
        router.read(AppMethods.listPermissionDefinitions, listPermissionDefinitions)
    }

    static func registerClientApp(
        _ request: RegisterClientAppRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<RegisterClientAppResponse> {
        let id = violations.clientApp(request.clientAppID)
        if request.name.isEmpty { violations.add("name", "must not be empty") }
        violations.length(request.name, "name", atMost: Limits.clientAppNameBytes)
        let client = ClientApp(id: id, name: request.name)
        var work = Work<RegisterClientAppResponse>(
            .one { (ledger) throws(StorageError) in
                switch try Permissions.register(client, in: ledger) {
                case .done(let changed):
                    var response = RegisterClientAppResponse()
                    response.clientApp = ClientAppDescription(client)
                    return .success(WriteResult(response: response, applied: changed))
                case .full:
                    return .failure(
                        .full(
                            .tooManyClientApps, "the app", "client apps", Limits.clientApps,
                            actual: ledger.settings.clientApps.count))
                }
            })
        AppRules.keys(of: call.app.id, into: &work.keys)
        return work
    }

    static func list(
        _ request: ListClientAppsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListClientAppsResponse> {
        let query = "ListClientApps \(mark: call.app)"
        let page = Page(request.pageSize, request.pageToken, of: query, &violations)
        let settings = call.app.settings
        return Reading { _ throws(StorageError) in
            // Every character of a client app's id is also allowed in a user's id.
            let all = settings.clientApps.sorted { UserID($0) < UserID($1) }
            let rest = all.drop { client in
                page.position.map { UserID(client) <= $0.user } ?? false
            }
            let rows = rest.prefix(page.rows)
            var response = ListClientAppsResponse()
            response.clientApps = rows.map(ClientAppDescription.init)
            response.totalSize = Int32(all.count)
            if rows.count < rest.count, let last = rows.last {
                let token = PageToken(TimedUser(timeMs: 0, user: UserID(last)))
                response.nextPageToken = token.text(of: query)
            }
            return response
        }
    }

    static func listPermissionDefinitions(
        _ request: ListPermissionDefinitionsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListPermissionDefinitionsResponse> {
        let query = "ListPermissionDefinitions \(mark: call.app)"
        let page = KeyedPage(request.pageSize, request.pageToken, of: query, &violations)
        let settings = call.app.settings
        return Reading { _ throws(StorageError) in
            let all = settings.allPermissions
            let shown = page.cut(all, by: \.name.text)
            var response = ListPermissionDefinitionsResponse()
            response.permissions = shown.rows.map(PermissionDefinition.init)
            response.nextPageToken = shown.nextToken
            response.totalSize = Int32(all.count)
            return response
        }
    }

    static func define(
        _ request: DefinePermissionsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<DefinePermissionsResponse> {
        violations.count(request.items.count, "items", 1...Limits.permissionItems)
        var definitions: [Permissions.Definition] = []
        var first: [PermissionName: Permission] = [:]
        for (index, item) in request.items.enumerated() {
            let field = "items[\(index)]"
            if item.kind == .unspecified {
                violations.add("\(field).kind", "must be given")
            }
            violations.known(item.kind, "\(field).kind")
            violations.known(item.access, "\(field).access")
            guard let name = PermissionName(item.name) else {
                definitions.append(.malformed(Reason.ConsentDefine.permissionIllegal))
                continue
            }
            var permission = Permission(name, item.kind, fields: item.fields)
            permission.access = item.access == .publish ? .publish : .read
            permission.lifetimeMs = item.lifetimeMs
            if let earlier = first[name], earlier != permission {
                definitions.append(.malformed(Reason.ConsentDefine.duplicate))
            } else {
                first[name] = permission
                definitions.append(.permission(permission))
            }
        }
        let names = request.items.map(\.name)
        let holdsBack = request.options?.allOrNothing ?? false
        var work = Work<DefinePermissionsResponse>(
            .one { [definitions] (ledger) throws(StorageError) in
                let defined = try Permissions.define(
                    definitions, allOrNothing: holdsBack, in: ledger)
                let isRefused = !defined.outcomes.allSatisfy(\.isAcceptable)
                return .success(
                    WriteResult(applied: defined.changed, isRefused: isRefused) { stands in
                        var response = DefinePermissionsResponse()
                        let outcomes =
                            stands ? defined.outcomes : defined.outcomes.map(\.withoutChange)
                        response.results = zip(names, outcomes).map(DefinePermissionResult.init)
                        return response
                    })
            })
        work.cost = max(1, request.items.count)
        AppRules.keys(of: call.app.id, into: &work.keys)
        return work
    }
}

extension DefinePermissionResult: ChangeMessage {
    fileprivate init(_ name: String, _ outcome: PermissionOutcome) {
        self.init()
        self.name = name.echoed()
        set(outcome)
    }
}

extension Violations {
    /// The client app that a request names; if it is malformed, a violation and an id that is never
    /// used.
    mutating func clientApp(_ text: String) -> ClientAppID {
        if let client = ClientAppID(text) { return client }
        add(
            "client_app_id",
            "must be 1 to \(Limits.clientAppIDBytes) letters, digits, dots, hyphens and "
                + "underscores")
        return ClientAppID(stored: "?")
    }
}

extension UserID {
    fileprivate init(_ client: ClientApp) {
        self.init(stored: client.id.text.utf8)
    }
}

extension ClientAppDescription {
    init(_ client: ClientApp) {
        self.init()
        clientAppID = client.id.text
        name = client.name
    }
}

extension PermissionDefinition {
    init(_ permission: Permission) {
        self.init()
        name = permission.name.text
        kind = permission.kind
        access = permission.access
        fields = permission.fields
        lifetimeMs = permission.lifetimeMs
    }
}
