package import GRPC
import Protobuf
package import RelationAPI
import RelationCore
package import RelationModel
import Storage

/// Who may come in, and for which app and user.
///
/// Until credentials exist there are two kinds of door: an open one, for development on the
/// loopback, where metadata says which app, scopes and user the caller has, and a closed one.
package struct Door: Sendable {
    /// The name of the metadata that names the app.
    private static let appHeader: StaticString = "x-app-id"
    /// The name of the metadata that lists the caller's scopes, all if it is absent.
    private static let scopesHeader: StaticString = "x-scopes"
    /// The name of the metadata of a caller that is one user, and no backend.
    private static let userHeader: StaticString = "x-user-id"
    /// The app of a caller that names none.
    package static let defaultApp: UInt32 = 1

    private let isOpen: Bool
    package let apps: Apps

    /// A door that lets nobody in.
    package static let closed = Door(isOpen: false, apps: Apps([]))

    /// A door for everybody, to any of `apps`.
    package static func open(to apps: Apps) -> Door {
        Door(isOpen: true, apps: apps)
    }

    private init(isOpen: Bool, apps: Apps) {
        self.isOpen = isOpen
        self.apps = apps
    }

    /// Who makes the call.
    ///
    /// - Throws: ``RPCError``: UNAUTHENTICATED without a credential that counts, INVALID_ARGUMENT
    ///   for metadata that is malformed, PERMISSION_DENIED for a caller without the scope,
    ///   NOT_FOUND for an app that does not exist.
    package func admit(_ call: ServerCall, needing scope: Scope) throws(RPCError) -> Caller {
        guard isOpen else {
            throw .fault(
                .unauthenticated, .credentialMissing,
                "this server takes no calls without a credential")
        }
        var faults = Violations()
        let app = Self.app(call, &faults)
        let user = call.metadata(Self.userHeader).map {
            faults.user($0, "\(Self.userHeader)") ?? UserID(stored: "?".utf8)
        }
        let all: ScopeSet = user == nil ? .all : .user
        let scopes = Self.scopes(call, &faults)?.intersection(all) ?? all
        guard faults.isEmpty else { throw faults.error }
        guard scopes.contains(ScopeSet(scope)) else { throw .missing(scope) }
        guard scope != .operator else { return Caller(app: .registry, scopes: scopes) }
        guard let app = apps[app] else { throw .unknownApp(app) }
        return Caller(app: app, scopes: scopes, user: user)
    }

    private static func app(_ call: ServerCall, _ faults: inout Violations) -> UInt32 {
        guard let text = call.metadata(appHeader) else { return defaultApp }
        // Swift's own reading would take a sign too.
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let id = UInt32(text)
        {
            return id
        }
        faults.add("\(appHeader)", "must be a number from 0 to \(UInt32.max)")
        return defaultApp
    }

    /// The scopes that the caller says it has, as in "read, write"; nil if it says nothing.
    private static func scopes(_ call: ServerCall, _ faults: inout Violations) -> ScopeSet? {
        guard let text = call.metadata(scopesHeader) else { return nil }
        var scopes: ScopeSet = []
        for word in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
            let number = Scope.schema.number(named: "SCOPE_\(word.uppercased())")
            if let number, number != Scope.unspecified.rawValue {
                scopes.insert(ScopeSet(Scope(rawValue: number)))
            } else {
                faults.add(
                    "\(scopesHeader)", "\"\(String(word).echoed(atMost: 64))\" is no scope")
            }
        }
        return scopes
    }

    /// What a read of `actor` must have seen: a sequence of its own, unless it names another user.
    package func least(
        _ options: ReadOptions?, of actor: UserID, _ faults: inout Violations
    ) -> LeastSequence {
        guard let least = options?.minSequence else { return .any }
        let field = "options.min_sequence"
        if least.sequence < 0 { faults.add("\(field).sequence", "is negative") }
        let other = least.userID.isEmpty ? nil : faults.user(least.userID, "\(field).user_id")
        return LeastSequence(user: other ?? actor, sequence: least.sequence)
    }
}

extension Door {
    /// The same calls, for whom the door lets in.
    func guarding(_ dispatcher: any Dispatcher) -> any Dispatcher {
        isOpen ? dispatcher : ClosedDispatcher(door: self, paths: dispatcher.methods.map(\.path))
    }
}

/// Calls that are there and that nobody may make.
private struct ClosedDispatcher: Dispatcher {
    let door: Door
    let paths: [String]

    var methods: [ServedMethod] {
        paths.map { path in
            .streaming(path, shape: .bidirectional) { call in
                do throws(RPCError) {
                    _ = try door.admit(call, needing: .unspecified)
                    preconditionFailure("a closed door admits nobody")
                } catch {
                    return RefusedStream(error, call)
                }
            }
        }
    }
}

/// The point in a user's sequence that a read must have reached.
///
/// This process issues every sequence and a read begins after what was committed before it, so a
/// sequence that was ever answered has been reached: one that has not was never issued.
package struct LeastSequence: Sendable {
    let user: UserID?
    let sequence: Int64

    static let any = LeastSequence(user: nil, sequence: 0)

    init(user: UserID?, sequence: Int64) {
        self.user = user
        self.sequence = sequence
    }

    func isReached(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        guard let user, sequence > 0 else { return true }
        let head = try Tables.heads.record(app.partition(of: user), OnlyPlace(), in: transaction)
        return (head?.sequence ?? 0) >= sequence
    }

    var notIssued: RPCError {
        var faults = Violations()
        faults.add(
            "options.min_sequence", "user \(user?.text ?? "") has not come to \(sequence)",
            reason: .sequenceNotIssued)
        return faults.error
    }
}
