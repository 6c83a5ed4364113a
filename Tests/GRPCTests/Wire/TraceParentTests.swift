import Testing

@testable import GRPCWire

/// W3C's rules of `traceparent` and `tracestate`.
struct TraceParentTests {
    private static let id = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    @Test func aContextHasTheNumbersOfItsText() throws {
        let text = "00-\(Self.id)-\(Self.span)-01"
        let context = try #require(TraceParent(text))
        #expect(context.high == 0x0af7_6519_16cd_43dd && context.low == 0x8448_eb21_1c80_319c)
        #expect(context.spanID == 0xb7ad_6b71_6920_3331 && context.flags == 1)
        #expect(context.isSampled && context.traceID == Self.id && context.text == text)
    }

    @Test func smallNumbersKeepTheirZeros() {
        let context = TraceParent(high: 0, low: 1, spanID: 0x2F, flags: 0)
        #expect(context.text == "00-00000000000000000000000000000001-000000000000002f-00")
        #expect(TraceParent(context.text) == context && !context.isSampled)
    }

    /// Texts that keep the rules, and their flags.
    private static let good: [(String, UInt8)] = [
        ("00-\(id)-\(span)-00", 0), ("00-\(id)-\(span)-03", 3),
        // Flags that this version does not know are not passed on.
        ("00-\(id)-\(span)-ff", 3), ("00-\(id)-\(span)-08", 0),
        // A later version may have more, and its other flags may mean something else.
        ("01-\(id)-\(span)-01", 1), ("cc-\(id)-\(span)-03-what-the-future-brings", 1),
        ("fe-\(id)-\(span)-01-", 1),
    ]

    @Test(arguments: good)
    func aTextThatKeepsTheRulesIsAContext(text: String, flags: UInt8) {
        #expect(TraceParent(text)?.flags == flags)
        #expect(TraceParent(text)?.traceID == Self.id)
    }

    @Test(arguments: [
        "", "00", "00-\(id)-\(span)", "00-\(id)-\(span)-", "00-\(id)-\(span)-1",
        // Version ff is none, and version 00 ends after its flags.
        "ff-\(id)-\(span)-01", "00-\(id)-\(span)-01-", "00-\(id)-\(span)-01-more",
        "00-\(id)-\(span)-011", "cc-\(id)-\(span)-01.more", "0-\(id)-\(span)-01",
        // Numbers of zero.
        "00-00000000000000000000000000000000-\(span)-01", "00-\(id)-0000000000000000-01",
        // Capital letters, and what is not a digit.
        "00-0AF7651916CD43DD8448EB211C80319C-\(span)-01", "00-\(id)-B7AD6B7169203331-01",
        "0A-\(id)-\(span)-01", "00-\(id)-\(span)-0A", "00-\(id)-\(span)-.1",
        "00-.af7651916cd43dd8448eb211c80319c-\(span)-01", "0.-\(id)-\(span)-01",
        "00-\(id)-g7ad6b7169203331-01", "00-\(id)-\(span)-0x",
        // Numbers that are too short or too long, and other marks between them.
        "00-\(id)0-\(span)-01", "00-\(id)-\(span)0-01", "000-\(id)-\(span)-01",
        "00-0af7651916cd43dd8448eb211c80319-\(span)-01", "00-\(id)-b7ad6b716920333-01",
        "00_\(id)_\(span)_01", "00-\(id)-\(span)_01", " 00-\(id)-\(span)-01",
        "00-\(id)-\(span)-01 ",
    ])
    func aTextThatBreaksARuleIsNone(text: String) {
        #expect(TraceParent(text) == nil)
    }

    @Test func eachCharacterOfANumberIsADigitInLowerCase() {
        let text = Array("00-\(Self.id)-\(Self.span)-01".utf8)
        func number(_ text: [UInt8], _ digits: Range<Int>) -> UInt64? {
            UInt64(String(decoding: text[digits], as: UTF8.self), radix: 16)
        }
        for index in text.indices where text[index] != UInt8(ascii: "-") {
            for byte in UInt8.min ... .max {
                var changed = text
                changed[index] = byte
                let context = changed.withUnsafeBytes { TraceParent($0) }
                guard "0123456789abcdef".utf8.contains(byte) else {
                    #expect(context == nil, "\(byte) at \(index)")
                    continue
                }
                #expect(context?.high == number(changed, 3..<19), "\(byte) at \(index)")
                #expect(context?.low == number(changed, 19..<35), "\(byte) at \(index)")
                #expect(context?.spanID == number(changed, 36..<52), "\(byte) at \(index)")
            }
        }
    }

    // MARK: - tracestate

    private func isValid(_ text: String) -> Bool { TraceState.isValid(Array(text.utf8)) }

    @Test(arguments: [
        "a=1", "foo=1,bar=2", "a=1 , b=2\t,\tc=3", "a=1,,b=2", "0-_*/=x", "tenant@system=v",
        "1a@2b=v", "a= b", "a=<:!@#$%^&*()>~`", "",
    ])
    func aListOfNamesAndValuesIsPassedOn(text: String) {
        #expect(isValid(text))
    }

    @Test(arguments: [
        "a", "=1", "a=", "A=1", "a b=1", "a=1=2", "a=1,a=2", "a@b@c=1", "@a=1", "a@=1", "-a=1",
        "a=\u{7F}", "a=é", "a@-b=1", "a=1,b",
    ])
    func whatIsNoSuchListIsNot(text: String) {
        #expect(!isValid(text))
    }

    @Test func aListHasItsBounds() {
        let members = (0..<CallLimits.traceStateMembers).map { "k\($0)=1" }
        #expect(isValid(members.joined(separator: ",")))
        #expect(!isValid((members + ["more=1"]).joined(separator: ",")))
        let long = "a=" + String(repeating: "v", count: 256)
        #expect(isValid(long) && !isValid(long + "v"))
        let key = String(repeating: "k", count: 256)
        #expect(isValid(key + "=1") && !isValid(key + "k=1"))
        let blanks = String(repeating: " ", count: CallLimits.traceStateBytes - 3)
        #expect(isValid("a=1" + blanks) && !isValid("a=1 " + blanks))
    }
}
