import Glibc
import Synchronization

/// The signals that ask the server to stop, as a value to wait for.
struct StopSignals: Sendable {
    private let stream: AsyncStream<String>
    private let came = Came()

    /// Whether any has come.
    private final class Came: Sendable {
        let isTrue = Atomic(false)
    }

    init() throws {
        let came = came
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        self.stream = stream
        try Signals.watch([SIGTERM, SIGINT]) { number in
            came.isTrue.store(true, ordering: .relaxed)
            continuation.yield(number == SIGTERM ? "SIGTERM" : "SIGINT")
        }
    }

    /// Whether one of these signals has come; a task need not wait for it.
    var hasCome: Bool { came.isTrue.load(ordering: .relaxed) }

    /// The next of these signals that comes; nil if a task that waited for one was cancelled.
    func next() async -> String? {
        for await name in stream { return name }
        return nil
    }
}
