import Logging
import PeerSupport
import Synchronization
import Testing

@testable import RelationClient

/// The log of a client's connections.
@Suite(.endsWhenHung)
struct ConnectionLogTests {
    /// A log that keeps its lines.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        var logger: Logger { Logger(label: "test") { _ in Keeping(lines: self) } }

        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct Keeping: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(lines: Lines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let parts = (event.metadata ?? [:]).sorted { $0.key < $1.key }
            let words = parts.map { "\($0)=\($1)" }.joined(separator: " ")
            lines.add("\(event.level) \(event.message): \(words)")
        }
    }

    @Test func theLogNamesAServerThatWasReachedOnce() async throws {
        let lines = Lines()
        try await ScriptedService.run {
            $0.credential = .apiKey("a secret")
            $0.logger = lines.logger
        } _: { _ in
            .answer([])
        } _: { client, _, _ in
            try await client.read()
            try await client.read()
            #expect(lines.all.count == 1)
        }
        #expect(
            lines.all.first?.hasPrefix("info connected to a server: server=127.0.0.1:") == true)
        #expect(!lines.all.contains { $0.contains("secret") })
    }

    @Test func theLogSaysWhyAServerCannotBeReached() async throws {
        let lines = Lines()
        var options = ClientOptions(host: "127.0.0.1", port: 1)
        options.retries = nil
        options.logger = lines.logger
        let client = try Client(options)
        #expect(await failure { try await client.read() }?.code == .unavailable)
        await client.close()
        let first = try #require(lines.all.first)
        #expect(
            first.hasPrefix(
                "warning a server cannot be reached: reason=cannot connect to 127.0.0.1:1"))
    }
}
