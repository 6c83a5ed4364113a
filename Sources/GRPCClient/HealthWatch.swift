import GRPCWire
import Memory
import NIOCore
import Protobuf
import RPC

/// A stream of the health service that says whether a server takes calls.
///
/// It does as gRPC's clients do with health checking:
/// - Only the status `SERVING` lets calls go to the server.
/// - A server without the health service counts as serving.
/// - If the stream ends in any other way, also because it is refused, the server counts as not
///   serving. A new stream begins after a wait.
final class HealthWatch {
    /// The last answer of the server about its health.
    enum Verdict: Equatable {
        /// The server has not answered.
        case unknown
        case serving
        case notServing(String)
    }

    private static let path = "/grpc.health.v1.Health/Watch"
    private static let answers = Coder(HealthCheckResponse.self)

    private let core: ClientCore
    private let connection: ClientConnection
    private let onChange: () -> Void
    private(set) var verdict: Verdict

    private var call: ClientCall?
    private var begun = NIODeadline.uptimeNanoseconds(0)
    private var timer: Scheduled<Void>?
    private var backoff = Backoff.health
    private var isEnded = false

    /// - Parameters:
    ///   - verdict: The verdict until the server has answered.
    ///   - onChange: Called when the verdict has changed.
    init(
        _ core: ClientCore, _ connection: ClientConnection, _ verdict: Verdict,
        _ onChange: @escaping () -> Void
    ) {
        self.core = core
        self.connection = connection
        self.verdict = verdict
        self.onChange = onChange
    }

    func begin() {
        guard !isEnded else { return }
        begun = core.eventLoop.now
        guard connection.canOpen else { return tryLater() }
        let call = ClientCall(
            core: core, path: Self.path, metadata: [], deadline: nil, isPinned: true)
        self.call = call
        // The empty request asks for the server as a whole.
        call.send([], compressed: false) { _ in }
        call.finishSending()
        connection.open(call)
        connection.flushSoon()
        read(call)
    }

    /// Ends the stream, and reports nothing more.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        timer?.cancel()
        timer = nil
        call?.cancel()
        call = nil
    }

    /// Reads all answers that are there, and waits for the next one.
    private func read(_ call: ClientCall) {
        // An answer that is there comes before `read` returns. A loop takes any number of them.
        var isReading = false
        var isMore = true
        while isMore, !isEnded {
            isMore = false
            isReading = true
            call.read { result in
                guard self.receive(result) else { return }
                if isReading { isMore = true } else { self.read(call) }
            }
            isReading = false
        }
    }

    /// Notes an answer; false if it was the end.
    private func receive(_ result: Result<[UInt8]?, RPCError>) -> Bool {
        guard !isEnded else { return false }
        switch result {
        case .success(let answer?):
            backoff.reset()
            judge(Self.verdict(answer))
            return true
        case .success(nil):
            lost("the server ended the stream")
        case .failure(let error) where error.code == .unimplemented:
            judge(.serving)
        case .failure(let error):
            lost("\(error)")
        }
        return false
    }

    private static func verdict(_ answer: [UInt8]) -> Verdict {
        do throws(CodecError) {
            let status = try Arena.temporary { (arena) throws(CodecError) in
                try answers.message(answer, arena).status
            }
            return status == .serving
                ? .serving : .notServing("the server says that it takes no calls")
        } catch {
            return .notServing("the server's health cannot be read: \(error.message)")
        }
    }

    private func lost(_ reason: String) {
        call = nil
        // With the connection, its calls end too: the connection's end is reported, not that of the
        // stream.
        guard !connection.isLost else { return }
        tryLater()
        judge(.notServing("the server's health cannot be watched: \(reason)"))
    }

    private func tryLater() {
        // The wait counts from the beginning of a stream. So a stream that has lasted is followed
        // by another at once.
        let due = begun + backoff.next(core.configuration.chance)
        timer = core.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
            self.timer = nil
            self.begin()
        }
    }

    private func judge(_ verdict: Verdict) {
        guard self.verdict != verdict else { return }
        self.verdict = verdict
        onChange()
    }
}
