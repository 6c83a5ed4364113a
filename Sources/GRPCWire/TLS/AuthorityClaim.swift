package import NIOSSL

/// The claims of a certificate on whether it may sign others.
///
/// A chain ends at a certificate that we were given, that signs itself, and whose use is not
/// limited to something else. BoringSSL checks no more: not even that the certificate calls itself
/// an authority. So without these checks a certificate that is not an authority could sign others.
struct AuthorityClaim {
    private static let keyUsage = NIOSSLObjectIdentifier("2.5.29.15")
    private static let basicConstraints = NIOSSLObjectIdentifier("2.5.29.19")
    /// The bit of `keyCertSign` in the first byte of the extension.
    private static let mayCertify: UInt8 = 0x04

    /// Whether the certificate calls itself an authority; one of version 1 has no field for it, and
    /// counts as one.
    let isAuthority: Bool
    /// Whether a chain may end with it.
    let isAnchor: Bool

    /// Returns nil if the bytes are not those of a certificate.
    init?(_ certificate: NIOSSLCertificate) throws {
        var file = DERReader(try certificate.toDERBytes()[...])
        guard var outer = file.next().map({ DERReader($0.content) }),
            var fields = outer.next().map({ DERReader($0.content) }),
            let first = fields.next()
        else { return nil }
        // A certificate of version 1 has no version field, and begins with its serial number.
        let isFirstVersion = first.tag != 0xA0
        if !isFirstVersion { _ = fields.next() }
        _ = fields.next()
        guard let issuer = fields.next(), fields.next() != nil, let subject = fields.next()
        else { return nil }
        var saysSo = isFirstVersion
        var mayCertify = true
        for field in certificate._extensions {
            var value = DERReader(Array(field.data)[...])
            guard let content = value.next()?.content else { return nil }
            if field.objectIdentifier == Self.basicConstraints {
                var parts = DERReader(content)
                let flag = parts.next()
                saysSo = flag?.tag == 0x01 && flag?.content.first ?? 0 != 0
            } else if field.objectIdentifier == Self.keyUsage {
                mayCertify = (content.dropFirst().first ?? 0) & Self.mayCertify != 0
            }
        }
        isAuthority = saysSo && mayCertify
        isAnchor = mayCertify && issuer.content == subject.content
    }
}

/// Reads the values of a DER encoding, one after another.
private struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// The next value; nil at the end, or if the next value is not complete.
    mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard let tag = rest.popFirst(), var length = rest.popFirst().map(Int.init) else {
            return nil
        }
        if length >= 0x80 {
            let count = length - 0x80
            guard count <= 4, rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return (tag, rest.prefix(length))
    }
}

extension TLSSetupError {
    /// The certificates of a file that holds authorities.
    ///
    /// - Parameters:
    ///   - what: The name of the file's purpose, for messages.
    ///   - areStrict: Whether each certificate must be that of an authority; otherwise a
    ///     certificate that signs only itself may be among them.
    package static func authorities(
        _ what: String, _ path: String, areStrict: Bool
    ) throws(TLSSetupError) -> [NIOSSLCertificate] {
        let certificates = try certificates(what, .file(path))
        var hasAnchor = false
        for (index, certificate) in certificates.enumerated() {
            // If its DER cannot be read, the certificate counts as no authority.
            let claim = try? AuthorityClaim(certificate)
            if areStrict, claim?.isAuthority != true {
                throw TLSSetupError(
                    description: """
                        \(what) \(path) cannot be used: certificate \(index + 1) in it is not an \
                        authority's (basicConstraints CA:TRUE and, if it has a keyUsage, \
                        keyCertSign). The file is for the authorities that sign clients' \
                        certificates, not for a client's own certificate, not even one that signs \
                        itself
                        """)
            }
            hasAnchor = hasAnchor || claim?.isAnchor == true
        }
        if !hasAnchor { try refuseRootless("\(what) \(path)") }
        return certificates
    }

    /// Checks that a chain may end with one of the authorities.
    ///
    /// - Parameter what: The name of the authorities, for messages.
    static func anchored(
        _ certificates: [NIOSSLCertificate], _ what: String
    ) throws(TLSSetupError) {
        // If its DER cannot be read, the certificate counts as no authority.
        guard !certificates.contains(where: { (try? AuthorityClaim($0))?.isAnchor == true })
        else { return }
        try refuseRootless(what)
    }

    private static func refuseRootless(_ what: String) throws(TLSSetupError) {
        throw TLSSetupError(
            description: """
                \(what) cannot be used: it holds no certificate that signs itself and may sign \
                others (keyCertSign, if it has a keyUsage). A chain ends at its root, so the file \
                must hold the root; a server's or a client's own certificate cannot replace it
                """)
    }
}
