import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationAdmission
package import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// A call that writes: the way from the bytes of its request to the committer's queue, on any
/// thread.
///
/// The compiler makes the functions here for each call. The parts that need no type of a message
/// stand in ``ServedWrite`` and ``WritePath``.
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
    let path: WritePath

    init(_ method: Method<Request, Response>, _ handler: @escaping Handler, _ path: WritePath)
    where Request: Message, Response: Message {
        requests = method.requestCoder
        responses = method.responseCoder
        name = method.path.utf8
        list = WrittenList(of: method.service)
        self.handler = handler
        self.path = path
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
        /// The record of the call; nil if it is not audited.
        let audit: AuditedWrite?
    }

    /// Decodes a request, has the handler validate it, and queues the write.
    ///
    /// - Parameter opening: Lets the call in. It is asked once the request is known to be valid.
    /// - Throws: ``RPCError``: those of the request, those of `opening`, and RESOURCE_EXHAUSTED if
    ///   the committer has no room.
    @Sendable func queue(
        _ bytes: UnsafeRawBufferPointer, _ caller: Caller, _ now: Timestamp, _ arena: Arena,
        _ audit: AuditedWrite?, opening: () throws(RPCError) -> OpenCall
    ) throws(RPCError) {
        let request = try requests.request(bytes, arena)
        let order = try order(
            request, digest(of: request, bytes), caller, now, arena, handler, audit)
        try submit(order, try opening())
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

    /// Queues the write; the committer gives the handle back with its answer.
    func submit(_ order: Order, _ call: OpenCall) throws(RPCError) {
        let invocation = WriteInvocation(
            order.work, order.call, order.options, on: list, apps: path.authenticator.apps,
            digest: order.digest, coder: responses, encoders: path.pool, handle: call.handle,
            deadline: call.deadline, epoch: call.epoch, audit: order.audit,
            administrator: order.administrator, source: call.source, clock: path.committer.clock)
        guard path.committer.submit(invocation) else { throw .overloaded }
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
