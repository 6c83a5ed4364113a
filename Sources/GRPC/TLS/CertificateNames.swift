import NIOCore
import NIOSSL

/// The names and the addresses for which a certificate is, for messages.
struct CertificateNames: CustomStringConvertible {
    private let names: [String]

    init(_ names: [String]) {
        self.names = names
    }

    init(_ certificate: NIOSSLCertificate) {
        names = certificate._subjectAlternativeNames().compactMap { name in
            let bytes = Array(name.contents)
            switch name.nameType {
            case .dnsName:
                // A server may put any bytes there; only those of names are shown.
                let isPlain = bytes.allSatisfy { (0x21...0x7E).contains($0) }
                return isPlain ? String(decoding: bytes, as: UTF8.self) : nil
            case .ipAddress:
                return (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0))?
                    .ipAddress
            default: return nil
            }
        }
    }

    /// The first ``CallLimits/toldNames`` of them.
    var description: String {
        guard !names.isEmpty else { return "no name" }
        let told = names.prefix(CallLimits.toldNames).joined(separator: ", ")
        let more = names.count - CallLimits.toldNames
        return more > 0 ? "\(told) and \(more) more" : told
    }
}
