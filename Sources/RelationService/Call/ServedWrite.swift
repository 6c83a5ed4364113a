import GRPC
import Memory
import RPC
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// A call that writes, as the router serves it: from its admission to its place in the queue.
///
/// Nothing here depends on the types of the messages, so the compiler makes it once.
/// ``WriteMethod`` has the parts that it makes for each call.
struct ServedWrite: Sendable {
    /// Decodes a request, has its handler validate it, and queues the write; as
    /// ``WriteMethod/queue(_:_:_:_:_:opening:)``.
    typealias Queue =
        @Sendable (
            UnsafeRawBufferPointer, Caller, Timestamp, Arena, AuditedWrite?,
            _ opening: () throws(RPCError) -> OpenCall
        ) throws(RPCError) -> Void

    /// Has the hook of the caller's app asked, and then queues the write.
    typealias Ask = @Sendable ([UInt8], Caller, Int64, ServerCall) throws(RPCError) -> Void

    /// The question of a hook before a kind of call.
    struct Asking: Sendable {
        let question: HookQuestion
        let ask: Ask
    }

    let path: WritePath
    let scope: Scope
    /// Whether no user's own credential may make the call.
    let isForServices: Bool
    let queue: Queue
    /// The question that a hook of the app may be asked before; nil if there is none.
    let asking: Asking?
    let clock: ServiceClock

    private var authenticator: Authenticator { path.authenticator }

    /// Decodes a short request on its loop, and a longer one on a thread of the pool, and queues
    /// the write.
    func serve(_ bytes: UnsafeRawBufferPointer, _ served: ServerCall) throws(RPCError) {
        let epoch = authenticator.epoch
        let caller = try authenticator.admit(served, needing: scope)
        if isForServices, caller.user != nil { throw .forServices }
        do throws(RPCError) {
            // Asked before any work for a call that would not be taken.
            let owner = WorkOwner(app: caller.app.id)
            guard path.committer.wouldTake(owner, by: served.deadline) else { throw .overloaded }
            if let asking, caller.app.asks(asking.question) {
                return try asking.ask(Array(bytes), caller, epoch, served)
            }
            guard bytes.count <= RuntimeLimits.requestBytesOnLoop else {
                return try start(Array(bytes), caller, since: epoch, clock.now(), served)
            }
            try start(bytes, caller, since: epoch, clock.now(), served)
        } catch {
            path.noteFailure(error, of: caller, served, bytes: bytes.count)
            throw error
        }
    }

    /// Decodes the request at once, and queues the write.
    ///
    /// - Parameter epoch: The authenticator's, before it let the call in.
    private func start(
        _ bytes: UnsafeRawBufferPointer, _ caller: Caller, since epoch: Int64, _ now: Timestamp,
        _ served: ServerCall
    ) throws(RPCError) {
        let audit = path.audited(caller, served, bytes: bytes.count)
        var isOpen = false
        do throws(RPCError) {
            try queue(bytes, caller, now, served.arena, audit) { () throws(RPCError) in
                let source = CallSource.of(caller, from: served)
                try authenticator.enter(served, of: caller)
                isOpen = true
                return OpenCall(
                    handle: served.beginWork(), epoch: epoch, deadline: served.deadline,
                    source: source)
            }
        } catch {
            if isOpen { served.withdrawWork() }
            throw error
        }
    }

    /// Has the request decoded by a thread of the pool, which then queues the write.
    private func start(
        _ bytes: [UInt8], _ caller: Caller, since epoch: Int64, _ now: Timestamp,
        _ served: ServerCall
    ) throws(RPCError) {
        try authenticator.enter(served, of: caller)
        let audit = path.audited(caller, served, bytes: bytes.count)
        let source = CallSource.of(caller, from: served)
        let call = OpenCall(
            handle: served.beginWork(), epoch: epoch, deadline: served.deadline, source: source)
        let isTaken = path.run(call, of: caller, audit) { [queue] arena throws(RPCError) in
            try bytes.withUnsafeBufferPointer { (bytes) throws(RPCError) in
                try queue(UnsafeRawBufferPointer(bytes), caller, now, arena, audit) {
                    call.handle.queues(at: Deadline.clock)
                    return call
                }
            }
        }
        guard isTaken else {
            served.withdrawWork()
            throw .overloaded
        }
    }
}

/// A call that has been let in, and whose answer may come from any thread.
struct OpenCall: Sendable {
    let handle: CallHandle
    /// The authenticator's epoch, from before it let the call in.
    let epoch: Int64
    let deadline: Deadline?
    /// The source that a history keeps of the call; nil in an app without one.
    var source: CallSource?
}

/// The parts of a server that every write needs.
struct WritePath: Sendable {
    let authenticator: Authenticator
    let committer: Committer
    /// The threads that decode long requests, and encode long answers.
    let pool: Readers

    /// The record of a call, without its outcome; nil if the server keeps no audit.
    func audited(_ caller: Caller, _ served: ServerCall, bytes: Int) -> AuditedWrite? {
        guard authenticator.apps.audit.isOn else { return nil }
        return AuditedWrite(caller, served, bytes: bytes, in: authenticator.apps.audit)
    }

    /// Records a call that failed on its loop, on a server that records every call.
    func noteFailure(_ error: RPCError, of caller: Caller, _ served: ServerCall, bytes: Int) {
        guard authenticator.apps.audit.calls.isOn,
            let row = audited(caller, served, bytes: bytes)?.failure(error)
        else { return }
        authenticator.noteFailure(row, of: caller.app.id)
    }

    /// Ends a call that another thread has decoded, and counts it for the audit if its caller lacks
    /// a right, or if every call is recorded.
    func refuse(
        _ handle: CallHandle, of caller: Caller, _ audit: AuditedWrite?, with error: RPCError
    ) {
        if let row = audit?.refusal(error) { authenticator.noteRefusal(row, of: caller.app.id) }
        if let row = audit?.failure(error) { authenticator.noteFailure(row, of: caller.app.id) }
        handle.resume { call in call.fail(error) }
    }

    /// Has a thread of the pool do a step; a failure of it is that of the call.
    ///
    /// - Returns: Whether a thread does so.
    func run(
        _ call: OpenCall, of caller: Caller, _ audit: AuditedWrite?,
        _ step: @escaping @Sendable (Arena) throws(RPCError) -> Void
    ) -> Bool {
        let taken = pool.submit(of: caller.app.id, for: call.handle, by: call.deadline) { arena in
            do throws(RPCError) {
                try step(arena)
            } catch {
                refuse(call.handle, of: caller, audit, with: error)
            }
        }
        return taken != nil
    }
}
