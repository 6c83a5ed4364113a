internal import COpenSSL

/// The SHA-256 of bytes that are added one piece after another (FIPS 180-4).
///
/// OpenSSL computes it. The process ends if OpenSSL fails: it has no memory, or its configuration
/// on this machine forbids SHA-256.
package struct SHA256 {
    /// The bytes of a digest.
    package static let byteCount = 32

    private var context = Context()

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&context) { context = Context(copying: context) }
        context.update(bytes)
    }

    /// The digest of what was added so far; more may be added after it.
    package func digest() -> [UInt8] {
        Context(copying: context).finish()
    }

    /// The digest of `bytes`.
    package static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let context = Context()
        context.update(bytes)
        return context.finish()
    }

    /// The digest of `bytes`.
    package static func digest(of bytes: some Sequence<UInt8>) -> [UInt8] {
        Array(bytes).withUnsafeBytes { digest(of: $0) }
    }
}

/// OpenSSL's state of one computation, which this object owns.
///
/// `@unchecked Sendable`: only a value that alone refers to it changes it.
private final class Context: @unchecked Sendable {
    private let owned: OpaquePointer

    init() {
        owned = Self.allocated()
        guard EVP_DigestInit_ex(owned, Algorithm.sha256.pointer, nil) == 1 else {
            OpenSSLFailure.end("a SHA-256 does not begin")
        }
    }

    init(copying other: Context) {
        owned = Self.allocated()
        guard EVP_MD_CTX_copy_ex(owned, other.owned) == 1 else {
            OpenSSLFailure.end("a SHA-256 is not copied")
        }
    }

    deinit { EVP_MD_CTX_free(owned) }

    private static func allocated() -> OpaquePointer {
        guard let context = EVP_MD_CTX_new() else { OpenSSLFailure.end("no memory") }
        return context
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        guard EVP_DigestUpdate(owned, bytes.baseAddress, bytes.count) == 1 else {
            OpenSSLFailure.end("a SHA-256 takes no more bytes")
        }
    }

    /// The digest, after which nothing is added.
    func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { bytes, count in
            // OpenSSL writes as many bytes as SHA-256 has, for which there is room.
            guard EVP_DigestFinal_ex(owned, bytes.baseAddress, nil) == 1 else {
                OpenSSLFailure.end("a SHA-256 does not end")
            }
            count = SHA256.byteCount
        }
    }
}
