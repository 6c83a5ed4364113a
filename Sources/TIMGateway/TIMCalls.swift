import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationModel

/// Makes the calls behind a request: a connection from within, or what stands for it in a test.
protocol TIMCallMaker {
    func call(
        _ path: String, _ message: [UInt8], milliseconds: Int64
    ) async throws(InsideCalls.Failure) -> [UInt8]

    func stream(
        _ path: String, _ messages: [[UInt8]], milliseconds: Int64
    ) async throws(InsideCalls.Failure) -> InsideCalls.Stream
}

extension InsideCalls: TIMCallMaker {}

/// The calls that are made for one request, with its deadline and its service's codes.
///
/// A write for a user carries a request id, under which the server does it once. If its outcome is
/// not known, it is made once more under this id: that answers as the first time, or does it now.
/// The id is of this request alone, since a body that is sent again may mean to be done again.
final class TIMCalls {
    private let maker: any TIMCallMaker
    private let service: TIMService
    private let names: TIMFieldNames
    private let end: ContinuousClock.Instant
    private let now: () -> ContinuousClock.Instant
    private let id: String
    /// The writes that have begun, whose numbers follow ``id`` in their request ids.
    private var writes = 0
    /// When no further write begins of rows that a repeated stream has found.
    private var repeatEnd: ContinuousClock.Instant?

    /// - Parameters:
    ///   - end: When no further call begins.
    ///   - id: A text that no other request has, of at most ``TIMLimits/requestIDBytes``.
    init(
        _ maker: any TIMCallMaker, _ service: TIMService, _ names: TIMFieldNames,
        until end: ContinuousClock.Instant, id: String,
        now: @escaping () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.maker = maker
        self.service = service
        self.names = names
        self.end = end
        self.id = id
        self.now = now
    }

    /// A call that ends with the time of the request, whether it is done or not.
    func call<Request: CodedMessage, Response: CodedMessage>(
        _ method: Method<Request, Response>, _ request: Request
    ) async throws(TIMError) -> Response {
        let milliseconds = try rest(until: end)
        let bytes = try encoded(request, method.requestCoder)
        let answer: [UInt8]
        do throws(InsideCalls.Failure) {
            answer = try await maker.call(method.path, bytes, milliseconds: milliseconds)
        } catch {
            throw TIMError(error, in: service, names)
        }
        return try decoded(answer, method.responseCoder)
    }

    /// A call that writes a part of what the request asks for.
    ///
    /// It begins within the time of the request, and has ``TIMLimits/writeMilliseconds`` of its
    /// own, so the end of the request hardly comes between a write and its answer.
    ///
    /// - Parameter endsRepeat: Whether it ends what a repeated stream has begun. It may then begin
    ///   after the time of the request, within ``TIMLimits/repeatMilliseconds`` of that stream.
    /// - Throws: ``TIMError``, which says so if the write may be done: its outcome was not known,
    ///   and became known neither when it was made once more, or its answer cannot be read.
    func write<Request: WriteRequest, Response: CodedMessage>(
        _ method: Method<Request, Response>, _ request: Request, endsRepeat: Bool = false
    ) async throws(TIMError) -> Response {
        _ = try rest(until: endsRepeat ? max(end, repeatEnd ?? end) : end)
        var request = request
        // The ids of writes for no user are those of the whole app, and it keeps some only.
        if Request.actsForUser { request.options = named(request.options) }
        let bytes = try encoded(request, method.requestCoder)
        let answer: [UInt8]
        do throws(InsideCalls.Failure) {
            answer = try await maker.call(
                method.path, bytes, milliseconds: TIMLimits.writeMilliseconds)
        } catch {
            guard error.leavesWriteOpen, Request.actsForUser else {
                throw TIMError(ofWrite: error, in: service, names)
            }
            answer = try await repeated(method.path, bytes, after: error)
        }
        return try decodedOfWrite(answer, method.responseCoder)
    }

    /// Options with the request id of the next write.
    private func named(_ options: WriteOptions?) -> WriteOptions {
        writes += 1
        var options = options ?? WriteOptions()
        options.requestID = "tim-\(id)-\(writes)"
        return options
    }

    /// Makes a write once more whose first answer does not say whether it is done.
    private func repeated(
        _ path: String, _ bytes: [UInt8], after first: InsideCalls.Failure
    ) async throws(TIMError) -> [UInt8] {
        do throws(InsideCalls.Failure) {
            return try await maker.call(path, bytes, milliseconds: TIMLimits.repeatMilliseconds)
        } catch {
            throw error.settlesWrite
                ? TIMError(error, in: service, names)
                : TIMError(ofWrite: first, in: service, names)
        }
    }

    /// A call of many requests that writes, as ``write(_:_:)`` does; they are sent before an answer
    /// is read.
    ///
    /// - Parameter isRepeated: Whether it asks once more what became of requests, which may come
    ///   after the time of the request.
    /// - Returns: The answers, and the error of a stream that ended before its end, or of the first
    ///   answer that cannot be read.
    func stream<Request: CodedMessage, Response: CodedMessage>(
        _ method: Method<Request, Response>, _ requests: [Request], isRepeated: Bool = false
    ) async throws(TIMError) -> (answers: [Response], error: TIMError?) {
        if !isRepeated { _ = try rest(until: end) }
        defer {
            if isRepeated { repeatEnd = now() + .milliseconds(TIMLimits.repeatMilliseconds) }
        }
        var messages: [[UInt8]] = []
        for request in requests { messages.append(try encoded(request, method.requestCoder)) }
        let stream: InsideCalls.Stream
        do throws(InsideCalls.Failure) {
            let milliseconds =
                isRepeated ? TIMLimits.repeatMilliseconds : TIMLimits.writeMilliseconds
            stream = try await maker.stream(method.path, messages, milliseconds: milliseconds)
        } catch {
            return ([], TIMError(ofWrite: error, in: service, names))
        }
        var answers: [Response] = []
        for message in stream.messages {
            do throws(TIMError) {
                answers.append(try decodedOfWrite(message, method.responseCoder))
            } catch {
                return (answers, error)
            }
        }
        return (answers, stream.failure.map { TIMError(ofWrite: $0, in: service, names) })
    }

    /// The milliseconds that are left.
    private func rest(until end: ContinuousClock.Instant) throws(TIMError) -> Int64 {
        let left = now().duration(to: end)
        let milliseconds =
            left.components.seconds * 1_000
            + left.components.attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else {
            throw TIMError(service.timeOut, "the request took too long", .deadlineExceeded)
        }
        return milliseconds
    }

    private func encoded<M: CodedMessage>(
        _ message: M, _ coder: Coder<M>
    ) throws(TIMError) -> [UInt8] {
        do throws(CodecError) {
            return try Arena.temporary { (arena) throws(CodecError) in
                try coder.bytes(message, arena)
            }
        } catch {
            throw TIMError(service.badParameter, "the request is too long")
        }
    }

    private func decoded<M: CodedMessage>(
        _ bytes: [UInt8], _ coder: Coder<M>
    ) throws(TIMError) -> M {
        do throws(CodecError) {
            return try Arena.temporary { (arena) throws(CodecError) in
                try coder.message(bytes, arena)
            }
        } catch {
            throw TIMError(service.internalError, "an answer does not decode", .internalError)
        }
    }

    /// Decodes an answer to a write, which may be done whatever its answer is.
    private func decodedOfWrite<M: CodedMessage>(
        _ bytes: [UInt8], _ coder: Coder<M>
    ) throws(TIMError) -> M {
        do throws(TIMError) {
            return try decoded(bytes, coder)
        } catch {
            throw error.asOfWrite
        }
    }
}
