import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOSSL
import RPC
import Testing

@testable import GRPC
@testable import GRPCClient
@testable import GRPCWire

/// Encrypted connections: failed handshakes on a hand-driven loop, and calls between our own client
/// and server.
struct TLSTests {
    /// A self-signed certificate for this machine, valid until 2120, with its key.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBNjCB3aADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
        dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
        bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE5h7AxdifO0PcwEBQ
        ha3ECuWmMq7Yl/X+RcHBVB7Yy/MiWmiDjxHqK5/MFcm0XED/7pzL8wOVAoN5LhQU
        TulF2qMeMBwwGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49BAMC
        A0gAMEUCIQCYW5Ee7GWtTEW0i9nx1dNTgeWx9nbHnE19eUOfK1xd0QIgEyoIN4X3
        Ow/2lNj9Jhcu452T4wX1cuZrzuWfSNPv2ww=
        -----END CERTIFICATE-----

        """
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQIciew7kBf9yYStM
        7SqzdKKwhAz/2QIN/kejbQK1vEihRANCAATmHsDF2J87Q9zAQFCFrcQK5aYyrtiX
        9f5FwcFUHtjL8yJaaIOPEeorn8wVybRcQP/unMvzA5UCg3kuFBRO6UXa
        -----END PRIVATE KEY-----

        """

    /// The key of no certificate here.
    private static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3Opbb7MkMAlk2RSj
        BYQMMI8o+Uyc96DIgt7zS97Cf/ahRANCAASEs5uXEke/GTbR/5fcgz8MVCY+67wi
        XNz2umENFpZSqWjUh+4FrOYMQyF2zqrJJMy7y3sB100tR6/3zIQnzEAT
        -----END PRIVATE KEY-----

        """

    /// Runs `body` with the certificate and its key as files.
    private static func withFiles<Result>(
        _ body: (TLSFiles) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let keyPath = folder.appending(path: "key.pem").path()
        let files = TLSFiles(
            certificate: folder.appending(path: "certificate.pem").path(), key: keyPath)
        try Data(certificate.utf8).write(to: URL(fileURLWithPath: files.certificate))
        try Data(key.utf8).write(to: URL(fileURLWithPath: keyPath))
        return try await body(files)
    }

    /// A connection behind TLS on a hand-driven loop.
    private final class Secured {
        let eventLoop = EmbeddedEventLoop()
        let loop: ServerLoop
        let channel: EmbeddedChannel
        weak var connection: ServerConnection?

        init(_ files: TLSFiles) throws {
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            loop = ServerLoop([], on: eventLoop, logger: logger)
            channel = EmbeddedChannel(loop: eventLoop)
            let connection = try ServerConnection(loop: loop) {}
            let pipeline = channel.pipeline.syncOperations
            try ServerTLS(files).secure(connection, in: pipeline)
            try pipeline.addHandler(connection)
            self.connection = connection
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        func finish() {
            _ = try? channel.finish(acceptAlreadyClosed: true)
            eventLoop.run()
            loop.cancelTimers()
        }
    }

    @Test func aHandshakeThatDoesNotComeEndsTheConnection() async throws {
        try await Self.withFiles { files in
            let secured = try Secured(files)
            #expect(secured.channel.isActive)
            #expect(secured.loop.connectionCount == 1)
            let time = CallLimits.handshakeSeconds + CallLimits.sweepSeconds + 1
            secured.eventLoop.advanceTime(by: .seconds(time))
            #expect(!secured.channel.isActive)
            #expect(secured.loop.connectionCount == 0)
            secured.finish()
            #expect(secured.connection == nil)
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u{16}\u{3}\u{1}",
    ])
    func whatIsNoHandshakeEndsTheConnection(sent: String) async throws {
        try await Self.withFiles { files in
            let secured = try Secured(files)
            // The connection handles the error of TLS.
            _ = try? secured.channel.writeInbound(ByteBuffer(string: sent))
            // The last of the inputs is the beginning of a handshake; nothing follows it.
            if sent.utf8.first == 0x16 { secured.channel.pipeline.fireChannelInactive() }
            #expect(secured.loop.connectionCount == 0)
            secured.finish()
            #expect(secured.connection == nil)
        }
    }

    @Test func ourClientAndServerUnderstandEachOther() async throws {
        try await Self.withFiles { files in
            try await LiveServer.run(tls: try ServerTLS(files)) { (_, address, _) async throws in
                var configuration = ClientConfiguration(host: address.host, port: address.port)
                configuration.tls = try ClientTLS(authorities: files.certificate)
                let channel = Channel(configuration)
                let message = [UInt8](repeating: 7, count: 300_000)
                for _ in 0..<5 {
                    #expect(try await channel.unary("/test.Echo/Unary", message) == message)
                }
                await channel.close()

                // Only a client that names a self-signed certificate as an authority trusts it.
                configuration.tls = try ClientTLS()
                let doubter = Channel(configuration)
                let words = await Self.failure(doubter)
                #expect(
                    words
                        == "cannot connect to 127.0.0.1:\(address.port): the server's certificate "
                        + "is not signed by a trusted authority, or it is not valid at this time: "
                        + "CERTIFICATE_VERIFY_FAILED")
                await doubter.close()
            }
        }
    }

    /// The message of a failed call.
    private static func failure(_ channel: GRPCClient.Channel) async -> String {
        do throws(RPCError) {
            _ = try await channel.unary("/test.Echo/Unary", [1])
            return "the call succeeded"
        } catch {
            return error.message
        }
    }

    @Test func aServerWithoutTLSIsSaidToBeNone() async throws {
        try await Self.withFiles { files in
            try await LiveServer.run { (_, address, _) async throws in
                var configuration = ClientConfiguration(host: address.host, port: address.port)
                configuration.tls = try ClientTLS(authorities: files.certificate)
                let channel = Channel(configuration)
                let words = await Self.failure(channel)
                #expect(
                    words
                        == "cannot connect to 127.0.0.1:\(address.port): the server closed the "
                        + "connection in the handshake; it may not speak TLS, and this client "
                        + "does: EOF during handshake")
                await channel.close()
            }
        }
    }

    @Test func aClientWithoutTLSLearnsThatTheServerHasIt() async throws {
        try await Self.withFiles { files in
            try await LiveServer.run(tls: try ServerTLS(files)) { (_, address, _) async throws in
                let channel = Channel(ClientConfiguration(host: address.host, port: address.port))
                let words = await Self.failure(channel)
                // The server's alert may be lost, because it closes the connection right after it.
                let lost = "the connection to 127.0.0.1:\(address.port) was lost: "
                #expect(words.hasPrefix(lost))
                #expect(words.contains("TLS, and this client does not"))
                await channel.close()
            }
        }
    }

    @Test func aCertificateForOtherNamesIsReportedWithThem() async throws {
        try await Self.withFiles { files in
            // The certificate is for 127.0.0.1 too: the connection must have another address.
            try await LiveServer.run(
                host: "127.0.0.2", tls: try ServerTLS(files)
            ) { (_, address, _) async throws in
                var configuration = ClientConfiguration(host: "relation.test", port: address.port)
                configuration.resolver = FakeResolver(["relation.test": ["127.0.0.2"]])
                configuration.tls = try ClientTLS(authorities: files.certificate)
                let channel = Channel(configuration)
                let words = await Self.failure(channel)
                let place = "relation.test:\(address.port) (127.0.0.2)"
                #expect(
                    words
                        == "cannot connect to \(place): the server's certificate is for another "
                        + "name or address: it is for localhost, 127.0.0.1, and relation.test was "
                        + "expected")
                await channel.close()
                // With the name that the certificate has, the client connects.
                configuration.tls = try ClientTLS(
                    authorities: .file(files.certificate), serverName: "localhost")
                let named = Channel(configuration)
                #expect(try await named.unary("/test.Echo/Unary", [1]) == [1])
                await named.close()
            }
        }
    }

    @Test func manyNamesOfACertificateAreCut() throws {
        let names = (1...CallLimits.namesInError).map { "a\($0).test" }
        #expect("\(CertificateNames(names))" == names.joined(separator: ", "))
        let more = CertificateNames(names + ["b.test", "c.test"])
        #expect("\(more)" == names.joined(separator: ", ") + " and 2 more")
        #expect("\(CertificateNames([]))" == "no name")
    }

    @Test(
        arguments: [
            (["a.test"], "a.test", true), (["a.test"], "A.Test.", true),
            (["a.test"], "b.test", false),
            (["*.a.test"], "b.a.test", true), (["*.a.test"], "a.test", false),
            (["*.a.test"], "c.b.a.test", false), (["*.test"], "a.test", false),
            (["*"], "test", false), (["b*.a.test"], "bc.a.test", false), (["a.test"], "", false),
            (["127.0.0.1"], "127.0.0.1", true), (["127.0.0.1"], "127.0.0.2", false),
            (["::1"], "0:0:0:0:0:0:0:1", true), (["127.0.0.1"], "localhost", false),
            ([], "a.test", false),
        ] as [([String], String, Bool)])
    func aNameThatWasGivenIsLookedForAlone(names: [String], expected: String, isThere: Bool) {
        #expect(CertificateNames(names).contain(expected) == isThere)
    }

    @Test func everythingMayComeAsBytes() async throws {
        try await Self.withFiles { files in
            let certificate = PEMSource.bytes(Array(Self.certificate.utf8))
            let key = PEMSource.bytes(Array(Self.key.utf8))
            try await LiveServer.run(tls: try ServerTLS(files)) { (_, address, _) async throws in
                var configuration = ClientConfiguration(host: address.host, port: address.port)
                configuration.tls = try ClientTLS(
                    authorities: certificate, certificate: (certificate, key))
                let channel = Channel(configuration)
                #expect(try await channel.unary("/test.Echo/Unary", [1]) == [1])
                await channel.close()
            }
            #expect(throws: TLSSetupError.self) { try ClientTLS(authorities: key) }
            let failures: [(PEMSource, PEMSource, String)] = [
                (
                    key, key,
                    "the certificate (given as bytes) cannot be used: it holds no certificate in "
                        + "PEM"
                ),
                (
                    certificate, certificate,
                    "the key (given as bytes) cannot be used: it holds no key in PEM without a "
                        + "passphrase"
                ),
                (
                    certificate, .bytes(Array(Self.otherKey.utf8)),
                    "the key (given as bytes) does not belong to the certificate (given as bytes)"
                ),
                (
                    .read(Array(Self.certificate.utf8), path: "/a.pem"),
                    .read(Array(Self.otherKey.utf8), path: "/a.key"),
                    "the key /a.key does not belong to the certificate /a.pem"
                ),
                (
                    .file(files.certificate), .bytes(Array(Self.otherKey.utf8)),
                    "the key (given as bytes) does not belong to the certificate "
                        + files.certificate
                ),
            ]
            for (chain, key, words) in failures {
                do throws(TLSSetupError) {
                    _ = try ClientTLS(certificate: (chain, key))
                    Issue.record("there was no fault")
                } catch {
                    #expect(error.description == words)
                }
            }
        }
    }

    @Test func wordsOfTLSHaveNoPositions() {
        let errors: [any Error] = [
            NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])),
            NIOSSLError.uncleanShutdown, NIOSSLExtraError.failedToValidateHostname,
        ]
        #expect(
            errors.map { PlainError($0).description } == [
                "EOF during handshake", "uncleanShutdown",
                "NIOSSLExtraError.failedToValidateHostname",
            ])
    }
}
