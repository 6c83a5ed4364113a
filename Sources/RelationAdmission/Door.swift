package import GRPC
import Protobuf
import RelationAPI
import RelationAccess
package import RelationCalls
import RelationCore
package import RelationModel
import Storage

/// Who may come in, and for which app and user.
package struct Door: Sendable {
    /// The app of a new store, and of a caller without credentials that names none.
    package static let defaultApp: UInt32 = 1

    private enum Kind: Sendable {
        /// For everybody, as whom the metadata says.
        case open(OpenDoor)
        /// For those who have a credential.
        case guarded(Gate)
    }

    private let kind: Kind
    package let apps: Apps

    /// A door for everybody, to any of `apps`.
    package static func open(to apps: Apps) -> Door {
        Door(kind: .open(OpenDoor(apps: apps)), apps: apps)
    }

    /// A door for those who have a credential of one of `apps`, or are operators.
    ///
    /// - Parameter loops: How many loops ask it.
    package static func guarded(
        _ apps: Apps, loops: Int, limits: CallRates = CallRates(),
        bounds: HoldBounds = HoldBounds(), clock: ServiceClock = .system
    ) -> Door {
        Door(kind: .guarded(Gate(apps, loops: loops, limits, bounds, clock)), apps: apps)
    }

    private init(kind: Kind, apps: Apps) {
        self.kind = kind
        self.apps = apps
    }

    /// Who makes the call.
    ///
    /// - Throws: ``RPCError``: INVALID_ARGUMENT for metadata that is malformed, UNAUTHENTICATED
    ///   without a credential that counts, RESOURCE_EXHAUSTED for a caller that calls too often or
    ///   comes on too many connections, PERMISSION_DENIED for one without the scope, NOT_FOUND for
    ///   an app that does not exist.
    package func admit(_ call: ServerCall, needing scope: Scope) throws(RPCError) -> Caller {
        switch kind {
        case .open(let door): try door.admit(call, needing: scope)
        case .guarded(let gate): try gate.admit(call, needing: scope)
        }
    }

    /// Counts a call that goes on beyond the turn of its loop among those that its caller has open.
    ///
    /// - Throws: ``RPCError``: RESOURCE_EXHAUSTED if there are as many as there may be.
    package func enter(_ call: ServerCall, of caller: Caller) throws(RPCError) {
        switch kind {
        case .open: break
        case .guarded(let gate): try gate.enter(call, of: caller)
        }
    }

    /// Looks whether a caller that was let in would be let in now: its credential may have been
    /// revoked, or have come to its end, while a stream goes on.
    ///
    /// It costs next to nothing while no app and no credential changes.
    ///
    /// - Parameter generation: What the last look found, to be kept for the next; 0 at first.
    /// - Throws: ``RPCError``: UNAUTHENTICATED, with the reason.
    package func look(
        again caller: Caller, since generation: inout UInt64
    ) throws(RPCError) {
        switch kind {
        case .open: break
        case .guarded(let gate):
            do throws(CredentialFault) {
                try gate.look(again: caller, since: &generation)
            } catch {
                throw RPCError(error)
            }
        }
    }

    /// The same calls, for whom the door lets in.
    package func guarding(_ dispatcher: any Dispatcher) -> any Dispatcher {
        switch kind {
        case .open: dispatcher
        case .guarded:
            GuardedDispatcher(
                methods: dispatcher.methods.map { method in
                    method.guarded { (call) throws(RPCError) in
                        try enter(call, of: try admit(call, needing: .unspecified))
                    }
                })
        }
    }
}

/// The calls of another dispatcher, behind a door.
private struct GuardedDispatcher: Dispatcher {
    let methods: [ServedMethod]
}
