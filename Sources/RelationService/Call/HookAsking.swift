import GRPC
import Memory
import Protobuf
import RPC
package import RelationAPI
import RelationAdmission
package import RelationCalls
package import RelationCore
package import RelationHooks
package import RelationModel
import RelationRuntime

/// A kind of call about which a hook may be asked: the question, and the write that follows.
package struct HookAsking<Request: WriteRequest, Response: WriteResponse>: Sendable {
    /// The part of the request to ask about, as the judgement changes it; nil if the rules get
    /// nothing to do.
    package typealias Subject = @Sendable (Request, Call, HookJudgement) -> HookSubject?
    package typealias Handler =
        @Sendable (Request, Call, HookJudgement, inout Violations) -> Work<Response>

    /// Whether the acting user's request of that id has an answer.
    package typealias IsKnown = @Sendable (RequestID, Call) throws(StorageError) -> Bool

    package let question: HookQuestion
    let asker: HookAsker
    let isKnown: IsKnown
    let clock: ServiceClock
    let subject: Subject
    let handler: Handler

    package init(
        _ question: HookQuestion, _ asker: HookAsker, _ clock: ServiceClock,
        isKnown: @escaping IsKnown, subject: @escaping Subject, handler: @escaping Handler
    ) {
        self.question = question
        self.asker = asker
        self.isKnown = isKnown
        self.clock = clock
        self.subject = subject
        self.handler = handler
    }

    /// Whether the call's request id has an answer: the call then gets that, or is refused, and
    /// no hook is asked again.
    func isAnswered(_ call: Call, _ options: WriteOptions) throws(RPCError) -> Bool {
        guard !options.requestID.isEmpty else { return false }
        do throws(StorageError) {
            return try isKnown(RequestID(options.requestID), call)
        } catch {
            throw RPCError(error)
        }
    }
}

/// A call that waits for the answer of a hook, as its bytes and its ticket.
///
/// The asker holds it: no thread waits with it, and the committer does not know it yet.
private struct ParkedCall: Sendable {
    let bytes: [UInt8]
    let caller: Caller
    let audit: AuditedWrite?
    /// The call, whose source lacks the hook's answer.
    let open: OpenCall
}

extension WriteMethod where Request: WriteRequest, Response: WriteResponse {
    /// The question before the call, for a server of calls.
    func asking(_ asking: HookAsking<Request, Response>) -> ServedWrite.Asking {
        ServedWrite.Asking(question: asking.question) {
            bytes, caller, epoch, served throws(RPCError) in
            try start(bytes, caller, since: epoch, served, asking: asking)
        }
    }

    /// Has the hook of the caller's app asked, and then queues the write.
    ///
    /// A thread of the pool decodes the request. The call then waits without a thread, until the
    /// answer comes or does not. A thread of the pool carries that out, and its write queues as any
    /// other.
    private func start(
        _ bytes: [UInt8], _ caller: Caller, since epoch: Int64, _ served: ServerCall,
        asking: HookAsking<Request, Response>
    ) throws(RPCError) {
        try path.authenticator.enter(served, of: caller)
        let open = OpenCall(
            handle: served.beginWork(), epoch: epoch, deadline: served.deadline,
            source: CallSource.of(caller, from: served))
        let parked = ParkedCall(
            bytes: bytes, caller: caller,
            audit: path.audited(caller, served, bytes: bytes.count), open: open)
        guard run(parked, { arena throws(RPCError) in try ask(asking, parked, arena) }) else {
            served.withdrawWork()
            throw .overloaded
        }
    }

    private func run(
        _ parked: ParkedCall, _ step: @escaping @Sendable (Arena) throws(RPCError) -> Void
    ) -> Bool {
        path.run(parked.open, of: parked.caller, parked.audit, step)
    }

    private func ask(
        _ asking: HookAsking<Request, Response>, _ parked: ParkedCall, _ arena: Arena
    ) throws(RPCError) {
        let request = try parked.bytes.withUnsafeBufferPointer { (bytes) throws(RPCError) in
            try requests.request(UnsafeRawBufferPointer(bytes), arena)
        }
        let digest = digest(of: request, parked.bytes)
        let order = try self.order(
            request, digest, parked.caller, asking.clock.now(), arena, asking.judging(.none),
            parked.audit)
        guard var subject = asking.subject(request, order.call, .none),
            try !asking.isAnswered(order.call, order.options)
        else { return try queue(order, parked) }
        subject.ask.requestID = order.options.requestID
        subject.ask.isDryRun = order.options.dryRun
        subject.ask.isOwn = order.call.isOwn
        subject.ask.administrator = order.administrator
        let (call, asked) = (order.call, subject)
        asking.asker.ask(
            asked.ask, in: parked.caller.app.id, by: parked.open.deadline,
            accepting: { verdict in
                let judgement = HookJudgement(verdict, on: asked)
                return asking.subject(request, call, judgement)?.indices == asked.indices
            }
        ) { decision in
            let handle = parked.open.handle
            // The client may have gone: then there is nothing to do but to say that it is done.
            guard handle.isOpen else { return handle.resume { _ in } }
            switch decision {
            case .fail(let error):
                path.refuse(handle, of: parked.caller, parked.audit, with: error)
            case .proceed(let verdict, let answer):
                let judgement = HookJudgement(verdict, on: asked)
                let isTaken = run(parked) { arena throws(RPCError) in
                    // Seconds may have passed: the write goes by the present settings.
                    let caller = parked.caller.at(path.authenticator.apps[parked.caller.app.id])
                    let order = try self.order(
                        request, digest, caller, asking.clock.now(), arena,
                        asking.judging(judgement), parked.audit)
                    try queue(order, parked, after: answer)
                }
                if !isTaken {
                    path.refuse(handle, of: parked.caller, parked.audit, with: .overloaded)
                }
            }
        }
    }

    private func queue(
        _ order: Order, _ parked: ParkedCall, after answer: HookAnswer = .unspecified
    ) throws(RPCError) {
        var open = parked.open
        open.source = open.source?.judged(answer)
        open.handle.queues(at: Deadline.clock)
        try submit(order, open)
    }
}

extension HookAsking {
    /// The handler of a call that a hook has judged.
    fileprivate func judging(
        _ judgement: HookJudgement
    ) -> WriteMethod<Request, Response>.Handler {
        let handler = handler
        return { request, call, violations in handler(request, call, judgement, &violations) }
    }
}
