import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOSSL
import Testing

@testable import GRPC

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

    /// Runs `body` with the certificate and its key as files.
    private static func withFiles<Result>(
        _ body: (TLSFiles) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = TLSFiles(
            certificate: folder.appending(path: "certificate.pem").path(),
            key: folder.appending(path: "key.pem").path())
        try Data(certificate.utf8).write(to: URL(fileURLWithPath: files.certificate))
        try Data(key.utf8).write(to: URL(fileURLWithPath: files.key))
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
            loop = ServerLoop(
                index: 0, eventLoop: eventLoop, methods: MethodTable([]),
                configuration: ServerConfiguration(), logger: logger)
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
    private static func failure(_ channel: GRPC.Channel) async -> String {
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
                        + "connection in the handshake: EOF during handshake")
                await channel.close()
            }
        }
    }

    @Test func wordsOfTLSHaveNoPlaces() {
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
