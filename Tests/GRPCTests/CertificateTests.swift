import EchoSupport
import Foundation
import HTTP2
import Logging
import NIOCore
import NIOEmbedded
import NIOSSL
import PeerSupport
import Synchronization
import Testing

@testable import GRPC
@testable import GRPCClient
@testable import GRPCWire

/// The connections of clients whose certificates begin or end.
struct CertificateTests {
    /// A clock that the test sets.
    private final class Watch: Sendable {
        let milliseconds: Atomic<Int64>

        init(_ milliseconds: Int64 = 1_000_000) {
            self.milliseconds = Atomic(milliseconds)
        }

        var clock: WallClock { { self.milliseconds.load(ordering: .relaxed) } }

        func set(_ milliseconds: Int64) {
            self.milliseconds.store(milliseconds, ordering: .relaxed)
        }
    }

    private static let pong = Frame(.ping, flags: 1, payload: [UInt8](repeating: 0, count: 8))

    /// A connection whose client has shown a certificate that ends at `endMs`.
    private func shown(
        _ watch: Watch, endMs: Int64, configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> Harness {
        let harness = try Harness(configure: configure)
        try harness.exchange()
        let span = CertificateSpan(beginMs: 0, endMs: endMs)
        harness.connection.noteCertificate([1, 2], span, by: watch.clock)
        return harness
    }

    // MARK: The end

    @Test func aConnectionIsAskedToGoInTheMomentInWhichItsCertificateEnds() throws {
        let watch = Watch()
        let harness = try shown(watch, endMs: 1_000_000 + 7_300)
        watch.set(1_000_000 + 7_299)
        harness.eventLoop.advanceTime(by: .milliseconds(7_299))
        harness.collect()
        #expect(harness.lastGoAway == nil)
        watch.set(1_000_000 + 7_300)
        harness.eventLoop.advanceTime(by: .milliseconds(1))
        harness.collect()
        #expect(harness.lastGoAway?.errorCode == ErrorCode.noError.rawValue)
        try harness.feed(Self.pong.bytes)
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func callsThatRunWhenACertificateEndsHaveTheGraceToFinish() throws {
        let watch = Watch()
        let harness = try shown(watch, endMs: 1_001_000) { $0.graceSeconds = 10 }
        let ends = try harness.open("/test.Echo/Chat", end: false)
        let (id, lasting) = (ends.pointee.id, try harness.open("/test.Echo/Chat", end: false))
        let lastingID = lasting.pointee.id
        try harness.exchange()
        watch.set(1_001_000)
        harness.eventLoop.advanceTime(by: .seconds(1))
        try harness.exchange()
        try harness.send(ends, Harness.envelope([5]), end: true)
        #expect(harness.answer(id).code == "0")
        #expect(harness.answer(id).messages == [[5]])
        harness.eventLoop.advanceTime(by: .seconds(9))
        try harness.exchange()
        #expect(harness.answer(lastingID).code == nil)
        harness.eventLoop.advanceTime(by: .seconds(1 + CallLimits.sweepSeconds))
        try harness.exchange()
        #expect(harness.answer(lastingID).code == "14")
        #expect(harness.loop.connectionCount == 0)
    }

    @Test func anAgeThatComesBeforeTheEndOfTheCertificateHolds() throws {
        let watch = Watch()
        let harness = try shown(watch, endMs: .max) { $0.connectionAgeSeconds = 20 }
        harness.eventLoop.advanceTime(by: .seconds(20 + CallLimits.sweepSeconds))
        harness.collect()
        #expect(harness.lastGoAway != nil)
    }

    @Test func aClockThatIsSetIsLookedAtWithinTheHourHoweverFarTheEndIs() throws {
        let watch = Watch()
        // Ten thousand years.
        let end: Int64 = 315_360_000_000_000
        let harness = try shown(watch, endMs: end) { $0.connectionIdleSeconds = nil }
        var left = CallLimits.certificateLookMilliseconds / 1_000
        watch.set(end)
        while left > 60 {
            harness.eventLoop.advanceTime(by: .seconds(60))
            harness.collect()
            try harness.feed(Self.pong.bytes)
            left -= 60
        }
        #expect(harness.lastGoAway == nil)
        harness.eventLoop.advanceTime(by: .seconds(left))
        harness.collect()
        #expect(harness.lastGoAway != nil)
    }

    @Test func aClockThatIsSetBackPutsTheEndOff() throws {
        let watch = Watch()
        let harness = try shown(watch, endMs: 1_005_000)
        watch.set(1_000_000)
        harness.eventLoop.advanceTime(by: .seconds(5))
        harness.collect()
        #expect(harness.lastGoAway == nil)
        watch.set(1_005_000)
        harness.eventLoop.advanceTime(by: .seconds(5))
        harness.collect()
        #expect(harness.lastGoAway != nil)
    }

    // MARK: After the handshake

    @Test func bothEndsOfACertificateBelongToIt() throws {
        let pem = Array(Self.client.utf8)
        let span = CertificateSpan(try NIOSSLCertificate(bytes: pem, format: .pem))
        let (begin, end) = (Int64(1_577_836_800_000), Int64(3_786_912_000_000))
        #expect(span == CertificateSpan(beginMs: begin, endMs: end + 1_000))
        let violations = [begin - 1, begin, end + 999, end + 1_000].map {
            span.violation(at: $0).map { "\($0)" }
        }
        #expect(violations == ["certificate_not_yet_valid", nil, nil, "expired_certificate"])
        #expect(span.ending(by: 5).endMs == 5)
    }

    /// TLS lets these certificates in, as it does when a client resumes a session.
    @Test(arguments: [
        (1_577_836_799_999, "certificate_not_yet_valid"), (1_577_836_800_000, ""),
        (3_786_912_000_999, ""), (3_786_912_001_000, "expired_certificate"),
    ])
    func aCertificateIsHeldAgainstTheClockWhateverTLSSays(now: Int64, violation: String) throws {
        try Self.withFiles { files in
            let log = CapturedLog()
            let pair = try HandshakePair(files, log.logger, Watch(now).clock)
            try pair.shakeHands()
            #expect(pair.isServed == violation.isEmpty)
            let logged = log.lines.map { line in line.contains("violation=\(violation)") }
            #expect(logged == (violation.isEmpty ? [] : [true]), "\(log.lines)")
            pair.finish()
        }
    }

    @Test func aCertificateIsGoodForNoLongerThanItsAuthority() throws {
        // The end of the authority, and an end of its client's certificate that is later.
        let end: Int64 = 4_102_444_800_000
        let span = CertificateSpan(beginMs: 0, endMs: 2 * end)
        try Self.withFiles { files in
            let authorities = try ServerTLS(files).context().authoritiesEndMs
            #expect(authorities == end + 1_000)
            let bound = span.ending(by: authorities ?? 0)
            #expect(bound.violation(at: end + 999) == nil)
            #expect(bound.violation(at: end + 1_000) != nil)
        }
    }

    @Test func sessionsOfClientsWithCertificatesAreTakenUpForAnHourAtMost() throws {
        try Self.withFiles { files in
            let watch = Watch()
            let tls = try ServerTLS(files, clock: watch.clock)
            let first = try tls.context().0
            watch.set(1_000_000 + CallLimits.sessionMilliseconds - 1)
            #expect(try tls.context().0 === first)
            watch.set(1_000_000 + CallLimits.sessionMilliseconds)
            let second = try tls.context().0
            #expect(second !== first)
            #expect(try tls.context().0 === second)
            // A clock that is set back begins anew too.
            watch.set(0)
            #expect(try tls.context().0 !== second)
            // If clients show no certificates, there is nothing to check by the clock.
            var plain = files
            plain.clientAuthorities = nil
            let open = try ServerTLS(plain, clock: watch.clock)
            let only = try open.context().0
            watch.set(10 * CallLimits.sessionMilliseconds)
            #expect(try open.context().0 === only)
        }
    }

    // MARK: Certificates

    /// Runs `body` with the files of a server that shows a client's certificate; that is enough for
    /// these tests.
    private static func withFiles(_ body: (TLSFiles) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = TLSFiles(
            certificate: folder.appending(path: "client.pem").path(),
            key: folder.appending(path: "client.key").path(),
            clientAuthorities: folder.appending(path: "authority.pem").path())
        try Data(authority.utf8).write(to: folder.appending(path: "authority.pem"))
        try Data(client.utf8).write(to: folder.appending(path: "client.pem"))
        try Data(key.utf8).write(to: folder.appending(path: "client.key"))
        try body(files)
    }

    /// A handshake in memory; each side shows the same certificate, with the name client.example.
    private final class HandshakePair {
        private let eventLoop = EmbeddedEventLoop()
        private let loop: ServerLoop
        private let server: EmbeddedChannel
        private let client: EmbeddedChannel

        init(_ files: TLSFiles, _ logger: Logger, _ clock: @escaping WallClock) throws {
            loop = ServerLoop(
                index: 0, eventLoop: eventLoop, methods: MethodTable([]),
                configuration: ServerConfiguration(), logger: logger)
            server = EmbeddedChannel(loop: eventLoop)
            client = EmbeddedChannel(loop: eventLoop)
            let connection = try ServerConnection(loop: loop) {}
            let pipeline = server.pipeline.syncOperations
            try ServerTLS(files, clock: clock).secure(connection, in: pipeline)
            try pipeline.addHandler(connection)
            let tls = try ClientTLS(
                authorities: files.clientAuthorities.map { .file($0) },
                certificate: (.file(files.certificate), files.key), serverName: "client.example")
            let done = eventLoop.makePromise(of: Void.self)
            let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
            let endpoint = Endpoint(target: .host("client.example", port: 1), address: address)
            try tls.secure(client.pipeline.syncOperations, endpoint, done)
            try server.connect(to: address).wait()
            try client.connect(to: address).wait()
        }

        func shakeHands() throws {
            var hasMore = true
            while hasMore {
                hasMore = false
                for (one, other) in [(client, server), (server, client)] {
                    eventLoop.run()
                    while let bytes = try one.readOutbound(as: ByteBuffer.self) {
                        // A side that has closed meanwhile takes no more bytes.
                        _ = try? other.writeInbound(bytes)
                        hasMore = true
                    }
                }
            }
        }

        /// Whether the server has kept the connection.
        var isServed: Bool { server.isActive && loop.connectionCount == 1 }

        func finish() {
            for channel in [server, client] { channel.close(promise: nil) }
            // Each side waits this long for the other to close too.
            eventLoop.advanceTime(by: .seconds(CallLimits.closeSeconds))
            _ = try? server.finish(acceptAlreadyClosed: true)
            _ = try? client.finish(acceptAlreadyClosed: true)
            eventLoop.run()
            loop.cancelTimers()
        }
    }

    /// An authority from 2020 until 2100, and a certificate that it signed until 2090, with the key
    /// of the latter.
    private static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBKzCB0qADAgECAgECMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWF1dGhvcml0
        eTAgFw0yMDAxMDEwMDAwMDBaGA8yMTAwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
        YXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAERX5Y4WEvpIYthzip
        Du104/S/xPiQjsBx/Bix88UFEn5UoTMjvZdTec54MPk5XontEMKe49ZmRhSclCTK
        nvORpaMTMBEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBi7Rfk
        QkQnf2Szk97bInzKVlAzCOquDUc1eBdIwgs+8AIhANVa0KiVEXUBTYu7sXEzNQtT
        JCJ04OmI+na2c07JnANy
        -----END CERTIFICATE-----

        """
    private static let client = """
        -----BEGIN CERTIFICATE-----
        MIIBMTCB2aADAgECAgECMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWF1dGhvcml0
        eTAgFw0yMDAxMDEwMDAwMDBaGA8yMDkwMDEwMTAwMDAwMFowETEPMA0GA1UEAwwG
        Y2xpZW50MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAErGxAPFcBx0ARvLQ88auy
        wV4eZjVuf5DmlbRiqdaJZPv51oD5Kl3JQFqnZp9WKDTX1iY89emPQRJrRB5zD4BT
        kqMdMBswGQYDVR0RBBIwEIIOY2xpZW50LmV4YW1wbGUwCgYIKoZIzj0EAwIDRwAw
        RAIgPTAnXLL7w2/37/byzyjFmeqB1GJL9kSeR31Thr7ngMsCICHr4JFOCcdNt1qk
        PE9VourWb9oKsJf3mcb41h+YjXZj
        -----END CERTIFICATE-----

        """
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCL+FjQTgnEoveixH
        4zp2kDAVgs7LjKMXSp5lvWy+y8ShRANCAASsbEA8VwHHQBG8tDzxq7LBXh5mNW5/
        kOaVtGKp1olk+/nWgPkqXclAWqdmn1YoNNfWJjz16Y9BEmtEHnMPgFOS
        -----END PRIVATE KEY-----

        """
}
