internal import COpenSSL

/// An algorithm of OpenSSL, which lives as long as the process.
///
/// `@unchecked Sendable`: nothing changes it after it was fetched, so all threads may read it.
final class Algorithm: @unchecked Sendable {
    /// Fetched once: a search by name for each digest would cost more than a short digest.
    static let sha256 = Algorithm("SHA256")
    static let sha1 = Algorithm("SHA1")

    let pointer: OpaquePointer

    private init(_ name: String) {
        // OpenSSL would free its state in `exit`, while other threads may still compute.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        guard let pointer = EVP_MD_fetch(nil, name, nil) else {
            OpenSSLFailure.end("no \(name): its configuration forbids it")
        }
        self.pointer = pointer
    }
}

/// A failure of OpenSSL, which no caller can handle.
enum OpenSSLFailure {
    /// Ends the process, with a message in release builds too.
    static func end(_ message: String) -> Never {
        // OpenSSL has no memory or no such digest: nothing that a digest protects can go on.
        fatalError("OpenSSL: \(message)")
    }
}
