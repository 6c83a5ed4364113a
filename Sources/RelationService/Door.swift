package import GRPC
package import Protobuf
package import RelationAPI
package import RelationCore
package import RelationModel
import Storage

/// Who may come in, and for which app and user.
///
/// Until credentials exist there are two kinds of door: an open one, for development on the
/// loopback, where the caller says which app it is and may do everything, and a closed one.
package struct Door: Sendable {
    /// The name of the metadata that names the app.
    private static let appHeader: StaticString = "x-app-id"
    /// The app of a caller that names none.
    package static let defaultApp: UInt32 = 1

    private let isOpen: Bool
    private let apps: [App]

    /// A door that lets nobody in.
    package static let closed = Door(isOpen: false, apps: [])

    /// A door for everybody, to any of `apps`.
    package static func open(to apps: [App]) -> Door {
        Door(isOpen: true, apps: apps)
    }

    private init(isOpen: Bool, apps: [App]) {
        self.isOpen = isOpen
        self.apps = apps
    }

    /// The app that a call is for, and whether its credential has the scope `admin`.
    ///
    /// - Throws: ``RPCError``: UNAUTHENTICATED without a credential that counts, INVALID_ARGUMENT
    ///   for an app that is no number, NOT_FOUND for one that does not exist.
    package func admit(_ call: ServerCall, needing access: Access) throws(RPCError) -> Caller {
        guard isOpen else {
            throw .fault(
                .unauthenticated, .credentialMissing,
                "this server takes no calls without a credential")
        }
        guard let text = call.metadata(Self.appHeader) else {
            return Caller(app: try app(Self.defaultApp), isAdmin: true)
        }
        guard let id = UInt32(text) else {
            var faults = Violations()
            faults.add("x-app-id", "must be a number from 0 to \(UInt32.max)")
            throw faults.error
        }
        return Caller(app: try app(id), isAdmin: true)
    }

    /// Few apps, each with its settings: found faster by looking than by hashing.
    private func app(_ id: UInt32) throws(RPCError) -> App {
        if let app = apps.first(where: { $0.id == id }) { return app }
        throw .fault(.notFound, .appNotFound, "x-app-id: no app \(id)")
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

/// Who makes a call: for which app, and with what scope.
package struct Caller: Sendable {
    package let app: App
    /// Whether the credential has the scope `admin`.
    package let isAdmin: Bool

    package init(app: App, isAdmin: Bool) {
        self.app = app
        self.isAdmin = isAdmin
    }

    /// What the handler of a call of the acting user `text` is told, and what is wrong with the
    /// user's id.
    ///
    /// The handler goes on looking for faults in the rest of the request with a user in its place,
    /// whom nothing is read or written for.
    package func call(
        _ text: String, at now: Timestamp, _ arena: Arena, _ faults: inout Violations
    ) -> Call {
        let user = faults.user(text, "user_id") ?? UserID(stored: "?".utf8)
        return Call(app: app, user: user, isAdmin: isAdmin, now: now, arena: arena)
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
                    _ = try door.admit(call, needing: .open)
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
        .fault(
            .invalidArgument, .sequenceNotIssued,
            "options.min_sequence: user \(user?.text ?? "") has not come to \(sequence)")
    }
}
