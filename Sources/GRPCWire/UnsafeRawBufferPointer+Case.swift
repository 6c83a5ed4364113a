import HTTP2

extension UnsafeRawBufferPointer {
    /// Whether the bytes are the literal, which is in lower case, in any mix of cases.
    package func isEqual(ignoringCase literal: StaticString) -> Bool {
        let other = literal.rawBytes
        guard count == other.count else { return false }
        return zip(self, other).allSatisfy { byte, wanted in
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            return (isCapital ? byte | 0x20 : byte) == wanted
        }
    }
}
