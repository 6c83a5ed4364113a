package import GRPC
import Glibc
package import Protobuf
import RelationAPI
import RelationCore
package import RelationModel
package import Storage

/// The calls of the contract, each with what it takes to answer it.
///
/// Types are closed over once, when a call is registered: what is left is one function from bytes
/// to an answer for each path. Decoding, looking at the request's own fields and encoding happen on
/// the call's loop; reads run there too, against a snapshot; writes go through the committer.
package final class Router: Dispatcher, @unchecked Sendable {
    /// Written by registration, before the server starts, and never afterwards: that is what makes
    /// the class safe to share.
    package private(set) var methods: [ServedMethod] = []
    package let store: any Store
    package let committer: Committer
    private let door: Door
    private let clock: Clock

    package init(
        store: any Store, committer: Committer, door: Door, clock: Clock
    ) {
        self.store = store
        self.committer = committer
        self.door = door
        self.clock = clock
    }

    // MARK: Reads

    package typealias ReadHandler<Request, Response> =
        @Sendable (Request, Call, inout Violations) -> Reading<Response>

    package func read<Request: ReadRequest, Response: Message>(
        _ method: Method<Request, Response>, _ handler: @escaping ReadHandler<Request, Response>
    ) {
        let requests = method.requestCoder
        let responses = method.responseCoder
        add(method.path) { bytes, served throws(RPCError) in
            let request = try Self.decode(bytes, requests, served.arena)
            let (call, violations) = try self.door.open(
                served, request.actingUser, needing: method.access, at: self.clock.now())
            var faults = violations
            let reading = handler(request, call, &faults)
            let least = self.door.least(request.options, of: call.user, &faults)
            guard faults.isEmpty else { throw faults.error }

            let response: Response?
            do throws(StorageError) {
                response = try self.store.read { (transaction) throws(StorageError) in
                    guard try least.isReached(call.app, in: transaction) else { return nil }
                    return try reading(transaction)
                }
            } catch {
                throw RPCError(error)
            }
            guard let response else { throw try self.missing(least, call) }
            served.respond(response, responses)
        }
    }

    /// Why a read answered nothing: its `min_sequence`, or its acting user.
    private func missing(
        _ least: LeastSequence, _ call: Call
    ) throws(RPCError) -> RPCError {
        do throws(StorageError) {
            let isReached = try store.read { (transaction) throws(StorageError) in
                try least.isReached(call.app, in: transaction)
            }
            return isReached ? .unknownUser(call.user) : least.notIssued
        } catch {
            throw RPCError(error)
        }
    }

    // MARK: Writes

    package typealias WriteHandler<Request, Response: WriteResponse> =
        @Sendable (Request, Call, inout Violations) -> Work<Response>

    package func write<Request: WriteRequest, Response: WriteResponse>(
        _ method: Method<Request, Response>, _ handler: @escaping WriteHandler<Request, Response>
    ) {
        let requests = method.requestCoder
        let responses = method.responseCoder
        let name = method.path.utf8
        add(method.path) { bytes, served throws(RPCError) in
            let request = try Self.decode(bytes, requests, served.arena)
            let (call, violations) = try self.door.open(
                served, request.userID, needing: method.access, at: self.clock.now())
            var faults = violations
            let options = request.options ?? WriteOptions()
            options.check(&faults)
            let work = handler(request, call, &faults)
            guard faults.isEmpty else { throw faults.error }

            let digest = options.requestID.isEmpty ? [] : Digest.of(Array(name) + Array(bytes))
            let invocation = WriteInvocation(
                work, call, options, digest: digest, coder: responses, handle: served.handle,
                deadline: served.deadline)
            guard self.committer.submit(invocation) else { throw .overloaded }
        }
    }

    // MARK: Imports

    /// Registers a stream of rows, each a write of its own.
    package func rows<Rows: ImportRows>(
        _ method: Method<Rows.Request, Rows.Response>, _ rows: Rows.Type
    ) {
        let coders = (method.requestCoder, method.responseCoder)
        let access = method.access
        methods.append(
            .streaming(method.path, shape: method.shape) { served in
                do throws(RPCError) {
                    let (app, isAdmin) = try self.door.admit(served, needing: access)
                    guard isAdmin else {
                        throw RPCError.fault(
                            .permissionDenied, .scopeMissing, "an import needs the scope admin")
                    }
                    return ImportStream<Rows>(
                        app: app, committer: self.committer, clock: self.clock,
                        requests: coders.0, responses: coders.1)
                } catch {
                    return RefusedStream(error, served)
                }
            })
    }

    // MARK: What all calls share

    private func add(
        _ path: String,
        _ body: @escaping @Sendable (UnsafeRawBufferPointer, ServerCall) throws(RPCError) -> Void
    ) {
        methods.append(
            .unary(path) { bytes, served in
                do throws(RPCError) {
                    try body(bytes, served)
                } catch {
                    served.fail(error)
                }
            })
    }

    static func decode<M: Message>(
        _ bytes: UnsafeRawBufferPointer, _ coder: Coder<M>, _ arena: Arena
    ) throws(RPCError) -> M {
        do throws(CodecError) {
            return try coder.read(bytes, arena)
        } catch  where error.code == .tooLarge || error.code == .outOfMemory {
            // The bytes are bounded, so this is a list of very many very small items.
            throw .fault(.invalidArgument, .tooManyItems, "a list is too long: \(error.message)")
        } catch {
            throw .fault(
                .internalError, .malformedMessage,
                "the request is no \(M.schema.fullName): \(error.message)")
        }
    }
}

/// A stream that was refused before its first message.
final class RefusedStream: StreamHandler {
    init(_ error: RPCError, _ call: ServerCall) {
        call.fail(error)
    }

    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {}
}

/// Where the time comes from: the machine's clock, or a test's.
package struct Clock: Sendable {
    package let now: @Sendable () -> Timestamp

    package init(_ now: @escaping @Sendable () -> Timestamp) {
        self.now = now
    }

    /// The machine's.
    package static let system = Clock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

extension ServerCall {
    /// Answers with `message`, encoded straight into the stream's buffer.
    package func respond<M: Message>(_ message: M, _ coder: Coder<M>) {
        respond { (output) throws(RPCError) in
            do throws(CodecError) {
                try coder.write(message, arena, output)
            } catch {
                throw RPCError(.internalError, "the answer does not encode", cause: error)
            }
        }
    }
}

extension WriteOptions {
    fileprivate func check(_ faults: inout Violations) {
        faults.length(requestID, "options.request_id", atMost: Limits.requestIDBytes)
        faults.length(deviceID, "options.device_id", atMost: Limits.deviceIDBytes)
    }
}
