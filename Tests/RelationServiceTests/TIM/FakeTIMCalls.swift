import GRPC
import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel

@testable import TIMGateway

/// The calls behind a request, answered by a test, with a clock that stands until one is made.
final class FakeTIMCalls: TIMCallMaker {
    typealias Failure = InsideCalls.Failure
    typealias Answer = (_ number: Int, _ call: Call) throws(Failure) -> InsideCalls.Stream

    /// A call as it was made.
    struct Call {
        let path: String
        let messages: [[UInt8]]
        let milliseconds: Int64

        /// The messages, which are one for a call of one request.
        func requests<Message: CodedMessage>(_ coder: Coder<Message>) -> [Message] {
            messages.compactMap { message in
                try? Arena.temporary { arena in try coder.message(message, arena) }
            }
        }
    }

    /// The text of each request's ids.
    static let id = String(repeating: "0", count: TIMLimits.requestIDBytes)

    static let overloaded = Failure(
        code: "resource_exhausted", reason: "OVERLOADED", message: "too many calls wait")

    private(set) var made: [Call] = []
    /// How long each call takes, in milliseconds.
    var callMilliseconds: Int64 = 0
    private let began = ContinuousClock.now
    private let answer: Answer

    init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    func call(
        _ path: String, _ message: [UInt8], milliseconds: Int64
    ) async throws(Failure) -> [UInt8] {
        try take(Call(path: path, messages: [message], milliseconds: milliseconds)).messages[0]
    }

    func stream(
        _ path: String, _ messages: [[UInt8]], milliseconds: Int64
    ) async throws(Failure) -> InsideCalls.Stream {
        try take(Call(path: path, messages: messages, milliseconds: milliseconds))
    }

    private func take(_ call: Call) throws(Failure) -> InsideCalls.Stream {
        made.append(call)
        return try answer(made.count, call)
    }

    static func bytes<Message: CodedMessage>(
        _ message: Message, _ coder: Coder<Message>
    ) -> [UInt8] {
        (try? Arena.temporary { arena in try coder.bytes(message, arena) }) ?? []
    }

    /// A request to a command with these calls behind it.
    func request(_ body: String, to service: TIMService) throws -> TIMRequest {
        let calls = TIMCalls(
            self, service, TIMFieldNames(service, ""),
            until: began + .milliseconds(TIMLimits.milliseconds), id: Self.id,
            now: { [self] in began + .milliseconds(callMilliseconds * Int64(made.count)) })
        return TIMRequest(
            body: try TIMBody(Array(body.utf8), in: service), calls: calls, settings: .tim)
    }
}
