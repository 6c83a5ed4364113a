package import GRPC
package import Memory
package import Protobuf
package import RPC
package import RelationAPI
package import RelationAdmission
package import RelationCalls
import RelationCore
package import RelationRuntime

/// The source of the messages of a call that answers in many messages.
///
/// It is asked for the next messages on a thread of the readers, never on two threads at once.
package protocol BatchSource<Response>: AnyObject, Sendable {
    associatedtype Response: CodedMessage

    /// Returns a few more messages; they are the last ones if `isLast`.
    func next(_ arena: Arena) throws(RPCError) -> (messages: [Response], isLast: Bool)

    /// The call has ended, whether or not all messages were sent.
    func close()
}

/// A call that answers in many messages.
///
/// It asks for the next messages when the client has taken those before, so a slow client costs no
/// memory.
///
/// `@unchecked Sendable`: only its loop touches it; the threads of the readers carry it back there.
package final class BatchStream<Request: ReadRequest, Response: CodedMessage>: StreamHandler,
    @unchecked Sendable
{
    package typealias Handler =
        @Sendable (Request, Call, LeastSequence, inout Violations) throws(RPCError)
        -> (any BatchSource<Response>)?

    private let requests: Coder<Request>
    private let responses: Coder<Response>
    private let caller: Caller
    private let authenticator: Authenticator
    /// The finding of the last check of the caller's credential.
    private var checkedGeneration: UInt64 = 0
    /// The authenticator's epoch before that check.
    private var epoch: Int64 = 0
    private let clock: ServiceClock
    private let pool: Readers
    private let handler: Handler
    private var source: (any BatchSource<Response>)?
    /// The ticket of a read that was asked for and has not come back.
    private var ticket: Readers.Ticket?
    private var isBlocked = false
    /// The messages that were read and not sent yet, and whether they are the last ones.
    private var waiting: ArraySlice<[UInt8]> = []
    private var isLast = false

    package init(
        _ method: Method<Request, Response>, _ caller: Caller, _ authenticator: Authenticator,
        _ clock: ServiceClock,
        _ pool: Readers, _ handler: @escaping Handler
    ) {
        requests = method.requestCoder
        responses = method.responseCoder
        self.caller = caller
        self.authenticator = authenticator
        self.clock = clock
        self.pool = pool
        self.handler = handler
    }

    package func received(_ message: UnsafeRawBufferPointer, _ served: ServerCall) {
        do throws(RPCError) {
            let request = try requests.request(message, served.arena)
            var violations = Violations()
            let call = caller.rights.call(
                as: Request.actsForUser ? request.actingUser : nil, at: clock.now(), served.arena,
                &violations)
            let least = LeastSequence(request.options, of: call.user, &violations)
            let source = try handler(request, call, least, &violations)
            guard violations.isEmpty, let source else {
                source?.close()
                throw violations.error
            }
            self.source = source
            try authenticator.noteStream(served, of: caller)
        } catch {
            authenticator.noteStream(served, of: caller, refusedWith: error)
            return served.fail(error)
        }
        read(served)
    }

    package func writable(_ served: ServerCall) {
        isBlocked = false
        sendWaiting(served)
    }

    /// The call has ended, for any reason.
    package func ended(_ served: ServerCall) {
        // A read that has not begun is withdrawn.
        if let ticket, pool.withdraw(ticket) { served.withdrawWork() }
        ticket = nil
        source?.close()
        source = nil
        waiting = []
    }

    /// The server stops: the messages sent so far hold, and the rest would take longer than a stop.
    package func stopping(_ served: ServerCall) {
        served.fail(.serverStops(served))
    }

    private func read(_ served: ServerCall) {
        guard let source, ticket == nil else { return }
        epoch = authenticator.epoch
        do throws(RPCError) {
            try authenticator.checkLease(epoch)
            try authenticator.reauthorise(caller, since: &checkedGeneration)
        } catch {
            return authenticator.fail(served, of: caller, with: error)
        }
        let coder = responses
        let handle = served.beginWork()
        ticket = pool.submit(of: caller.app.id, for: handle, by: served.deadline) {
            [self] arena in
            let batch: Result<([[UInt8]], Bool), RPCError>
            do throws(RPCError) {
                let (messages, isLast) = try source.next(arena)
                try self.authenticator.checkPresence(of: self.caller.app)
                batch = .success((try Self.encode(messages, coder, arena), isLast))
            } catch {
                batch = .failure(error)
            }
            handle.resume { served in self.send(batch, served) }
        }
        guard ticket == nil else { return }
        served.withdrawWork()
        served.fail(.overloaded)
    }

    private static func encode(
        _ messages: [Response], _ coder: Coder<Response>, _ arena: Arena
    ) throws(RPCError) -> [[UInt8]] {
        var encoded: [[UInt8]] = []
        do throws(CodecError) {
            for message in messages { encoded.append(try coder.bytes(message, arena)) }
        } catch {
            throw RPCError(.internalError, "the answer does not encode", cause: error)
        }
        return encoded
    }

    private func send(_ batch: Result<([[UInt8]], Bool), RPCError>, _ served: ServerCall) {
        ticket = nil
        switch batch {
        case .failure(let error): authenticator.fail(served, of: caller, with: error)
        case .success((let messages, let isLast)):
            waiting = messages[...]
            self.isLast = isLast
            sendWaiting(served)
        }
    }

    /// Sends the messages that were read, as far as the client takes them, and then reads more.
    private func sendWaiting(_ served: ServerCall) {
        do throws(RPCError) {
            if !waiting.isEmpty {
                try authenticator.checkLease(epoch)
                try authenticator.reauthorise(caller, since: &checkedGeneration)
            }
        } catch {
            return authenticator.fail(served, of: caller, with: error)
        }
        while !isBlocked, let message = waiting.popFirst() {
            isBlocked = message.withUnsafeBytes { !served.send($0) }
        }
        guard !isBlocked, ticket == nil else { return }
        if isLast { return served.finish(.ok) }
        read(served)
    }
}
