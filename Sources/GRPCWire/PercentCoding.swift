/// The encoding of `grpc-message`: UTF-8, with `%XX` for bytes that a header field may not hold.
package enum PercentCoding {
    /// The field's value for `message`, which is cut to at most ``CallLimits/statusMessageBytes``.
    ///
    /// Spaces at either end are escaped too: gRPC allows them raw, but RFC 9113 does not, and
    /// strict peers refuse the whole block.
    package static func encode(_ message: String) -> [UInt8] {
        let bytes = prefix(of: Array(message.utf8))
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let isOuterSpace = byte == 0x20 && (index == 0 || index == bytes.count - 1)
            if byte >= 0x20, byte <= 0x7E, byte != UInt8(ascii: "%"), !isOuterSpace {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(digit(byte >> 4))
                output.append(digit(byte & 15))
            }
        }
        return output
    }

    /// The message in a field's value; malformed escapes stay as they are.
    package static func decode(_ value: UnsafeRawBufferPointer) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.count)
        var index = 0
        while index < value.count {
            if value[index] == UInt8(ascii: "%"), index + 2 < value.count,
                let high = number(value[index + 1]), let low = number(value[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(value[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The longest prefix within the limit that does not end inside a character.
    private static func prefix(of bytes: [UInt8]) -> ArraySlice<UInt8>.SubSequence {
        guard bytes.count > CallLimits.statusMessageBytes else { return bytes[...] }
        var end = CallLimits.statusMessageBytes
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return bytes[..<end]
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + 0x30 : value + 0x37
    }

    package static func number(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}
