import HTTP2
import PeerSupport
import Protobuf
import RelationAPI
import RelationModel
import Synchronization
import Testing

@testable import RelationClient

/// The ends of calls and streams that come from between client and server, in the forms that
/// proxies give them.
@Suite(.endsWhenHung)
struct ProxyShapeTests {
    typealias Shape = ShapedServer.Shape

    private static let grpc = [(":status", "200"), ("content-type", "application/grpc")]
    private static let html = [("content-type", "text/html")]

    /// The ends of calls before anything was said.
    private static let early: [Shape] =
        ["500", "502", "503", "504", "408", "429"].flatMap { status -> [Shape] in
            [
                .head([(":status", status)]), .head([(":status", status)] + html),
                .page([(":status", status)] + html, "<h1>Bad Gateway</h1>"),
                .page([(":status", status), ("content-type", "application/grpc")], ""),
            ]
        } + [
            .page([(":status", "200")] + html, "<h1>Maintenance</h1>"), .head(grpc),
            .trailers([], []), .trailers([], [("x-proxy", "yes")]), .lost([]), .goAway,
        ]
        + [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 13, 200].map {
            .reset([], ErrorCode(rawValue: $0))
        }

    private static func client(_ server: ShapedServer, _ clock: FakeClock) throws -> Client {
        var options = ClientOptions.patient(port: server.port)
        options.retries?.budget = nil
        return try Client(options, clock: clock, chance: { .random(in: 0 ... .max) })
    }

    /// A clock that skips the waits before tries, and not the time of a stream's silence.
    private static func clock() -> FakeClock {
        FakeClock(skipsSleeps: true, upTo: Changes.longestWait)
    }

    // MARK: Calls

    @Test(arguments: early)
    func readsAndWritesUnderAnIDAreMadeAgain(after shape: Shape) async throws {
        let server = try ShapedServer { $0 % 3 == 0 ? .answer([]) : shape }
        let client = try Self.client(server, Self.clock())
        try await client.read()
        #expect(server.streams == 3)
        try await client.write()
        #expect(server.streams == 6)
        await client.close()
        server.close()
    }

    @Test(arguments: ["400", "401", "403", "404", "413", "415"])
    func whatWouldComeAgainIsReportedAtOnce(status: String) async throws {
        let server = try ShapedServer { _ in .page([(":status", status)] + Self.html, "no") }
        let client = try Self.client(server, Self.clock())
        let error = try #require(await failure { try await client.read() })
        #expect(error.attempts == 1 && server.streams == 1)
        #expect(error.message.contains("HTTP \(status)"))
        await client.close()
        server.close()
    }

    // MARK: Changes

    private static func message(_ token: String, _ sequence: Int64) -> [UInt8] {
        let message = WatchResponse.with {
            $0.resumeToken = token
            $0.event = .with {
                $0.kind = .addFriend
                $0.sequence = sequence
            }
        }
        return (try? Client.bytes(of: message, ChangeMethods.watch.responseCoder)) ?? []
    }

    /// The ends of streams that have sent something.
    private static let late: [Shape] = {
        let messages = [message("t", 1)]
        let resets = [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 13, 200].map {
            Shape.reset(messages, ErrorCode(rawValue: $0))
        }
        let statuses = ["1", "2", "4", "8", "10", "13", "14"].map {
            Shape.trailers(messages, [("grpc-status", $0), ("grpc-message", "proxy")])
        }
        return resets + statuses
            + [
                .trailers(messages, []), .trailers(messages, [("x-proxy", "yes")]),
                .trailers(messages, [("grpc-status", "0")]), .lost(messages),
            ]
    }()

    /// Reads until the message with this sequence.
    private static func read(
        _ client: Client, until sequence: Int64
    ) async throws -> [Int64] {
        var seen: [Int64] = []
        let changes = client.changes(
            WatchRequest.with { $0.scope = .userID("a") }, options: .init(heartbeat: nil))
        for try await message in changes {
            if let event = message.event { seen.append(event.sequence) }
            if seen.last == sequence { break }
        }
        return seen
    }

    @Test(arguments: late)
    func aStreamOfChangesGoesOn(after shape: Shape) async throws {
        let server = try ShapedServer { number in
            number == 1 ? shape : .trailers([Self.message("u", 2)], [("grpc-status", "14")])
        }
        let client = try Self.client(server, Self.clock())
        #expect(try await Self.read(client, until: 2) == [1, 2])
        await client.close()
        server.close()
    }

    /// Messages that wait for their reader are not lost with the stream or the connection.
    @Test(arguments: [true, false])
    func allThatCameBeforeTheEndIsDelivered(isConnectionLost: Bool) async throws {
        let messages = (1...100).map { Self.message("t\($0)", $0) }
        let server = try ShapedServer { number in
            if number > 1 { return .trailers([Self.message("u", 101)], [("grpc-status", "14")]) }
            return isConnectionLost ? .lost(messages) : .reset(messages, .internalError)
        }
        let client = try Self.client(server, Self.clock())
        #expect(try await Self.read(client, until: 101) == Array(1...101))
        await client.close()
        server.close()
    }

    @Test(arguments: early + [.http1("HTTP/1.0 503 Sorry\r\n\r\n")])
    func aStreamOfChangesGoesOnAfterTriesThatFail(with shape: Shape) async throws {
        let server = try ShapedServer { number in
            switch number {
            case 1: .lost([Self.message("t", 1)])
            case 2, 3, 4: shape
            default: .trailers([Self.message("u", 2)], [("grpc-status", "14")])
            }
        }
        let client = try Self.client(server, Self.clock())
        #expect(try await Self.read(client, until: 2) == [1, 2])
        #expect(server.streams == 5)
        await client.close()
        server.close()
    }

    /// A way that was right once may be right again; a way that never was is reported.
    @Test(arguments: ["400", "403", "404", "413"])
    func aPageOfAnotherServerEndsOnlyAStreamThatNeverBegan(status: String) async throws {
        let page = Shape.page([(":status", status)] + Self.html, "no")
        let wrong = try ShapedServer { _ in page }
        let other = try Self.client(wrong, Self.clock())
        let error = try #require(
            await failure { _ = try await Self.read(other, until: 1) })
        #expect(error.message.contains("HTTP \(status)"))
        #expect(wrong.streams == 1)
        await other.close()
        wrong.close()

        let server = try ShapedServer { number in
            switch number {
            case 1: .lost([Self.message("t", 1)])
            case 2...6: page
            default: .trailers([Self.message("u", 2)], [("grpc-status", "14")])
            }
        }
        let client = try Self.client(server, Self.clock())
        #expect(try await Self.read(client, until: 2) == [1, 2])
        await client.close()
        server.close()
    }

    @Test(arguments: ["3", "5", "7", "9", "11", "12", "16"])
    func aRefusalEndsTheStreamOfChanges(status: String) async throws {
        let server = try ShapedServer { _ in
            .trailers([Self.message("t", 1)], [("grpc-status", status)])
        }
        let client = try Self.client(server, Self.clock())
        let error = try #require(await failure { _ = try await Self.read(client, until: 2) })
        #expect(error.code.rawValue == UInt8(status))
        #expect(server.streams == 1)
        await client.close()
        server.close()
    }
}
