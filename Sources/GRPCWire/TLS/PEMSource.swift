package import NIOSSL
import TextFiles

/// Where certificates or a key in PEM are taken from.
package enum PEMSource: Sendable, Equatable {
    /// The path of a file.
    case file(String)
    case bytes([UInt8])
    /// The bytes of a file that was read before, with its path.
    case read([UInt8], path: String)

    /// The name for messages, after the name of the purpose: the path, or a mark of bytes.
    fileprivate func named(_ what: String) -> String {
        switch self {
        case .file(let path), .read(_, let path): "\(what) \(path)"
        case .bytes: "\(what) (given as bytes)"
        }
    }
}

extension TLSSetupError {
    /// The certificates of a source.
    ///
    /// - Parameter what: The name of their purpose, for messages.
    package static func certificates(
        _ what: String, _ source: PEMSource
    ) throws(TLSSetupError) -> [NIOSSLCertificate] {
        let bytes = try contents(source, what)
        return try parsing(source.named(what), "no certificate in PEM") {
            try NIOSSLCertificate.fromPEMBytes(bytes)
        }
    }

    /// The certificates of a source that holds the authorities that sign servers' certificates.
    package static func authorities(
        _ what: String, _ source: PEMSource
    ) throws(TLSSetupError) -> [NIOSSLCertificate] {
        switch source {
        case .file(let path): return try authorities(what, path, areStrict: false)
        case .bytes, .read:
            let found = try certificates(what, source)
            try anchored(found, source.named(what))
            return found
        }
    }

    /// The key of a source.
    package static func key(_ source: PEMSource) throws(TLSSetupError) -> NIOSSLPrivateKey {
        let bytes = try contents(source, "the key")
        return try parsing(source.named("the key"), "no key in PEM without a passphrase") {
            try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        }
    }

    /// The bytes of a source: a file is read once, so it may be a stream.
    private static func contents(
        _ source: PEMSource, _ what: String
    ) throws(TLSSetupError) -> [UInt8] {
        switch source {
        case .bytes(let bytes), .read(let bytes, path: _): return bytes
        case .file(let path):
            do throws(InputFileError) {
                return try SmallFile.bytes(of: path, atMost: CallLimits.certificateFileBytes)
            } catch {
                throw TLSSetupError(description: "\(what) \(error)")
            }
        }
    }

    /// The context that connections are made with.
    ///
    /// - Parameter certificate: The own certificate and its key, if there are any; used in messages
    ///   only.
    package static func context(
        _ configuration: TLSConfiguration, _ certificate: (chain: PEMSource, key: PEMSource)?
    ) throws(TLSSetupError) -> NIOSSLContext {
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            guard let certificate, error as? NIOSSLError == .failedToLoadPrivateKey else {
                throw TLSSetupError(description: "TLS cannot be set up: \(PlainError(error))")
            }
            throw TLSSetupError(
                description: certificate.key.named("the key") + " does not belong to "
                    + certificate.chain.named("the certificate"))
        }
    }

    /// Runs `body`, and replaces its errors, which say too little.
    private static func parsing<Result>(
        _ what: String, _ lack: String, _ body: () throws -> Result
    ) throws(TLSSetupError) -> Result {
        do {
            return try body()
        } catch {
            throw TLSSetupError(description: "\(what) cannot be used: it holds \(lack)")
        }
    }
}
