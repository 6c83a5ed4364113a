import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationModel

/// The calls that are made for one request, with its deadline and its service's codes.
final class TIMCalls {
    private let inside: InsideCalls
    private let service: TIMService
    private let names: TIMFieldNames
    private let end: ContinuousClock.Instant

    init(
        _ inside: InsideCalls, _ service: TIMService, _ names: TIMFieldNames,
        until end: ContinuousClock.Instant
    ) {
        self.inside = inside
        self.service = service
        self.names = names
        self.end = end
    }

    func call<Request: CodedMessage, Response: CodedMessage>(
        _ method: Method<Request, Response>, _ request: Request
    ) async throws(TIMError) -> Response {
        let bytes = try encoded(request, method.requestCoder)
        let answer: [UInt8]
        do throws(InsideCalls.Failure) {
            answer = try await inside.call(method.path, bytes, milliseconds: try rest())
        } catch {
            throw TIMError(error, in: service, names)
        }
        return try decoded(answer, method.responseCoder)
    }

    /// A call of many requests, which are sent before an answer is read.
    func stream<Request: CodedMessage, Response: CodedMessage>(
        _ method: Method<Request, Response>, _ requests: [Request]
    ) async throws(TIMError) -> [Response] {
        var messages: [[UInt8]] = []
        for request in requests { messages.append(try encoded(request, method.requestCoder)) }
        let answers: [[UInt8]]
        do throws(InsideCalls.Failure) {
            answers = try await inside.stream(method.path, messages, milliseconds: try rest())
        } catch {
            throw TIMError(error, in: service, names)
        }
        var decoded: [Response] = []
        for answer in answers { decoded.append(try self.decoded(answer, method.responseCoder)) }
        return decoded
    }

    /// The milliseconds that are left.
    private func rest() throws(InsideCalls.Failure) -> Int64 {
        let left = ContinuousClock.now.duration(to: end)
        let milliseconds =
            left.components.seconds * 1_000
            + left.components.attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else {
            throw InsideCalls.Failure(
                code: "deadline_exceeded", message: "the request took too long")
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
