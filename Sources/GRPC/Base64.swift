/// Base64 as gRPC's binary metadata has it: written without padding, read with or without.
package enum Base64 {
    private static let alphabet: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    /// Not of any sequence: other rooms would then pay for each byte what it takes to find out how
    /// to get the next one.
    package static func encode(_ bytes: [UInt8], into output: inout [UInt8]) {
        let digits = alphabet.utf8Start
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                output.append(digits[Int(bits >> count & 63)])
            }
        }
        if count > 0 { output.append(digits[Int(bits << (6 - count) & 63)]) }
    }

    /// The bytes, or nil if the text is not base64.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.count * 3 / 4)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        var (digits, padding) = (0, 0)
        for byte in text {
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: byte) else { return nil }
            bits = bits << 6 | value
            count += 6
            digits += 1
            guard count >= 8 else { continue }
            count -= 8
            output.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        // One digit alone holds no byte; padding, where there is any, must fill the last four.
        guard digits % 4 != 1, padding == 0 || (padding < 3 && (digits + padding) % 4 == 0) else {
            return nil
        }
        return output
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
