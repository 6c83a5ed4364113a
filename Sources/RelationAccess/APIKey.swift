import Digests

/// The text of an API key, `APP.NAME.SECRET`; the first two parts say where its digest is kept.
package struct APIKey {
    /// 0 for the operator's key.
    package let appID: UInt32
    package let name: String
    private let digest: [UInt8]

    /// - Throws: ``CredentialError/invalid``.
    package init(reading text: UnsafeRawBufferPointer) throws(CredentialError) {
        let dot = UInt8(ascii: ".")
        guard text.count <= AccessLimits.credentialBytes,
            let first = text.firstIndex(of: dot),
            let second = text[(first + 1)...].firstIndex(of: dot),
            let appID = AppNumberText.read(UnsafeRawBufferPointer(rebasing: text[..<first])),
            (1...AccessLimits.keyNameBytes).contains(second - first - 1)
        else { throw .invalid }
        self.appID = appID
        name = String(decoding: text[(first + 1)..<second], as: UTF8.self)
        digest = Self.digest(of: text)
    }

    /// Whether `digest` is the kept digest of this key.
    package func matches(_ digest: [UInt8]) -> Bool {
        ConstantTime.areEqual(self.digest, digest)
    }

    /// The digest that a server keeps of a key.
    package static func digest(of text: some Sequence<UInt8>) -> [UInt8] {
        SHA256.digest(of: text)
    }
}

/// The number of an app in text.
package enum AppNumberText {
    /// The number; nil if `text` is not digits alone, or is too large.
    package static func read(_ text: UnsafeRawBufferPointer) -> UInt32? {
        guard (1...10).contains(text.count) else { return nil }
        var number: UInt64 = 0
        for byte in text {
            // Swift's own parser would accept a sign too.
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        return UInt32(exactly: number)
    }
}
