/// The numbers of JSON, and those of protobuf's wire format.
enum JSONNumber {
    /// Whether the whole text is one of JSON's numbers, without blanks.
    ///
    /// Swift's initialisers know more forms.
    static func isNumeral(_ text: JSONBytes) -> Bool {
        var walk = JSONScanner(text)
        return walk.number() != nil && walk.isAtEnd
    }

    /// The integer of a numeral; nil if it is none, or beyond 64 bits.
    static func integer(_ numeral: JSONBytes) -> JSONInteger? {
        let text = numeral.text
        if let integer = Int64(text) { return JSONInteger(integer) }
        if let integer = UInt64(text) { return JSONInteger(isNegative: false, magnitude: integer) }
        guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == 0x65 }),
            let real = Double(text)
        else { return nil }
        if let integer = Int64(exactly: real) { return JSONInteger(integer) }
        return UInt64(exactly: real).map { JSONInteger(isNegative: false, magnitude: $0) }
    }

    /// The bits of a numeral as a float or a double; nil if it is beyond them.
    static func real(_ numeral: JSONBytes, _ kind: ScalarKind) -> UInt64? {
        if kind == .float {
            guard let real = Float(numeral.text), real.isFinite else { return nil }
            return UInt64(real.bitPattern)
        }
        guard let real = Double(numeral.text), real.isFinite else { return nil }
        return real.bitPattern
    }

    /// The bits of a number that JSON has only a word for.
    static func word(_ text: JSONBytes, _ kind: ScalarKind) -> UInt64? {
        let real: Double
        if text.equals("NaN") {
            real = .nan
        } else if text.equals("Infinity") {
            real = .infinity
        } else if text.equals("-Infinity") {
            real = -.infinity
        } else {
            return nil
        }
        return kind == .float ? UInt64(Float(real).bitPattern) : real.bitPattern
    }

    /// The bits of a map's key; nil if it is not the one text of a key of that kind.
    static func key(_ text: JSONBytes, _ kind: ScalarKind) -> UInt64? {
        if kind == .bool { return text.equals("true") ? 1 : text.equals("false") ? 0 : nil }
        let text = text.text
        if let integer = Int64(text) {
            return "\(integer)" == text ? JSONInteger(integer).bits(kind) : nil
        }
        guard let integer = UInt64(text), "\(integer)" == text else { return nil }
        return JSONInteger(isNegative: false, magnitude: integer).bits(kind)
    }

    /// The value of the bits that the wire has for a kind: a signed integer has its sign in all 64
    /// bits, and a float keeps its own bits.
    @inline(__always) static func value(_ bits: UInt64, _ kind: ScalarKind) -> UInt64 {
        switch kind {
        case .bool: return bits == 0 ? 0 : 1
        case .int32, .enumeration, .sfixed32:
            return UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: bits)))
        case .uint32, .fixed32, .float: return UInt64(UInt32(truncatingIfNeeded: bits))
        case .sint32:
            let half = UInt32(truncatingIfNeeded: bits)
            let value = Int32(bitPattern: half >> 1) ^ -Int32(half & 1)
            return UInt64(bitPattern: Int64(value))
        case .sint64: return bits >> 1 ^ (0 &- (bits & 1))
        default: return bits
        }
    }
}

/// An integer with one bit more than 64, as JSON may have it.
struct JSONInteger {
    let isNegative: Bool
    let magnitude: UInt64

    @inline(__always) init(isNegative: Bool, magnitude: UInt64) {
        self.isNegative = isNegative
        self.magnitude = magnitude
    }

    init(_ value: Int64) {
        isNegative = value < 0
        magnitude = value.magnitude
    }

    /// The bits of the integer on the wire; nil if it is beyond the kind.
    @inline(__always) func bits(_ kind: ScalarKind) -> UInt64? {
        switch kind {
        case .uint32, .fixed32: return unsigned(UInt64(UInt32.max))
        case .uint64, .fixed64: return unsigned(.max)
        case .int32, .enumeration: return signed(Self.longest32)
        case .sfixed32: return signed(Self.longest32).map { $0 & 0xFFFF_FFFF }
        case .int64, .sfixed64: return signed(Self.longest64)
        case .sint32: return signed(Self.longest32).map { ($0 << 1 ^ sign) & 0xFFFF_FFFF }
        case .sint64: return signed(Self.longest64).map { $0 << 1 ^ sign }
        case .bool, .float, .double, .string, .bytes: return nil
        }
    }

    /// The largest magnitudes of negative numbers.
    private static var longest32: UInt64 { 1 << 31 }
    private static var longest64: UInt64 { 1 << 63 }

    private var sign: UInt64 { isNegative && magnitude > 0 ? .max : 0 }

    @inline(__always) private func unsigned(_ most: UInt64) -> UInt64? {
        magnitude <= most && (!isNegative || magnitude == 0) ? magnitude : nil
    }

    @inline(__always) private func signed(_ longest: UInt64) -> UInt64? {
        guard isNegative else { return magnitude < longest ? magnitude : nil }
        return magnitude <= longest ? 0 &- magnitude : nil
    }
}
