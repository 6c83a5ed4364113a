import Memory
import Testing

struct Base64Tests {
    private static let lenient = Base64.Spelling(
        lastDigits: "+/", needsPadding: false, allowsLooseBits: true)
    private static let either = Base64.Spelling(
        lastDigits: "+/-_", needsPadding: false, allowsLooseBits: false)
    private static let exact = Base64.Spelling(
        lastDigits: "*-", padding: "_", needsPadding: true, allowsLooseBits: false)

    /// RFC 4648, section 10, and all four digits that alphabets differ in.
    @Test(
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("\u{0}\u{7F}~~?>", "AH9+fj8+"),
        ])
    func theTextIsThatOfTheStandard(_ bytes: String, _ text: String) {
        let bytes = Array(bytes.utf8)
        let bare = text.replacing("=", with: "")
        #expect(bytes.withUnsafeBytes { Base64.text($0, padded: true) } == text)
        #expect(bytes.withUnsafeBytes { Base64.text($0) } == bare)
        var digits = Array("so far ".utf8)
        Base64.encode(bytes, padded: true, into: &digits)
        #expect(String(decoding: digits, as: UTF8.self) == "so far " + text)
        for spelling in [Self.lenient, Self.either] {
            #expect(Base64.decode(text, spelling) == bytes)
            #expect(Base64.decode(bare, spelling) == bytes)
        }
    }

    @Test(arguments: 0...256)
    func allBytesComeBackInEachSpelling(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 167 + 251) }
        let text = bytes.withUnsafeBytes { Base64.text($0, padded: true) }
        let url = text.replacing("+", with: "-").replacing("/", with: "_")
        let own = text.replacing("+", with: "*").replacing("/", with: "-")
            .replacing("=", with: "_")
        #expect(Base64.decode(text, Self.lenient) == bytes)
        #expect(Base64.decode(text, Self.either) == bytes)
        #expect(Base64.decode(url, Self.either) == bytes)
        #expect(Base64.decode(own, Self.exact) == bytes)
        if own.hasSuffix("_") {
            #expect(Base64.decode(own.replacing("_", with: ""), Self.exact) == nil)
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "AA=", "AAA==", "A===", "AAAAA===", "AA=A", "A?A=", "AAAA=", "AA===",
        "AAAA====", " AA", "AA\n", "=", "==", "====", "AA==AA==", "é",
    ])
    func whatIsNoBase64IsRefusedInEachSpelling(_ text: String) {
        for spelling in [Self.lenient, Self.either] {
            #expect(Base64.decode(text, spelling) == nil)
        }
        #expect(Base64.decode(text.replacing("=", with: "_"), Self.exact) == nil)
    }

    @Test(arguments: [("AB==", "AA=="), ("AAF=", "AAE="), ("AAAA//==", "AAAA/w==")])
    func looseBitsAreRefusedUnlessTheReaderAllowsThem(_ loose: String, _ strict: String) {
        for (text, isStrict) in [(loose, false), (strict, true)] {
            let bare = text.replacing("=", with: "")
            let own = text.replacing("=", with: "_").replacing("/", with: "-")
            #expect(Base64.decode(text, Self.lenient) == Base64.decode(strict, Self.lenient))
            #expect(Base64.decode(bare, Self.lenient) == Base64.decode(strict, Self.lenient))
            #expect((Base64.decode(text, Self.either) != nil) == isStrict)
            #expect((Base64.decode(bare, Self.either) != nil) == isStrict)
            #expect((Base64.decode(own, Self.exact) != nil) == isStrict)
        }
    }

    @Test func aDigitOfAnotherAlphabetIsRefused() {
        #expect(Base64.decode("-_8=", Self.lenient) == nil)
        #expect(Base64.decode("+/8=", Self.exact) == nil)
        #expect(Base64.decode("*-8_", Self.exact) == [0xFB, 0xFF])
        #expect(Base64.decode("*-8_", Self.either) == nil)
    }
}
