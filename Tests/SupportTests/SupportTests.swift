import Glibc
import Support
import Testing

struct SupportTests {
    // MARK: Hexadecimal digits

    @Test func bytesAndTheirDigitsStandForEachOther() {
        let bytes = (0...UInt8.max).map { $0 }
        let text = String(hexadecimal: bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff") && text.utf8.count == 512)
        #expect([UInt8](hexadecimal: text) == bytes)
        #expect(String(hexadecimal: []).isEmpty && [UInt8](hexadecimal: "") == [])
    }

    @Test(arguments: ["0", "0g", "AB", "ab ", "é", "0x", "ab\0"])
    func textThatIsNotPairsOfDigitsIsRefused(text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }

    // MARK: Clocks

    @Test(arguments: [SystemClock.wall, .monotonic, .coarse, .boot, .thread])
    func aClockReadsTheSameInEachUnit(clock: SystemClock) {
        let before = clock.nanoseconds
        let milliseconds = clock.milliseconds
        let seconds = clock.seconds
        let after = clock.nanoseconds
        #expect((Int64(before / 1_000_000)...Int64(after / 1_000_000)).contains(milliseconds))
        // A `Double` of the time since 1970 is exact to less than a microsecond.
        let bounds = Double(before) / 1e9 - 1e-6...Double(after) / 1e9 + 1e-6
        #expect(bounds.contains(seconds))
    }

    // MARK: Threads

    @Test func aThreadThatNamesItselfHasItsKind() throws {
        let old = try #require(Self.nameOfThread)
        defer { ThreadName.set(old, kind: "tests") }
        ThreadName.set("a name of more than 15 bytes", kind: "long")
        #expect(Self.nameOfThread == "a name of more ")
        #expect(ThreadName.kind(of: "a name of more ") == "long")
        ThreadName.set("short")
        #expect(ThreadName.kind(of: "short") == "short")
        #expect(ThreadName.kind(of: "of none") == nil)
    }

    private static var nameOfThread: String? {
        guard let file = fopen("/proc/thread-self/comm", "re") else { return nil }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = fread(&text, 1, text.count, file)
        return String(decoding: text[..<count].prefix { $0 != 10 }, as: UTF8.self)
    }
}
