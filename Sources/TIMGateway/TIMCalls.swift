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
final class TIMCalls {
    private let maker: any TIMCallMaker
    private let service: TIMService
    private let names: TIMFieldNames
    private let end: ContinuousClock.Instant
    private let now: () -> ContinuousClock.Instant

    /// - Parameter end: When no further call begins.
    init(
        _ maker: any TIMCallMaker, _ service: TIMService, _ names: TIMFieldNames,
        until end: ContinuousClock.Instant,
        now: @escaping () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.maker = maker
        self.service = service
        self.names = names
        self.end = end
        self.now = now
    }

    /// A call that ends with the time of the request, whether it is done or not.
    func call<Request: CodedMessage, Response: CodedMessage>(
        _ method: Method<Request, Response>, _ request: Request
    ) async throws(TIMError) -> Response {
        try await call(method, request, milliseconds: try rest())
    }

    /// A call that writes a part of what the request asks for.
    ///
    /// It begins within the time of the request, and has ``TIMLimits/writeMilliseconds`` of its
    /// own, so the end of the request hardly comes between a write and its answer.
    func write<Request: CodedMessage, Response: CodedMessage>(
        _ method: Method<Request, Response>, _ request: Request
    ) async throws(TIMError) -> Response {
        _ = try rest()
        return try await call(method, request, milliseconds: TIMLimits.writeMilliseconds)
    }

    private func call<Request: CodedMessage, Response: CodedMessage>(
        _ method: Method<Request, Response>, _ request: Request, milliseconds: Int64
    ) async throws(TIMError) -> Response {
        let bytes = try encoded(request, method.requestCoder)
        let answer: [UInt8]
        do throws(InsideCalls.Failure) {
            answer = try await maker.call(method.path, bytes, milliseconds: milliseconds)
        } catch {
            throw TIMError(error, in: service, names)
        }
        return try decoded(answer, method.responseCoder)
    }

    /// A call of many requests that writes, as ``write(_:_:)`` does; they are sent before an answer
    /// is read.
    ///
    /// - Returns: The answers, and the error of a stream that ended before its end.
    func stream<Request: CodedMessage, Response: CodedMessage>(
        _ method: Method<Request, Response>, _ requests: [Request]
    ) async throws(TIMError) -> (answers: [Response], error: TIMError?) {
        _ = try rest()
        var messages: [[UInt8]] = []
        for request in requests { messages.append(try encoded(request, method.requestCoder)) }
        let stream: InsideCalls.Stream
        do throws(InsideCalls.Failure) {
            stream = try await maker.stream(
                method.path, messages, milliseconds: TIMLimits.writeMilliseconds)
        } catch {
            throw TIMError(error, in: service, names)
        }
        var answers: [Response] = []
        for message in stream.messages {
            answers.append(try decoded(message, method.responseCoder))
        }
        return (answers, stream.failure.map { TIMError($0, in: service, names) })
    }

    /// The milliseconds that are left.
    private func rest() throws(TIMError) -> Int64 {
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
}
