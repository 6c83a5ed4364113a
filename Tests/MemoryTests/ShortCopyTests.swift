import Memory
import Testing

/// Loops over eight bytes at a time, which must treat the bytes at both ends as a loop over single
/// bytes would.
struct ShortCopyTests {
    @Test func aCopyWritesItsBytesAndNoOthers() {
        for count in 0...80 {
            let source = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
            var target = [UInt8](repeating: 0xEE, count: count + 16)
            source.withUnsafeBytes { source in
                target.withUnsafeMutableBytes { target in
                    // An empty array may have no address.
                    guard let start = source.baseAddress, let room = target.baseAddress else {
                        return
                    }
                    ShortCopy.copy(start, count, to: room + 8)
                }
            }
            let edge = [UInt8](repeating: 0xEE, count: 8)
            #expect(target == edge + source + edge, "\(count) bytes")
        }
    }

    /// Memory of exactly that size, so that AddressSanitizer sees a read beyond it.
    private func withExact<R>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) -> R) -> R {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { memory.deallocate() }
        memory.copyBytes(from: bytes)
        return body(UnsafeRawBufferPointer(memory))
    }

    @Test func printableASCIIIsFoundAtEachOffset() {
        for count in 0...40 {
            let text = [UInt8](repeating: 0x20, count: count)
            #expect(withExact(text, PrintableASCII.arePrintable))
            for index in 0..<count {
                for byte: UInt8 in [0x00, 0x1F, 0x7F, 0x80, 0xFF] {
                    var broken = text
                    broken[index] = byte
                    #expect(!withExact(broken, PrintableASCII.arePrintable), "\(broken)")
                }
                var edge = text
                edge[index] = 0x7E
                #expect(withExact(edge, PrintableASCII.arePrintable), "\(edge)")
            }
        }
    }

    @Test func textsAreEqualIfAllTheirBytesAre() {
        for count in 0...20 {
            let one = [UInt8](repeating: 0x61, count: count)
            #expect(isEqual(one, one))
            #expect(!isEqual(one, one + [0x61]))
            for index in 0..<count {
                var other = one
                other[index] = 0x62
                #expect(!isEqual(one, other))
            }
        }
    }

    private func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        withExact(one) { one in
            withExact(other) { other in Text(borrowing: one) == Text(borrowing: other) }
        }
    }
}
