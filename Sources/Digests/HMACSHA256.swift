internal import COpenSSL

/// The keyed digest HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
    /// The 32 bytes that prove that the holder of `key` has seen `message`.
    package static func code(
        of message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { bytes, count in
            // OpenSSL takes a missing key for "the previous key", so an empty one needs an
            // address. It writes as many bytes as SHA-256 has, for which there is room.
            let code = withUnsafeBytes(of: 0 as UInt8) { none in
                HMAC(
                    Algorithm.sha256.pointer, key.baseAddress ?? none.baseAddress, Int32(key.count),
                    message.baseAddress, message.count, bytes.baseAddress, nil)
            }
            guard code != nil else { OpenSSLFailure.end("no HMAC is made") }
            count = SHA256.byteCount
        }
    }

    /// The 32 bytes that prove that the holder of `key` has seen `message`.
    package static func code(of message: some Sequence<UInt8>, key: some Sequence<UInt8>) -> [UInt8]
    {
        Array(message).withUnsafeBytes { message in
            Array(key).withUnsafeBytes { code(of: message, key: $0) }
        }
    }
}
