/// Base64 of RFC 4648, and the spellings of it that other formats have.
package enum Base64 {
    private static let alphabet: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    /// The spellings that a reader takes.
    ///
    /// Each reader takes the letters and the decimal digits for the values below 62. Padding fills
    /// the last four characters and stands at the end.
    package struct Spelling: Sendable {
        private static let paddingMark: UInt8 = 0x40
        private static let noDigit: UInt8 = 0x80

        /// For each byte its value as a digit, or one of the two constants above.
        private let values: [UInt8]
        private let needsPadding: Bool
        private let allowsLooseBits: Bool

        /// - Parameters:
        ///   - lastDigits: The digits of the values 62 and 63, in pairs: "+/" or "+/-_".
        ///   - needsPadding: Whether a text that lacks its padding is refused.
        ///   - allowsLooseBits: Whether the bits that no byte needs may be other than 0. If not,
        ///     a text that was cut off is noticed.
        package init(
            lastDigits: StaticString, padding: Unicode.Scalar = "=", needsPadding: Bool,
            allowsLooseBits: Bool
        ) {
            var values = [UInt8](repeating: Self.noDigit, count: 256)
            let digits = UnsafeBufferPointer(start: Base64.alphabet.utf8Start, count: 62)
            for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
            lastDigits.withUTF8Buffer { digits in
                for (index, digit) in digits.enumerated() {
                    values[Int(digit)] = UInt8(62 + index % 2)
                }
            }
            values[Int(UInt8(ascii: padding))] = Self.paddingMark
            self.values = values
            self.needsPadding = needsPadding
            self.allowsLooseBits = allowsLooseBits
        }

        fileprivate func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
            var output: [UInt8] = []
            output.reserveCapacity(text.count * 3 / 4)
            var (bits, count): (UInt32, UInt32) = (0, 0)
            var (digits, padding) = (0, 0)
            for byte in text {
                let value = values[Int(byte)]
                if value == Self.paddingMark {
                    padding += 1
                    continue
                }
                guard padding == 0, value < 64 else { return nil }
                bits = bits << 6 | UInt32(value)
                count += 6
                digits += 1
                guard count >= 8 else { continue }
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> count))
                bits &= (1 << count) - 1
            }
            // One digit alone holds no byte.
            guard digits % 4 != 1, bits == 0 || allowsLooseBits else { return nil }
            return padding == -digits & 3 || padding == 0 && !needsPadding ? output : nil
        }
    }

    /// Appends the text of `bytes`.
    ///
    /// It takes an array, not any sequence: other rooms call it without specialization, and would
    /// pay a dynamic call for each byte of a sequence.
    package static func encode(_ bytes: [UInt8], padded: Bool = false, into output: inout [UInt8]) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: length(bytes.count, padded)))
        output.withUnsafeMutableBytes { output in
            let room = UnsafeMutableRawBufferPointer(rebasing: output[start...])
            bytes.withUnsafeBytes { encode($0, to: room) }
        }
    }

    /// The text of `bytes`.
    package static func text(_ bytes: UnsafeRawBufferPointer, padded: Bool = false) -> String {
        let length = length(bytes.count, padded)
        return String(unsafeUninitializedCapacity: length) { output in
            let room = UnsafeMutableRawBufferPointer(output)
            encode(bytes, to: UnsafeMutableRawBufferPointer(rebasing: room[..<length]))
            return length
        }
    }

    /// The length of the text of so many bytes.
    package static func length(_ bytes: Int, _ padded: Bool = false) -> Int {
        padded ? (bytes + 2) / 3 * 4 : (bytes * 4 + 2) / 3
    }

    /// Writes the text of `bytes` without padding.
    ///
    /// - Parameter room: Room for the text.
    /// - Returns: The length of the text.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to room: UnsafeMutableRawBufferPointer
    ) -> Int {
        let length = length(bytes.count)
        encode(bytes, to: UnsafeMutableRawBufferPointer(rebasing: room[..<length]))
        return length
    }

    /// Writes the text of `bytes` with padding.
    ///
    /// - Parameter room: Room for the text, exactly as long as it.
    package static func writePadded(
        _ bytes: UnsafeRawBufferPointer, to room: UnsafeMutableRawBufferPointer
    ) {
        encode(bytes, to: room)
    }

    /// Two digits for each value of twelve bits, as they follow one another in memory.
    private static let pairs: [UInt16] = {
        let digits = UnsafeBufferPointer(start: alphabet.utf8Start, count: 64)
        return (0..<4_096).map { value in
            UInt16(littleEndian: UInt16(digits[value & 63]) << 8 | UInt16(digits[value >> 6]))
        }
    }()

    /// - Parameter room: The room for the text, exactly as long as the text; the rest of the last
    ///   four characters, if it is there, is for padding.
    private static func encode(
        _ bytes: UnsafeRawBufferPointer, to room: UnsafeMutableRawBufferPointer
    ) {
        let digits = UnsafeBufferPointer(start: alphabet.utf8Start, count: 64)
        var (end, next) = (0, 0)
        pairs.withUnsafeBufferPointer { pairs in
            while next + 3 <= bytes.count {
                let bits =
                    Int(bytes[next]) << 16 | Int(bytes[next + 1]) << 8 | Int(bytes[next + 2])
                room.storeBytes(of: pairs[bits >> 12], toByteOffset: end, as: UInt16.self)
                room.storeBytes(of: pairs[bits & 4_095], toByteOffset: end + 2, as: UInt16.self)
                (end, next) = (end + 4, next + 3)
            }
        }
        switch bytes.count - next {
        case 1:
            let bits = Int(bytes[next]) << 4
            room[end] = digits[bits >> 6]
            room[end + 1] = digits[bits & 63]
            end += 2
        case 2:
            let bits = Int(bytes[next]) << 10 | Int(bytes[next + 1]) << 2
            room[end] = digits[bits >> 12]
            room[end + 1] = digits[bits >> 6 & 63]
            room[end + 2] = digits[bits & 63]
            end += 3
        default: break
        }
        while end < room.count {
            room[end] = UInt8(ascii: "=")
            end += 1
        }
    }

    /// The bytes that `text` spells; nil if it spells none.
    package static func decode(
        _ text: UnsafeRawBufferPointer, _ spelling: Spelling
    ) -> [UInt8]? {
        spelling.decode(text)
    }

    package static func decode(_ text: String, _ spelling: Spelling) -> [UInt8]? {
        var text = text
        return text.withUTF8 { spelling.decode(UnsafeRawBufferPointer($0)) }
    }
}
