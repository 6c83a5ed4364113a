import Memory

// Strings, bytes and numbers that are written.

extension JSONWriter {
    /// Writes a string; returns false if it is not UTF-8.
    ///
    /// Eight bytes at a time are copied and checked; a string with an escape is written again.
    @inline(__always) mutating func string(_ bytes: JSONBytes) -> Bool {
        let count = bytes.count
        sink.room(count &+ 10)
        let source = UnsafeRawPointer(bytes.start)
        let target = sink.next + 1
        var escaped: UInt64 = 0
        var high: UInt64 = 0
        if count >= 8 {
            var offset = 0
            while offset &+ 8 < count {
                let word = UInt64(
                    littleEndian: source.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                escaped |= JSONWord.escaped(word)
                high |= word
                target.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
                offset &+= 8
            }
            // The last eight bytes; some of them may be copied a second time.
            let word = UInt64(
                littleEndian: source.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
            escaped |= JSONWord.escaped(word)
            high |= word
            target.storeBytes(of: word.littleEndian, toByteOffset: count &- 8, as: UInt64.self)
        } else {
            for offset in 0..<count {
                let byte = bytes.start[offset]
                if Self.isEscaped(byte) { escaped = 1 }
                high |= UInt64(byte)
                target.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
        }
        guard escaped == 0, high & JSONWord.highBits == 0 else {
            return unusualString(bytes, hasEscapes: escaped != 0)
        }
        sink.next.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        target.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count, as: UInt8.self)
        sink.next = target + (count &+ 1)
        return true
    }

    @inline(__always) private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    /// A string with escapes, or with characters beyond ASCII.
    @inline(never)
    private mutating func unusualString(_ bytes: JSONBytes, hasEscapes: Bool) -> Bool {
        guard UTF8Check.isValid(bytes.start, bytes.count) else { return false }
        sink.append(UInt8(ascii: "\""))
        if hasEscapes {
            // The longest escape has six bytes.
            for index in 0..<bytes.count { escape(bytes.start[index]) }
        } else {
            sink.append(long: bytes.raw)
        }
        sink.append(UInt8(ascii: "\""))
        return true
    }

    private mutating func escape(_ byte: UInt8) {
        guard Self.isEscaped(byte) else { return sink.append(byte) }
        sink.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): sink.append(byte)
        case UInt8(ascii: "\n"): sink.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): sink.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): sink.append(UInt8(ascii: "t"))
        default:
            sink.append("u00")
            sink.append(Self.digit(byte >> 4))
            sink.append(Self.digit(byte & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? 0x30 : 0x57) }

    mutating func base64(_ bytes: JSONBytes) {
        sink.append(UInt8(ascii: "\""))
        let count = Base64.length(bytes.count, true)
        sink.room(count)
        Base64.writePadded(
            bytes.raw, to: UnsafeMutableRawBufferPointer(start: sink.next, count: count))
        sink.next += count
        sink.append(UInt8(ascii: "\""))
    }

    /// Whether the numbers of a kind are strings in JSON, because most readers use a double, which
    /// holds 53 bits.
    @inline(__always) static func isQuoted(_ kind: ScalarKind) -> Bool {
        switch kind {
        case .int64, .sint64, .sfixed64, .uint64, .fixed64: true
        default: false
        }
    }

    /// Writes the value of a number, which ``JSONNumber/value(_:_:)`` returns.
    @inline(__always)
    mutating func number(_ value: UInt64, _ field: UnsafePointer<JSONField>) {
        switch field.pointee.kind {
        case .bool: sink.append(value == 0 ? "false" : "true")
        case .int32, .sint32, .sfixed32: sink.decimal(Int64(bitPattern: value))
        case .uint32, .fixed32: sink.decimal(value)
        case .enumeration: enumeration(Int32(truncatingIfNeeded: value), field)
        case .int64, .sint64, .sfixed64:
            sink.append(UInt8(ascii: "\""))
            sink.decimal(Int64(bitPattern: value))
            sink.append(UInt8(ascii: "\""))
        case .uint64, .fixed64:
            sink.append(UInt8(ascii: "\""))
            sink.decimal(value)
            sink.append(UInt8(ascii: "\""))
        case .float: float(Float(bitPattern: UInt32(truncatingIfNeeded: value)))
        case .double: real(Double(bitPattern: value))
        case .string, .bytes: preconditionFailure("no number is of this kind")
        }
    }

    @inline(__always)
    private mutating func enumeration(_ number: Int32, _ field: UnsafePointer<JSONField>) {
        if !enumsAreNumbers, let name = field.pointee.values?.pointee.name(of: number) {
            sink.append(name)
        } else {
            sink.decimal(Int64(number))
        }
    }

    /// Floats are written in as few digits as make the same float again.
    private mutating func float(_ value: Float) {
        // For the largest floats these digits are above the float, and a reader that compares
        // doubles would refuse them.
        if value.magnitude == .greatestFiniteMagnitude { return real(Double(value)) }
        real(value)
    }

    private mutating func real<R: BinaryFloatingPoint & LosslessStringConvertible>(_ value: R) {
        if value.isNaN {
            sink.append("\"NaN\"")
        } else if value.isInfinite {
            sink.append(value < 0 ? "\"-Infinity\"" : "\"Infinity\"")
        } else {
            sink.append("\(value)" as String)
        }
    }
}
