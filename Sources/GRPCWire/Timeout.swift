package import NIOCore

/// The grammar of `grpc-timeout`: one to eight digits and a unit.
package enum Timeout {
    /// The time that a field's value allows, or nil if the value is malformed.
    ///
    /// The longest time (99,999,999 hours) has more nanoseconds than fit in 64 bits. Such times
    /// become the longest that fits.
    package static func parse(_ value: UnsafeRawBufferPointer) -> TimeAmount? {
        guard value.count >= 2, value.count <= 9 else { return nil }
        var number: Int64 = 0
        // Eight digits at most, so nothing overflows.
        for index in 0..<value.count &- 1 {
            let digit = value[index] &- 0x30
            guard digit <= 9 else { return nil }
            number = number &* 10 &+ Int64(digit)
        }
        let nanoseconds: Int64
        switch value[value.count &- 1] {
        case UInt8(ascii: "n"): nanoseconds = 1
        case UInt8(ascii: "u"): nanoseconds = 1_000
        case UInt8(ascii: "m"): nanoseconds = 1_000_000
        case UInt8(ascii: "S"): nanoseconds = 1_000_000_000
        case UInt8(ascii: "M"): nanoseconds = 60_000_000_000
        case UInt8(ascii: "H"): nanoseconds = 3_600_000_000_000
        default: return nil
        }
        let (product, overflow) = number.multipliedReportingOverflow(by: nanoseconds)
        return .nanoseconds(overflow ? .max : product)
    }

    /// The field's value for `amount`, rounded up to a number of at most eight digits.
    package static func format(_ amount: TimeAmount) -> String {
        let nanoseconds = max(1, amount.nanoseconds)
        let units: [(String, Int64)] = [
            ("n", 1), ("u", 1_000), ("m", 1_000_000), ("S", 1_000_000_000),
            ("M", 60_000_000_000), ("H", 3_600_000_000_000),
        ]
        for (unit, length) in units {
            let (quotient, rest) = nanoseconds.quotientAndRemainder(dividingBy: length)
            let count = quotient + (rest > 0 ? 1 : 0)
            if count <= 99_999_999 { return "\(count)\(unit)" }
        }
        return "99999999H"
    }
}
