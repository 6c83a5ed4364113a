import Digests
import Testing

/// The examples of the standards, and what holds for all pieces.
struct DigestsTests {
    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The examples of NIST for SHA-256.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `A digest is the one of the standard`(_ text: String, _ digest: String) {
        #expect(hexadecimal(SHA256.digest(of: text.utf8)) == digest)
    }

    /// The examples of NIST for SHA-1.
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
    ])
    func `A SHA-1 is the one of the standard`(_ text: String, _ digest: String) {
        #expect(hexadecimal(SHA1.digest(of: text.utf8)) == digest)
    }

    @Test func `A million bytes in pieces have the digest of the standard`() {
        var hash = SHA256()
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000)
        for _ in 0..<1_000 { piece.withUnsafeBytes { hash.update($0) } }
        #expect(
            hexadecimal(hash.digest())
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func `A copy goes its own way, and a digest may be taken in between`() {
        var one = SHA256()
        Array("ab".utf8).withUnsafeBytes { one.update($0) }
        let begun = one
        #expect(one.digest() == SHA256.digest(of: "ab".utf8))
        Array("c".utf8).withUnsafeBytes { one.update($0) }
        #expect(one.digest() == SHA256.digest(of: "abc".utf8))
        #expect(begun.digest() == SHA256.digest(of: "ab".utf8))
    }

    /// Cases 1, 2, 3, 6 and 7 of RFC 4231, and an empty key and message.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array(
                """
                This is a test using a larger than block-size key and a larger than block-size \
                data. The key needs to be hashed before being used by the HMAC algorithm.
                """.utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
        ([], [], "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func `A code is the one of the standard`(_ key: [UInt8], _ message: [UInt8], _ code: String) {
        #expect(hexadecimal(HMACSHA256.code(of: message, key: key)) == code)
    }
}
