@preconcurrency import Dispatch
import Glibc

/// The signals that ask the server to stop, as a value to wait for.
struct StopSignals: Sendable {
    private let stream: AsyncStream<String>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        self.stream = stream
        sources = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")].map { number, name in
            // A source sees a signal only if its usual effect, the end of the process, is off.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(name) }
            source.resume()
            return source
        }
    }

    /// The first of them that comes.
    func next() async -> String {
        for await name in stream { return name }
        return "end"
    }
}
