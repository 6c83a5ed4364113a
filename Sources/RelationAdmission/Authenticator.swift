package import GRPC
import Protobuf
package import RPC
import RelationAccess
package import RelationCalls
package import RelationCore
package import RelationModel
import Storage

/// Decides which callers may enter, and for which app and user.
package struct Authenticator: Sendable {
    /// The app of a new store, and of a caller without credentials that names none.
    package static let defaultApp: UInt32 = 1

    private enum Kind: Sendable {
        /// The authenticator admits all callers, as the user that the metadata names.
        case open(OpenAuthenticator)
        /// The authenticator admits callers that have a credential.
        case guarded(CredentialAuthenticator)
        /// The authenticator admits callers that have a credential to a store of a fleet that is
        /// not its home; the home has the keys of operators.
        case beside(home: Apps, CredentialAuthenticator)
    }

    private let kind: Kind
    /// The authenticator of ``Kind/guarded(_:)``, which is asked at each call: to look into the
    /// enum costs a retain and a release.
    private let guardian: CredentialAuthenticator?
    package let apps: Apps

    /// An authenticator that lets all callers in to any of `apps`.
    package static func open(to apps: Apps) -> Authenticator {
        Authenticator(kind: .open(OpenAuthenticator(apps: apps)), apps: apps)
    }

    /// An authenticator for callers that have a credential of one of `apps`, or of an operator.
    ///
    /// - Parameter loops: The number of loops that ask it.
    package static func guarded(
        _ apps: Apps, loops: Int, limits: CallRates = CallRates(),
        bounds: HoldBounds = HoldBounds(), clock: ServiceClock = .system
    ) -> Authenticator {
        Authenticator(
            kind: .guarded(CredentialAuthenticator(apps, loops: loops, limits, bounds, clock)),
            apps: apps)
    }

    /// An authenticator for callers that have a credential of one of `apps`, which live beside the
    /// home of a fleet, or of an operator, whose key stands at home.
    package static func guarded(
        _ apps: Apps, besides home: Apps, loops: Int, limits: CallRates = CallRates(),
        bounds: HoldBounds = HoldBounds(), clock: ServiceClock = .system
    ) -> Authenticator {
        let authenticator = CredentialAuthenticator(
            apps, loops: loops, limits, bounds, clock, operators: home)
        return Authenticator(kind: .beside(home: home, authenticator), apps: apps)
    }

    private init(kind: Kind, apps: Apps) {
        self.kind = kind
        guardian = if case .guarded(let authenticator) = kind { authenticator } else { nil }
        self.apps = apps
    }

    /// Takes other limits of callers, while calls come.
    package func apply(_ rates: CallRates, _ bounds: HoldBounds) {
        switch kind {
        case .open: break
        case .guarded(let authenticator), .beside(_, let authenticator):
            authenticator.apply(rates, bounds)
        }
    }

    /// Recognises the caller of the call, and counts the call.
    ///
    /// - Throws: ``RPCError``:
    ///   - UNAVAILABLE while the server cannot hear of changes by others, or if the app has moved;
    ///   - INVALID_ARGUMENT for malformed metadata;
    ///   - UNAUTHENTICATED without a valid credential;
    ///   - RESOURCE_EXHAUSTED for a caller with too many calls or connections;
    ///   - PERMISSION_DENIED for a caller without the scope;
    ///   - NOT_FOUND for an app that does not exist.
    package func admit(_ call: ServerCall, needing scope: Scope) throws(RPCError) -> Caller {
        guard let notes = call.notes else { return try recognise(call, needing: scope) }
        return try admit(call, needing: scope, notes)
    }

    private func admit(
        _ call: ServerCall, needing scope: Scope, _ notes: CallNotes
    ) throws(RPCError) -> Caller {
        // A caller that was admitted by the header block alone is only looked up when the message
        // is there.
        let began = notes.isTraced && notes.caller == nil ? Deadline.clock : 0
        defer { if began != 0 { notes.add(.admission, from: began, to: Deadline.clock) } }
        let caller = try recognise(call, needing: scope)
        notes.caller = caller
        return caller
    }

    private func recognise(_ call: ServerCall, needing scope: Scope) throws(RPCError) -> Caller {
        guard !apps.isLapsed else { throw .noLease }
        if let guardian { return try guardian.admit(call, needing: scope) }
        switch kind {
        case .open(let authenticator): return try authenticator.admit(call, needing: scope)
        case .guarded(let authenticator): return try authenticator.admit(call, needing: scope)
        case .beside(let home, let authenticator):
            let caller = try authenticator.admit(call, needing: scope)
            // After the key was found: until here its end was not answered.
            if caller.credential?.isOfOperator == true, home.isLapsed { throw .noLease }
            return caller
        }
    }

    /// Counts a call for the audit that was refused because its caller lacks a right.
    ///
    /// It is asked after the refusal, so that other calls pay nothing.
    package func noteRefusal(_ error: RPCError, of call: ServerCall) {
        guard apps.audit.isOn, error.code == .permissionDenied || error.code == .unauthenticated
        else { return }
        let caller: Caller?
        let claimed: UInt32?
        switch kind {
        case .open(let authenticator):
            (caller, claimed) = (authenticator.known(call), authenticator.namedApp(call))
        case .guarded(let authenticator), .beside(_, let authenticator):
            caller = error.code == .permissionDenied ? authenticator.known(call) : nil
            claimed = caller == nil ? authenticator.claimedApp(call) : nil
        }
        guard let app = caller?.app.id ?? claimed else { return }
        noteRefusal(error, of: caller, app, call.path, from: call.peer)
    }

    /// Counts a refusal of a caller that was admitted, on any thread.
    package func noteRefusal(
        _ error: RPCError, of caller: Caller?, _ app: UInt32, _ path: String, from peer: String
    ) {
        guard apps.audit.isOn, error.code == .permissionDenied || error.code == .unauthenticated
        else { return }
        var row = AuditTrail.row(.refusal, caller, path, from: peer)
        AuditTrail.set(error, in: &row)
        noteRefusal(row, of: app)
    }

    /// Counts a refusal of which the record is made.
    package func noteRefusal(_ row: AuditRow, of app: UInt32) {
        apps.noteRefusal(row, of: app, at: now)
    }

    /// Records a stream that writes by itself, or hands out what an app has, once its first message
    /// was understood.
    ///
    /// - Parameter caller: Only administrators and operators are recorded.
    /// - Throws: ``RPCError``: RESOURCE_EXHAUSTED if the server records every call, and too many
    ///   records wait.
    package func noteStream(_ call: ServerCall, of caller: Caller) throws(RPCError) {
        guard apps.audit.isOn, caller.isAdmin else { return }
        let row = AuditTrail.row(.call, caller, call.path, from: call.peer)
        guard apps.audit.calls.isOn else {
            return apps.audit.note(row, app: caller.app.id, at: now)
        }
        try apps.audit.calls.enter()
        apps.audit.calls.note(row, app: caller.app.id, at: now)
    }

    /// Records a stream of changes as ``noteStream(_:of:)`` does, on a server that records every
    /// call.
    package func noteWatch(_ call: ServerCall, of caller: Caller) throws(RPCError) {
        if apps.audit.calls.isOn { try noteStream(call, of: caller) }
    }

    /// Counts a stream for the audit whose first message was refused.
    package func noteStream(_ call: ServerCall, of caller: Caller, refusedWith error: RPCError) {
        if error.code == .permissionDenied {
            return noteRefusal(error, of: caller, caller.app.id, call.path, from: call.peer)
        }
        guard apps.audit.isOn, caller.isAdmin else { return }
        var row = AuditTrail.row(.call, caller, call.path, from: call.peer)
        AuditTrail.set(error, in: &row)
        guard apps.audit.calls.isOn else {
            return apps.audit.note(row, app: caller.app.id, at: now)
        }
        noteFailure(row, of: caller.app.id)
    }

    /// Ends a stream of changes whose first message was refused, and records it as
    /// ``noteStream(_:of:refusedWith:)`` does, on a server that records every call.
    package func failWatch(_ call: ServerCall, of caller: Caller, with error: RPCError) {
        if apps.audit.calls.isOn, error.code != .permissionDenied {
            noteStream(call, of: caller, refusedWith: error)
        }
        fail(call, of: caller, with: error)
    }

    /// Whether the server records each call of that caller.
    package func records(_ caller: Caller) -> Bool { apps.audit.calls.isOn && caller.isAdmin }

    /// Records a call that failed, on a server that records every call.
    package func noteFailure(_ row: AuditRow, of app: UInt32) {
        apps.audit.calls.noteFailure(row, app: app, at: now)
    }

    /// Ends a stream whose caller was admitted, and counts it for the audit if the caller lacks a
    /// right.
    ///
    /// A stream that ends with its caller's credential was not refused, and is not counted.
    package func fail(_ call: ServerCall, of caller: Caller, with error: RPCError) {
        if error.code == .permissionDenied, call.isOpen {
            noteRefusal(error, of: caller, caller.app.id, call.path, from: call.peer)
        }
        call.fail(error)
    }

    private var now: Timestamp {
        switch kind {
        case .open: ServiceClock.system.now()
        case .guarded(let authenticator), .beside(_, let authenticator): authenticator.now
        }
    }

    /// The time in which a call is admitted, for ``checkLease(_:)``; read it before
    /// ``admit(_:needing:)``.
    package var epoch: Int64 { apps.epoch }

    /// Checks that a call may still be answered that was admitted during `epoch`.
    ///
    /// A read, or the whole process, may have taken so long that a credential was revoked meanwhile
    /// at another server.
    ///
    /// - Throws: ``RPCError``: UNAVAILABLE.
    package func checkLease(_ epoch: Int64) throws(RPCError) {
        guard apps.isValid(for: epoch) else { throw .noLease }
    }

    /// Checks that what a reader found for a call is of an app that still lives here.
    ///
    /// The rows of an app that has moved are removed, and a read that waited may have found none.
    ///
    /// - Throws: ``RPCError``: UNAVAILABLE.
    package func checkPresence(of app: App) throws(RPCError) {
        // That the app has gone is known here before any of its rows is removed.
        guard apps.areAnyAway, apps.isAway(app.id) else { return }
        throw .appMoving(app.id)
    }

    /// Whether nothing may be sent at present.
    package var isLapsed: Bool { apps.isLapsed }

    /// Whether nothing will be sent any more, since the store lacks what was sent before.
    package var hasLostData: Bool { apps.hasLostData }

    /// Counts a call that lasts beyond the turn of its loop among the caller's open calls.
    ///
    /// - Throws: ``RPCError``: RESOURCE_EXHAUSTED if the caller has as many open calls as it may.
    package func enter(_ call: ServerCall, of caller: Caller) throws(RPCError) {
        switch kind {
        case .open: break
        case .guarded(let authenticator), .beside(_, let authenticator):
            try authenticator.enter(call, of: caller)
        }
    }

    /// Whether ``reauthorise(_:since:)`` would find what it found before.
    ///
    /// - Parameters:
    ///   - generation: The generation that the last check found.
    ///   - expiresMs: When the caller's credential ends.
    package func isUnchanged(since generation: UInt64, until expiresMs: Int64) -> Bool {
        switch kind {
        case .open: true
        case .guarded(let authenticator):
            authenticator.isUnchanged(since: generation, until: expiresMs)
        case .beside(let home, let authenticator):
            // An operator's stream may go on only while its key is known to be good.
            !home.isLapsed && authenticator.isUnchanged(since: generation, until: expiresMs)
        }
    }

    /// Checks again whether the caller of a stream is still allowed.
    ///
    /// Its credential may have been revoked, or may have expired, while the stream goes on. The
    /// check costs next to nothing while no app and no credential changes.
    ///
    /// - Parameter generation: The generation that the last check found, to be kept for the next
    ///   one; 0 at first.
    /// - Throws: ``RPCError``: UNAUTHENTICATED, with the reason; UNAVAILABLE if its app has moved
    ///   to another database, or for an operator while the home of the fleet is away.
    package func reauthorise(
        _ caller: Caller, since generation: inout UInt64
    ) throws(RPCError) {
        switch kind {
        case .open: break
        case .guarded(let authenticator):
            try reauthorise(caller, since: &generation, by: authenticator)
        case .beside(let home, let authenticator):
            try reauthorise(caller, since: &generation, by: authenticator)
            // After the key was found: until here its end was not answered.
            if caller.credential?.isOfOperator == true, home.isLapsed { throw .noLease }
        }
    }

    private func reauthorise(
        _ caller: Caller, since generation: inout UInt64, by authenticator: CredentialAuthenticator
    ) throws(RPCError) {
        do throws(CredentialError) {
            try authenticator.reauthorise(caller, since: &generation)
        } catch {
            throw apps.isAway(caller.app.id) ? .appMoving(caller.app.id) : RPCError(error)
        }
    }

    /// The administrator whose signature opens TIM's REST API of an app, for notes and logs.
    ///
    /// A server that asks for no credentials looks at the names alone.
    package func administrator(
        _ identifier: String, _ signature: [UInt8], app: UInt32
    ) throws(AdministratorError) -> Caller {
        guard let found = apps[app] else { throw apps.isAway(app) ? .appMoving : .appUnknown }
        switch kind {
        case .open: break
        case .guarded(let authenticator), .beside(_, let authenticator):
            let failure = authenticator.failure(of: signature, by: identifier, app: found)
            if let failure { throw failure }
        }
        guard found.settings.answersTIM else { throw .notAnswered }
        guard found.settings.isTIMAdministrator(identifier) else { throw .noAdministrator }
        return Caller(app: found, scopes: .service, administrator: identifier)
    }

    /// The same calls, open only to callers that the authenticator admits.
    package func guarding(_ dispatcher: any Dispatcher) -> any Dispatcher {
        switch kind {
        case .open: dispatcher
        case .guarded, .beside:
            GuardedDispatcher(
                methods: dispatcher.methods.map { method in
                    method.guarded { (call) throws(RPCError) in
                        try enter(call, of: try admit(call, needing: .unspecified))
                    }
                })
        }
    }
}

/// The calls of another dispatcher, behind an authenticator.
private struct GuardedDispatcher: Dispatcher {
    let methods: [ServedMethod]
}
