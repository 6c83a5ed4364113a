import HTTP2
import NIOCore
import NIOEmbedded
import PeerSupport
import RPC
import Testing

@testable import GRPCClient
@testable import GRPCWire

/// The errors of a client, as programs and people read them.
struct ClientErrorTests {
    private static let server = ServerTarget.host("192.0.2.1", port: 7450)

    private func error(answer: FleetHarness.Answer) throws -> RPCError {
        let fleet = FleetHarness([Self.server])
        fleet.answer = answer
        return try #require(fleet.error(of: try fleet.call()))
    }

    // MARK: Another attempt

    @Test(
        arguments: [
            ("0", .after(.zero)), ("1500", .after(.milliseconds(1_500))),
            ("2147483647", .after(.milliseconds(2_147_483_647))), ("2147483648", .never),
            ("-1", .never), ("+1", .never), ("soon", .never), ("", .never),
        ] as [(String, RPCError.Pushback)])
    func aServersWordOnAnotherAttemptIsReported(value: String, expected: RPCError.Pushback) throws {
        let error = try error(
            answer: .fail([("grpc-status", "14"), ("grpc-retry-pushback-ms", value)]))
        #expect(error.pushback == expected)
        #expect(!error.wasUnprocessed)
    }

    @Test func aServiceMaySayAWordOnAnotherAttempt() {
        let pushback: Metadata = [("grpc-retry-pushback-ms", .text("10"))]
        #expect(pushback.problem == nil)
        let other: Metadata = [("grpc-retry-pushback", .text("10"))]
        #expect(other.problem == "the metadata name grpc-retry-pushback is reserved")
    }

    @Test func aServerThatSaysNothingOfAnotherAttemptLeavesItOpen() throws {
        let error = try error(answer: .fail([("grpc-status", "14")]))
        #expect(error.pushback == nil && !error.wasUnprocessed)
    }

    @Test func aCallThatTheServerMayHaveSeenIsNotSaidToBeUnprocessed() throws {
        let fleet = FleetHarness([Self.server])
        fleet.answer = .hold
        let call = try fleet.call()
        try fleet.cut("192.0.2.1")
        let error = try #require(fleet.error(of: call))
        #expect(error.code == .unavailable && !error.wasUnprocessed)
    }

    @Test func aCallAfterTheLastOfAServerIsUnprocessed() throws {
        let fleet = FleetHarness([Self.server])
        fleet.answer = .hold
        try fleet.call()
        // A stream that sends on cannot be sent again by the channel.
        let stream = ClientCall(
            core: fleet.core, path: "/test.Echo/Chat", metadata: [], deadline: nil)
        stream.start()
        let connection = try #require(fleet.connection("192.0.2.1"))
        connection.session.refuseNewStreams()
        try fleet.exchange()
        let error = try #require(fleet.error(of: stream))
        #expect(error.code == .unavailable && error.wasUnprocessed)
    }

    @Test func aCallThatEndsWhileItWaitsIsUnprocessed() throws {
        let fleet = FleetHarness([Self.server])
        fleet.acceptance["192.0.2.1"] = .silent
        let cancelled = try fleet.call()
        cancelled.cancel()
        #expect(fleet.error(of: cancelled)?.wasUnprocessed == true)
        let late = try fleet.call(deadline: Deadline(fleet.eventLoop.now + .seconds(1)))
        try fleet.pass(.seconds(1))
        let error = try #require(fleet.error(of: late))
        #expect(error.code == .deadlineExceeded && error.wasUnprocessed)
    }

    // MARK: Origins

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 13, 99] as [UInt32])
    func aResetIsOfTheWay(code: UInt32) throws {
        let error = try error(answer: .reset(ErrorCode(rawValue: code)))
        #expect(error.origin == .way)
    }

    @Test(arguments: [
        ("502", RPCError.Origin.way), ("503", .way), ("504", .way), ("500", .way), ("429", .way),
        ("408", .way), ("302", .way), ("200", .way), ("413", .setup), ("404", .setup),
        ("401", .setup), ("400", .setup),
    ])
    func anAnswerOfHTTPIsOfTheWay(status: String, origin: RPCError.Origin) throws {
        let pages: [[(String, String)]] = [
            [(":status", status)], [(":status", status), ("content-type", "text/html")],
        ]
        for page in pages {
            let error = try error(answer: .head(page))
            #expect(error.origin == origin, "\(page)")
        }
        if status != "200" {
            let error = try error(
                answer: .head([(":status", status), ("content-type", "application/grpc")]))
            #expect(error.origin == origin)
        }
    }

    @Test func anAnswerThatIsTooLongForAProxyIsExplained() throws {
        let error = try error(answer: .head([(":status", "413")]))
        #expect(error.code == .resourceExhausted)
        #expect(error.message.contains("client_max_body_size"))
    }

    @Test func anEndWithoutOneStatusIsOfTheWay() throws {
        for answer in [
            FleetHarness.Answer.trailers([("server", "proxy")]),
            .trailers([("grpc-status", "13"), ("grpc-status", "0")]),
            .head([(":status", "200"), ("content-type", "application/grpc")]),
        ] {
            let error = try error(answer: answer)
            #expect(error.code == .unknown && error.origin == .way)
        }
        let received = try error(answer: .fail([("grpc-status", "13")]))
        #expect(received.origin == .status)
    }

    @Test func aLostConnectionIsOfTheWay() throws {
        let fleet = FleetHarness([Self.server])
        fleet.answer = .hold
        let call = try fleet.call()
        try fleet.cut("192.0.2.1")
        #expect(fleet.error(of: call)?.origin == .way)
    }

    @Test func theCallsOfAClosedClientSaySo() throws {
        let fleet = FleetHarness([Self.server])
        fleet.answer = .hold
        let open = try fleet.call()
        let other = FleetHarness([Self.server])
        other.acceptance["192.0.2.1"] = .silent
        let waiting = try other.call()
        for (harness, call) in [(fleet, open), (other, waiting)] {
            harness.core.close()
            let late = try harness.call()
            for call in [call, late] {
                let error = try #require(harness.error(of: call))
                #expect(error.origin == .closed && error.code == .cancelled)
                #expect(error.message == Status.clientClosed.message)
            }
        }
    }

    @Test func metadataThatIsTooLongIsRefusedHere() throws {
        let fleet = FleetHarness([Self.server])
        try fleet.call()
        for length in [16_000, 70_000, 1_000_000] {
            let call = ClientCall(
                core: fleet.core, path: "/test.Echo/Unary",
                metadata: [("x-long", .text(String(repeating: "a", count: length)))],
                deadline: nil)
            call.send([1]) { _ in }
            call.finishSending()
            call.start()
            try fleet.exchange()
            let error = try #require(fleet.error(of: call))
            #expect(error.code == .invalidArgument && error.origin == .caller)
            #expect(error.message.hasPrefix("the call's metadata takes"))
        }
        #expect(try fleet.call().end?.status.code == .ok)
    }

    // MARK: Other protocols

    @Test func whatAnotherProtocolSaysIsKnownByItsFirstBytes() throws {
        let rows: [([UInt8], String)] = [
            ([0x15, 3, 1, 0, 2, 2, 70], "the server speaks TLS, and this client does not: "),
            ([0x16, 3, 3], "the server speaks TLS, and this client does not: "),
            (Array("HTTP/1.1 400 Bad".utf8), "the server speaks HTTP/1, not gRPC: "),
            (Array("SSH-2.0-OpenSSH_9.6\r\n".utf8), "the server does not speak HTTP/2"),
        ]
        for (bytes, words) in rows {
            let harness = try ClientHarness(isAnswering: false)
            let call = harness.call()
            try harness.channel.writeInbound(ByteBuffer(bytes: bytes))
            call.read { result in
                guard case .failure(let error) = result else { return }
                #expect(error.origin == .setup)
            }
            let message = try #require(call.end?.status.message)
            let lost = "the connection to 192.0.2.1:1 was lost: "
            #expect(message.hasPrefix(lost + words), "\(message)")
        }
        // Settings are of HTTP/2.
        #expect(ForeignServer([0, 0, 6, 4, 0, 0, 0, 0, 0]) == nil)
        #expect(ForeignServer([UInt8]()) == nil)
    }

    @Test func aServerThatClosesWithoutAWordMaySpeakTLS() throws {
        let harness = try ClientHarness(isAnswering: false)
        let call = harness.call()
        harness.channel.close(promise: nil)
        harness.eventLoop.run()
        #expect(
            call.end?.status.message
                == "the connection to 192.0.2.1:1 was lost: the server said nothing; it may be "
                + "stopping, or it may speak TLS, and this client does not")
    }

    @Test(arguments: [true, false])
    func aServerThatClosesAfterTheHandshakeMayAskForACertificate(isReset: Bool) throws {
        let harness = try ClientHarness(isAnswering: false) { $0.tls = try? ClientTLS() }
        let call = harness.call()
        if isReset { harness.channel.pipeline.fireErrorCaught(ChannelError.eof) }
        harness.channel.close(promise: nil)
        harness.eventLoop.run()
        let message = try #require(call.end?.status.message)
        #expect(message.hasPrefix("the connection to 192.0.2.1:1 was lost: "), "\(message)")
        #expect(message.hasSuffix(TLSSetupError.silence), "\(message)")
        #expect(message.contains("certificate that this client does not show"), "\(message)")
    }

    @Test(arguments: [("503", RPCError.Origin.way), ("429", .way), ("400", .setup)])
    func anAnswerOfHTTP1MayPass(status: String, origin: RPCError.Origin) throws {
        let harness = try ClientHarness(isAnswering: false)
        let call = harness.call()
        try harness.channel.writeInbound(ByteBuffer(string: "HTTP/1.0 \(status) Sorry\r\n\r\n"))
        var found: RPCError.Origin?
        call.read { if case .failure(let error) = $0 { found = error.origin } }
        #expect(found == origin)
    }

    // MARK: Settings

    @Test func keepaliveStaysWithinItsLimits() {
        var configuration = ClientConfiguration(host: "192.0.2.1", port: 1)
        #expect(configuration.boundedKeepalive == nil)
        let rows: [(Duration, Int64)] = [
            (.zero, CallLimits.leastKeepaliveSeconds), (.seconds(-1), 10), (.seconds(11), 11),
            (.seconds(Int64.max), CallLimits.longestKeepaliveSeconds),
        ]
        for (given, seconds) in rows {
            configuration.keepalive = given
            #expect(configuration.boundedKeepalive == .seconds(seconds))
        }
    }

    @Test func serversAreNamedAsPeopleWriteThem() throws {
        let targets: [ServerTarget] = [
            .host("relation.test", port: 1), .host("::1", port: 2), .unixSocket(path: "/run/x"),
        ]
        #expect(targets.map(\.description) == ["relation.test:1", "[::1]:2", "unix:/run/x"])
        #expect(targets.map(\.authority) == ["relation.test:1", "[::1]:2", "localhost"])
        #expect(targets.map(\.certificateName) == ["relation.test", nil, nil])
    }
}
