internal import COpenSSL

/// The algorithms of OpenSSL, which live as long as the process.
enum Algorithm {
    /// Fetched once: a search by name for each digest would cost more than a short digest.
    ///
    /// Nothing changes it after it was fetched, so all threads may read it.
    nonisolated(unsafe) static let sha256: OpaquePointer = {
        // OpenSSL would free its state in `exit`, while other threads may still compute.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else {
            fatalError("OpenSSL has no SHA-256: its configuration forbids it")
        }
        return algorithm
    }()
}
