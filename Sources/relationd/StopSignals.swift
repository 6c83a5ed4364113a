@preconcurrency import Dispatch
import Glibc

/// The signal that asks the server to read its certificates again; it never ends the process.
struct ReloadSignal {
    private let source: any DispatchSourceSignal

    init(_ body: @escaping @Sendable () -> Void) {
        // A source sees a signal only if its usual effect, the end of the process, is off.
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler { body() }
        source.resume()
    }

    func end() {
        source.cancel()
    }
}

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

    /// The next of them that comes; nil once a task was cancelled that waited for one.
    func next() async -> String? {
        for await name in stream { return name }
        return nil
    }
}
