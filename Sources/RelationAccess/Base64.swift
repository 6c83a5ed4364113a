/// Base64 with padding, in one of two alphabets.
///
/// The one is that of RFC 4648. The other is that of users' signatures, which has `*`, `-` and `_`
/// in the place of `+`, `/` and `=`.
enum Base64 {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The text of `bytes` in the alphabet of RFC 4648.
    static func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << (6 - count) & 63)]) }
        while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return text
    }

    /// The bytes that `text` spells in the alphabet of signatures; nil if it spells none.
    ///
    /// Bytes have exactly one spelling: the padding must be there, and bits that no byte needs must
    /// be 0. So a signature that was cut off is always noticed.
    static func decodeSignature(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var (bits, count, padding): (UInt32, UInt32, Int) = (0, 0, 0)
        for digit in text {
            if digit == UInt8(ascii: "_") {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: digit) else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            bits &= (1 << count) - 1
        }
        return padding * 2 == count && bits == 0 ? bytes : nil
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit) + 4
        case UInt8(ascii: "*"): 62
        case UInt8(ascii: "-"): 63
        default: nil
        }
    }
}
