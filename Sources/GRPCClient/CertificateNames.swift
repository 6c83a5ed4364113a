import GRPCWire
import NIOCore
import NIOSSL

/// The names and the addresses for which a certificate is.
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

    /// Whether a text is an IP address, and not a name.
    static func isAddress(_ text: String) -> Bool { packed(text) != nil }

    private static func packed(_ text: String) -> SocketAddress? {
        try? SocketAddress(ipAddress: text, port: 0)
    }

    /// Whether the certificate is for this name, or this address.
    ///
    /// A `*` stands for the whole first label of a name, as RFC 6125 allows, before at least two
    /// more labels.
    func contain(_ expected: String) -> Bool {
        if let address = Self.packed(expected) {
            return names.contains { Self.packed($0) == address }
        }
        let wanted = Self.labels(expected)
        guard !wanted.isEmpty else { return false }
        return names.contains { name in
            let labels = Self.labels(name)
            if labels == wanted { return true }
            guard labels.count >= 3, labels.count == wanted.count, labels[0] == "*" else {
                return false
            }
            return labels.dropFirst() == wanted.dropFirst()
        }
    }

    /// The labels of a name in lower case; none if it has an empty one.
    private static func labels(_ name: String) -> [String] {
        let bare = name.hasSuffix(".") ? name.dropLast() : name[...]
        let labels = bare.split(separator: ".", omittingEmptySubsequences: false)
        return labels.contains(where: \.isEmpty) ? [] : labels.map { $0.lowercased() }
    }

    /// The first ``CallLimits/namesInError`` of them.
    var description: String {
        guard !names.isEmpty else { return "no name" }
        let listed = names.prefix(CallLimits.namesInError).joined(separator: ", ")
        let more = names.count - CallLimits.namesInError
        return more > 0 ? "\(listed) and \(more) more" : listed
    }
}
