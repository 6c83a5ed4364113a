import Glibc
import NIOCore
import NIOSSL
import NIOTLS

/// How a client encrypts: which authorities it trusts, and which certificate it shows.
package struct ClientTLS: Sendable {
    private let context: NIOSSLContext
    private let serverName: String?

    /// - Parameters:
    ///   - authorities: The path of a PEM file with the authorities that sign servers'
    ///     certificates; nil trusts the authorities that the system trusts.
    ///   - certificate: The path of the client's own certificate with those that lead to its
    ///     issuer, and the path of its key.
    ///   - serverName: The name that the server's certificate must have, unless it has the address
    ///     that is connected to; nil takes the name of the host.
    package init(
        authorities: String? = nil, certificate: (path: String, key: String)? = nil,
        serverName: String? = nil
    ) throws(TLSFault) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.setRules()
        if let authorities {
            configuration.trustRoots = .certificates(
                try TLSFault.authorities("the authorities", authorities, areStrict: false))
        }
        if let certificate {
            configuration.certificateChain =
                try TLSFault.certificates("the certificate", certificate.path)
                .map { .certificate($0) }
            configuration.privateKey = .privateKey(try TLSFault.key(certificate.key))
        }
        context = try TLSFault.context(
            configuration, certificate?.path, key: certificate?.key)
        self.serverName = serverName
    }

    /// Adds the handlers that come before a ``ClientConnection`` in its channel's pipeline.
    ///
    /// - Parameter done: Completed when the handshake ends.
    func secure(
        _ pipeline: ChannelPipeline.SynchronousOperations, host: String,
        _ done: EventLoopPromise<Void>
    ) throws {
        // An address is not sent as a name; the certificate is then checked for the address.
        let name = serverName ?? (Self.isAddress(host) ? nil : host)
        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
        try pipeline.addHandler(ClientHandshake(done))
    }

    private static func isAddress(_ host: String) -> Bool {
        // Room for 16 bytes, the longer of the two kinds. It needs no C struct, whose module
        // depends on the order of compilation.
        var room = (UInt64(0), UInt64(0))
        return withUnsafeMutableBytes(of: &room) { room in
            [AF_INET, AF_INET6].contains { inet_pton($0, host, room.baseAddress) == 1 }
        }
    }
}

/// Waits until the server has proved who it is, and has chosen HTTP/2.
final class ClientHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let done: EventLoopPromise<Void>

    init(_ done: EventLoopPromise<Void>) {
        self.done = done
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let name) = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard name == "h2" else {
            done.fail(TLSFault(description: "the server does not speak HTTP/2"))
            return context.close(promise: nil)
        }
        done.succeed(())
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        done.fail(TLSFault(handshake: error))
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        done.fail(TLSFault(description: "the server closed the connection in the handshake"))
        context.fireChannelInactive()
    }
}

extension TLSFault {
    /// Explains why a handshake with a server failed.
    fileprivate init(handshake error: any Error) {
        let words = PlainError(error).description
        let sentence: String? =
            if error as? NIOSSLExtraError == .failedToValidateHostname {
                "the server's certificate is for another name or address"
            } else if words.contains("CERTIFICATE_VERIFY_FAILED") {
                "the server's certificate is not signed by a trusted authority, or it is not valid "
                    + "at this time"
            } else if words.contains("WRONG_VERSION_NUMBER") {
                "the server does not speak TLS"
            } else if words.contains("ALERT") {
                "the server refused the TLS handshake"
            } else if words.contains("EOF") {
                "the server closed the connection in the handshake"
            } else {
                nil
            }
        description = (sentence ?? "the TLS handshake failed") + ": " + words
    }
}
