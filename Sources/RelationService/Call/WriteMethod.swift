import GRPC
import Memory
package import Protobuf
import RPC
import RelationAPI
package import RelationAdmission
package import RelationCalls
import RelationCore
import RelationModel
package import RelationRuntime

/// A call that writes, with all that is needed to understand its request on any thread.
///
/// The conditions of its types are those of its functions, for the reason that ``Coder`` has.
package struct WriteMethod<Request, Response>: Sendable {
    package typealias Handler =
        @Sendable (Request, Call, inout Violations) -> Work<Response>

    let requests: Coder<Request>
    private let responses: Coder<Response>
    private let name: String.UTF8View
    private let list: WrittenList
    private let handler: Handler
    package let authenticator: Authenticator
    package let committer: Committer
    /// The threads that understand long requests, and encode long answers.
    let pool: Readers

    package init(
        _ method: Method<Request, Response>, _ handler: @escaping Handler,
        _ authenticator: Authenticator,
        _ committer: Committer, _ pool: Readers
    ) where Request: Message, Response: Message {
        requests = method.requestCoder
        responses = method.responseCoder
        name = method.path.utf8
        list = WrittenList(of: method.service)
        self.handler = handler
        self.authenticator = authenticator
        self.committer = committer
        self.pool = pool
    }
}

extension WriteMethod where Request: WriteRequest, Response: WriteResponse {
    /// A write that its request asks for, as the handler has understood it.
    struct Order {
        let work: Work<Response>
        let call: Call
        let options: WriteOptions
        let digest: [UInt8]
        /// As in ``Caller/administrator``.
        let administrator: String
        /// The source that a history keeps of the call; nil in an app without one.
        var source: CallSource?
        /// The record of the call; nil if it is not audited.
        var audit: AuditedWrite?
    }

    private func order(
        _ bytes: UnsafeRawBufferPointer, _ caller: Caller, _ now: Timestamp, _ arena: Arena,
        _ audit: AuditedWrite?
    ) throws(RPCError) -> Order {
        let request = try requests.request(bytes, arena)
        let digest = digest(of: request, bytes)
        return try order(request, digest, caller, now, arena, handler, audit)
    }

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

    /// Ends a call that another thread has understood, and counts it for the audit if its caller
    /// lacks a right, or if every call is recorded.
    func refuse(
        _ handle: CallHandle, of caller: Caller, _ audit: AuditedWrite?, with error: RPCError
    ) {
        if let row = audit?.refusal(error) { authenticator.noteRefusal(row, of: caller.app.id) }
        if let row = audit?.failure(error) { authenticator.noteFailure(row, of: caller.app.id) }
        handle.resume { call in call.fail(error) }
    }

    /// The digest of a request that has a request id.
    func digest(of request: Request, _ bytes: some Collection<UInt8>) -> [UInt8] {
        let isNamed = request.options?.requestID.isEmpty == false
        return isNamed ? Digest.of(Array(name) + Array(bytes)) : []
    }

    func order(
        _ request: Request, _ digest: [UInt8], _ caller: Caller, _ now: Timestamp,
        _ arena: Arena, _ handler: Handler, _ audit: AuditedWrite?
    ) throws(RPCError) -> Order {
        var violations = Violations()
        let call = caller.rights.call(
            as: Request.actsForUser ? request.userID : nil, at: now, arena, &violations)
        let options = request.options ?? WriteOptions()
        options.check(actsForUser: Request.actsForUser, &violations)
        var work = handler(request, call, &violations)
        guard violations.isEmpty else { throw violations.error }
        WriteInvocation<Response>.addKeys(call, options, to: &work.keys)
        if let audit, audit.isCall { AuditChain.addKeys(of: call.app, to: &work.keys) }
        return Order(
            work: work, call: call, options: options, digest: digest,
            administrator: caller.administrator, audit: audit)
    }

    func submit(
        _ order: Order, since epoch: Int64, _ handle: CallHandle, by deadline: Deadline?
    ) -> Bool {
        committer.submit(
            WriteInvocation(
                order.work, order.call, order.options, on: list, apps: authenticator.apps,
                digest: order.digest, coder: responses, encoders: pool, handle: handle,
                deadline: deadline, epoch: epoch, audit: order.audit,
                administrator: order.administrator, source: order.source, clock: committer.clock))
    }

    /// Understands the request at once, and queues the write.
    ///
    /// - Parameter epoch: The authenticator's, before it let the call in.
    func start(
        _ bytes: UnsafeRawBufferPointer, _ caller: Caller, since epoch: Int64, _ now: Timestamp,
        _ served: ServerCall
    ) throws(RPCError) {
        let audit = audited(caller, served, bytes: bytes.count)
        var order = try order(bytes, caller, now, served.arena, audit)
        order.source = CallSource.of(caller, from: served)
        try authenticator.enter(served, of: caller)
        guard submit(order, since: epoch, served.beginWork(), by: served.deadline) else {
            served.withdrawWork()
            throw .overloaded
        }
    }

    /// Has the request understood by a thread of the pool, which then queues the write.
    func start(
        _ bytes: [UInt8], _ caller: Caller, since epoch: Int64, _ now: Timestamp,
        _ served: ServerCall
    ) throws(RPCError) {
        try authenticator.enter(served, of: caller)
        let audit = audited(caller, served, bytes: bytes.count)
        let source = CallSource.of(caller, from: served)
        let handle = served.beginWork()
        let deadline = served.deadline
        let taken = pool.submit(of: caller.app.id, for: handle, by: deadline) { arena in
            do throws(RPCError) {
                var order = try bytes.withUnsafeBufferPointer { (bytes) throws(RPCError) in
                    try self.order(UnsafeRawBufferPointer(bytes), caller, now, arena, audit)
                }
                order.source = source
                handle.queues(at: Deadline.clock)
                // The committer gives the handle back with its answer.
                guard submit(order, since: epoch, handle, by: deadline) else { throw .overloaded }
            } catch {
                refuse(handle, of: caller, audit, with: error)
            }
        }
        guard taken != nil else {
            served.withdrawWork()
            throw .overloaded
        }
    }
}

extension WriteOptions {
    fileprivate func check(actsForUser: Bool, _ violations: inout Violations) {
        violations.length(requestID, "options.request_id", atMost: Limits.requestIDBytes)
        violations.length(deviceID, "options.device_id", atMost: Limits.deviceIDBytes)
        if listEffects, !dryRun {
            violations.add("options.list_effects", "has no meaning without dry_run")
        }
        guard let expectedSequence else { return }
        if !actsForUser {
            violations.add("options.expected_sequence", "has no meaning: the call acts for no user")
        } else if expectedSequence < 0 {
            violations.add("options.expected_sequence", "is negative")
        }
    }
}
