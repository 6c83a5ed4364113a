/// Base64 for gRPC's binary metadata: written without padding, read with or without padding.
package enum Base64 {
    private static let alphabet: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    /// Appends the text of `bytes`.
    ///
    /// It takes an array, not any sequence: other rooms call it without specialization, and would
    /// pay a dynamic call for each byte of a sequence.
    package static func encode(_ bytes: [UInt8], into output: inout [UInt8]) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: length(bytes.count)))
        output.withUnsafeMutableBufferPointer { output in
            bytes.withUnsafeBytes { encode($0, to: output[start...]) }
        }
    }

    /// The text of `bytes`.
    package static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        let length = length(bytes.count)
        return String(unsafeUninitializedCapacity: length) { output in
            encode(bytes, to: output[..<length])
            return length
        }
    }

    private static func length(_ bytes: Int) -> Int { (bytes * 4 + 2) / 3 }

    /// - Parameter output: The memory for the text, exactly as long as the text.
    private static func encode(
        _ bytes: UnsafeRawBufferPointer, to output: Slice<UnsafeMutableBufferPointer<UInt8>>
    ) {
        let digits = UnsafeBufferPointer(start: alphabet.utf8Start, count: 64)
        let target = UnsafeMutableBufferPointer(rebasing: output)
        var (written, next) = (0, 0)
        while next + 3 <= bytes.count {
            let bits =
                Int(bytes[next]) << 16 | Int(bytes[next + 1]) << 8 | Int(bytes[next + 2])
            target.initializeElement(at: written, to: digits[bits >> 18])
            target.initializeElement(at: written + 1, to: digits[bits >> 12 & 63])
            target.initializeElement(at: written + 2, to: digits[bits >> 6 & 63])
            target.initializeElement(at: written + 3, to: digits[bits & 63])
            (written, next) = (written + 4, next + 3)
        }
        switch bytes.count - next {
        case 1:
            let bits = Int(bytes[next]) << 4
            target.initializeElement(at: written, to: digits[bits >> 6])
            target.initializeElement(at: written + 1, to: digits[bits & 63])
        case 2:
            let bits = Int(bytes[next]) << 10 | Int(bytes[next + 1]) << 2
            target.initializeElement(at: written, to: digits[bits >> 12])
            target.initializeElement(at: written + 1, to: digits[bits >> 6 & 63])
            target.initializeElement(at: written + 2, to: digits[bits & 63])
        default: break
        }
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
