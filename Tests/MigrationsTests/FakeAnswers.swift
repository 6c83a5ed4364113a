import Synchronization

@testable import Migrations

/// The answers of another system to the calls of a pull, and the pauses between them, which take no
/// time.
final class FakeAnswers: Sendable {
    /// A call as it was made: its target, and its body as a text.
    typealias Call = (target: String, body: String)

    private let made = Mutex<[Call]>([])
    private let waited = Mutex<[Duration]>([])
    private let answer: @Sendable (_ number: Int, _ call: Call) -> String

    /// - Parameter answer: The body of an answer of JSON.
    init(_ answer: @escaping @Sendable (_ number: Int, _ call: Call) -> String) {
        self.answer = answer
    }

    var calls: [Call] { made.withLock { $0 } }
    /// The pauses of a second and more: those of a rate are shorter.
    var pauses: [Duration] { waited.withLock { $0.filter { $0 >= .seconds(1) } } }

    /// The bodies of the calls to one path.
    func bodies(to path: String) -> [String] {
        calls.filter { $0.target.contains(path) }.map(\.body)
    }

    private var paced: PacedCalls {
        PacedCalls(rate: 1_000_000) { duration in self.waited.withLock { $0.append(duration) } }
    }

    private func take(_ target: String, _ body: [UInt8]) -> PostAnswer {
        let call = (target, String(decoding: body, as: UTF8.self))
        let number = made.withLock { calls in
            calls.append(call)
            return calls.count
        }
        return PostAnswer(status: 200, body: Array(answer(number, call).utf8), isKept: true)
    }

    var tim: TIMRequests {
        TIMRequests("", paced, post: { self.take($0, $1) })
    }

    var rongCloud: RongCloudRequests {
        RongCloudRequests(
            RongCloudRequests.Access([], app: "app", secret: "secret"), paced, seconds: { 0 },
            post: { path, body, _ in self.take(path, body) })
    }
}
