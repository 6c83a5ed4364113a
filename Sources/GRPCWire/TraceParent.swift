/// The position of a call in a trace, as W3C's `traceparent` says it.
///
/// A text that breaks a rule of W3C's Trace Context is none: the call then has no trace of its
/// caller.
package struct TraceParent: Sendable, Hashable {
    /// The two halves of the trace's id, which is not zero.
    package let high: UInt64
    package let low: UInt64
    /// The id of the span that made the call; 0 if the trace begins with the call.
    package let spanID: UInt64
    package let flags: UInt8

    /// The length of the text in the version that this file writes.
    static let bytes = 55

    package init(high: UInt64, low: UInt64, spanID: UInt64, flags: UInt8) {
        self.high = high
        self.low = low
        self.spanID = spanID
        self.flags = flags
    }

    /// Whether the caller keeps the trace.
    package var isSampled: Bool { flags & 1 != 0 }

    /// The context of a text; nil for one that breaks a rule.
    ///
    /// A later version may have more after the four fields of this one.
    package init?(_ text: UnsafeRawBufferPointer) {
        let dash = UInt8(ascii: "-")
        guard text.count >= Self.bytes, text[2] == dash, text[35] == dash, text[52] == dash,
            let version = Self.short(text, 0), version != 0xFF,
            let high = Self.long(text, 3), let low = Self.long(text, 19), high | low != 0,
            let spanID = Self.long(text, 36), spanID != 0, let flags = Self.short(text, 53)
        else { return nil }
        if text.count > Self.bytes {
            guard version != 0, text[Self.bytes] == dash else { return nil }
        }
        // Of a later version only the first flag is known to mean the same.
        let known: UInt8 = version == 0 ? 3 : 1
        self.init(
            high: high, low: low, spanID: spanID, flags: UInt8(truncatingIfNeeded: flags) & known)
    }

    package init?(_ text: String) {
        let context = Array(text.utf8).withUnsafeBytes { TraceParent($0) }
        guard let context else { return nil }
        self = context
    }

    /// The number of sixteen hexadecimal digits.
    private static func long(_ text: UnsafeRawBufferPointer, _ start: Int) -> UInt64? {
        let high = text.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        let low = text.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
        guard let high = number(UInt64(littleEndian: high)),
            let low = number(UInt64(littleEndian: low))
        else { return nil }
        return high &<< 32 | low
    }

    /// The number of two hexadecimal digits, before which six zeros are put.
    private static func short(_ text: UnsafeRawBufferPointer, _ start: Int) -> UInt64? {
        let digits = text.loadUnaligned(fromByteOffset: start, as: UInt16.self)
        return number(UInt64(UInt16(littleEndian: digits)) &<< 48 | 0x3030_3030_3030)
    }

    /// The number of eight hexadecimal digits, of which capital ones are wrong.
    ///
    /// All are looked at together: each is a byte, and the first one is the lowest.
    private static func number(_ digits: UInt64) -> UInt64? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // The highest bit of a byte says that the digit there is at least such a character. A byte
        // that has this bit itself is refused; without it, no sum goes beyond its byte.
        let atLeast0 = digits &+ ones &* (0x80 - 0x30)
        let above9 = digits &+ ones &* (0x80 - 0x3A)
        let atLeastA = digits &+ ones &* (0x80 - 0x61)
        let aboveF = digits &+ ones &* (0x80 - 0x67)
        let good = (atLeast0 & ~above9 | atLeastA & ~aboveF) & ~digits
        guard good & (ones &<< 7) == ones &<< 7 else { return nil }
        let letters = (atLeastA &>> 7) & ones
        var number = ((digits & (ones &* 0x0F)) &+ letters &* 9).byteSwapped
        // Two digits become one byte, four become two, and eight become four.
        number = (number | number &>> 4) & 0x00FF_00FF_00FF_00FF
        number = (number | number &>> 8) & 0x0000_FFFF_0000_FFFF
        return (number | number &>> 16) & 0xFFFF_FFFF
    }

    /// The trace's id in digits, as a log and a collector show it.
    package var traceID: String { Self.digits(high, 16) + Self.digits(low, 16) }

    /// The text of `traceparent`.
    package var text: String {
        "00-\(traceID)-\(Self.digits(spanID, 16))-\(Self.digits(UInt64(flags), 2))"
    }

    private static func digits(_ number: UInt64, _ count: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: count - digits.count) + digits
    }
}

/// The text of `tracestate`: what tracing systems say of a trace to their own kind.
package enum TraceState {
    /// Whether a text is a list of W3C's form that may be passed on.
    package static func isValid(_ text: some Collection<UInt8>) -> Bool {
        guard text.count <= CallLimits.traceStateBytes else { return false }
        let members = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { trimmed($0[...]) }.filter { !$0.isEmpty }
        guard members.count <= CallLimits.traceStateMembers else { return false }
        var keys: Set<[UInt8]> = []
        for member in members {
            guard let equals = member.firstIndex(of: UInt8(ascii: "=")) else { return false }
            let key = Array(member[..<equals])
            guard isKey(key), isValue(member[member.index(after: equals)...]),
                keys.insert(key).inserted
            else { return false }
        }
        return true
    }

    private static func trimmed(_ text: some Collection<UInt8>) -> [UInt8] {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var text = Array(text.drop(while: isBlank))
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }

    /// Whether it is a name of up to 256 characters, with at most one `@` for the system's tenant.
    private static func isKey(_ key: [UInt8]) -> Bool {
        let parts = key.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard (1...256).contains(key.count), parts.count <= 2 else { return false }
        return parts.allSatisfy { part in
            guard let first = part.first, isLetter(first) || isDigit(first) else { return false }
            return part.allSatisfy { isLetter($0) || isDigit($0) || "_-*/".utf8.contains($0) }
        }
    }

    private static func isValue(_ value: some Collection<UInt8>) -> Bool {
        (1...256).contains(value.count)
            && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x2C && $0 != 0x3D }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
