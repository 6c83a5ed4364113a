extension UnsafeRawBufferPointer {
    /// Whether the bytes are the literal, which is in lower case, in any mix of cases.
    ///
    /// It is inlinable: a server compares each field of HTTP/1.1 with many literals.
    @inlinable package func isEqual(ignoringCase literal: StaticString) -> Bool {
        let other = UnsafeRawBufferPointer(
            start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        guard count == other.count else { return false }
        return zip(self, other).allSatisfy { byte, wanted in
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            return (isCapital ? byte | 0x20 : byte) == wanted
        }
    }
}
