import GRPC
import Memory
import Protobuf
import RPC
import RelationCalls
import RelationCore
import RelationModel

/// The authenticator of a server that asks for no credentials.
///
/// The metadata of a call names the app, the scopes and the user.
struct OpenAuthenticator: Sendable {
    /// The name of the metadata that lists the caller's scopes; a caller without it has all scopes.
    private static let scopesHeader: StaticString = "x-scopes"
    /// The name of the metadata that makes the caller one user instead of a backend.
    private static let userHeader: StaticString = "x-user-id"

    /// The name of the metadata that names the administrator of TIM's REST API who calls.
    static let administratorHeader: StaticString = "x-tim-identifier"

    let apps: Apps
    /// The key of the caller that a header block names.
    private let visitorKey = SlotKey<Visitor>()

    init(apps: Apps) {
        self.apps = apps
    }

    func admit(_ call: ServerCall, needing scope: Scope) throws(RPCError) -> Caller {
        // Read before any lookup: a change in the meantime makes the finding void.
        let generation = apps.generation
        if let visitor = call.headerSlot[visitorKey], visitor.generation == generation {
            call.group = visitor.group
            return visitor.caller
        }
        let caller = try recognise(call, scope)
        let group = apps.group(of: caller.app)
        call.group = group
        call.headerSlot[visitorKey] = Visitor(caller, group, generation)
        return caller
    }

    private func recognise(_ call: ServerCall, _ scope: Scope) throws(RPCError) -> Caller {
        var violations = Violations()
        let app = Self.app(call, &violations)
        let user = call.metadata(Self.userHeader).map {
            violations.user($0, "\(Self.userHeader)") ?? UserID(stored: "?")
        }
        let all: ScopeSet = user == nil ? .all : .user
        let scopes = Self.scopes(call, &violations)?.intersection(all) ?? all
        guard violations.isEmpty else { throw violations.error }
        guard scopes.contains(ScopeSet(scope)) else {
            throw .missing(scope, among: scopes)
        }
        guard scope != .operator else { return Caller(app: apps.registry, scopes: scopes) }
        guard let app = apps[app] else { throw apps.missing(app) }
        let identifier = user == nil ? call.metadata(Self.administratorHeader) ?? "" : ""
        let isAdministrator = app.settings.isTIMAdministrator(identifier)
        return Caller(
            app: app, scopes: scopes, user: user,
            administrator: isAdministrator ? identifier : "")
    }

    /// The caller that the header block of the call showed when it came before.
    func known(_ call: ServerCall) -> Caller? { call.headerSlot[visitorKey]?.caller }

    /// The app that the call names; nil if its metadata are malformed.
    func namedApp(_ call: ServerCall) -> UInt32? {
        var violations = Violations()
        let app = Self.app(call, &violations)
        return violations.isEmpty ? app : nil
    }

    private static func app(_ call: ServerCall, _ violations: inout Violations) -> UInt32 {
        guard let text = call.metadataBytes(CredentialAuthenticator.appHeader) else {
            return Authenticator.defaultApp
        }
        return violations.app(text) ?? Authenticator.defaultApp
    }

    /// The scopes that the caller lists, as in "read, write"; nil if it lists none.
    private static func scopes(_ call: ServerCall, _ violations: inout Violations) -> ScopeSet? {
        guard let text = call.metadata(scopesHeader) else { return nil }
        var scopes: ScopeSet = []
        for word in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
            let number = Scope.schema.number(named: "SCOPE_\(word.uppercased())")
            if let number, number != Scope.unspecified.rawValue {
                scopes.insert(ScopeSet(Scope(rawValue: number)))
            } else {
                violations.add(
                    "\(scopesHeader)", "\"\(String(word).echoed(atMost: 64))\" is not a scope")
            }
        }
        return scopes
    }
}

/// The caller of a header block that a connection repeats: the block names a method, and so a scope
/// too.
private final class Visitor {
    let caller: Caller
    /// The group in which the calls of its app are counted.
    let group: Int
    let generation: UInt64

    init(_ caller: Caller, _ group: Int, _ generation: UInt64) {
        self.caller = caller
        self.group = group
        self.generation = generation
    }
}
