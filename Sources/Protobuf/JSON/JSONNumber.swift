/// The numbers of JSON, and those of protobuf's wire format.
enum JSONNumber {
    /// Whether the whole text is one of JSON's numbers, without blanks.
    ///
    /// Swift's initialisers know more forms.
    static func isNumeral(_ text: JSONBytes) -> Bool {
        var walk = JSONScanner(text)
        return walk.number() != nil && walk.isAtEnd
    }

    /// The integer that a numeral is exactly; nil if it is none, or beyond 64 bits.
    ///
    /// "1e2", "1.50e1" and "100e-2" are integers, "1e-999999" and "1.5" are none. No number is
    /// rounded, and no work is done for the size of an exponent.
    static func integer(_ numeral: JSONBytes) -> JSONInteger? {
        let isNegative = numeral.count > 0 && numeral.start[0] == UInt8(ascii: "-")
        let text = numeral.raw[(isNegative ? 1 : 0)...]
        let end = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
        let point = text[..<end].firstIndex(of: UInt8(ascii: ".")) ?? end
        // The digits up to the last one that is not zero, as an integer, and what it is multiplied
        // by: a power of ten.
        var magnitude: UInt64 = 0
        var zeros = 0
        for byte in text[..<end] where byte != UInt8(ascii: ".") {
            guard byte != UInt8(ascii: "0") else {
                zeros += 1
                continue
            }
            for _ in 0..<(magnitude == 0 ? 0 : zeros) {
                guard multiply(&magnitude) else { return nil }
            }
            guard multiply(&magnitude, adding: UInt64(byte - 0x30)) else { return nil }
            zeros = 0
        }
        guard magnitude > 0 else { return JSONInteger(isNegative: isNegative, magnitude: 0) }
        var power = zeros - max(0, end - point - 1) + exponent(text[end...])
        guard power >= 0 else { return nil }
        while power > 0 {
            guard multiply(&magnitude) else { return nil }
            power -= 1
        }
        return JSONInteger(isNegative: isNegative, magnitude: magnitude)
    }

    /// False if ten times the number, and the digit, has more than 64 bits.
    private static func multiply(_ number: inout UInt64, adding digit: UInt64 = 0) -> Bool {
        let (tenfold, isOver) = number.multipliedReportingOverflow(by: 10)
        let (sum, isOverBy) = tenfold.addingReportingOverflow(digit)
        number = sum
        return !isOver && !isOverBy
    }

    /// The exponent of a numeral, from its letter on; 0 without one.
    ///
    /// One with very many digits is as good as another: no text is long enough to make up for it.
    private static func exponent(_ text: Slice<UnsafeRawBufferPointer>) -> Int {
        var digits = text.dropFirst()
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
        var exponent = 0
        for digit in digits { exponent = min(exponent * 10 + Int(digit) - 0x30, 1 << 48) }
        return isNegative ? -exponent : exponent
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
