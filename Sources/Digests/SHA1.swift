internal import COpenSSL

/// The SHA-1 of bytes (FIPS 180-4), for other systems whose signatures are made with it.
///
/// It protects nothing: two texts with the same digest can be made.
package enum SHA1 {
    /// The bytes of a digest.
    package static let byteCount = 20

    /// The digest of `bytes`.
    package static func digest(of bytes: some Sequence<UInt8>) -> [UInt8] {
        Array(bytes).withUnsafeBytes { bytes in
            [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
                // OpenSSL writes as many bytes as SHA-1 has, for which there is room.
                let code = EVP_Digest(
                    bytes.baseAddress, bytes.count, digest.baseAddress, nil,
                    Algorithm.sha1.pointer, nil)
                guard code == 1 else { OpenSSLFailure.end("no SHA-1 is made") }
                count = byteCount
            }
        }
    }
}
