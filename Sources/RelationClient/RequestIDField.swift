/// The request id in an encoded write.
///
/// Every write has its `WriteOptions` in field 2, which a test checks. A second appearance of the
/// field is merged into the first, so an id can be added after the message without decoding it.
enum RequestIDField {
    /// The random bytes of an id: with so many, no two ids are ever equal.
    static let randomBytes = 16

    /// Whether the server does the write once, or not at all, however often the request comes.
    ///
    /// So it is for a write that has an id, and for one that is only tried. False for bytes that
    /// are not a message.
    static func isOnce(_ request: [UInt8]) -> Bool {
        request.withUnsafeBytes { bytes in
            var fields = WireFields(bytes)
            var isOnce = false
            while let (number, value) = fields.next() {
                if number == 2, case .bytes(let options) = value, isMarked(options) {
                    isOnce = true
                }
            }
            return isOnce && !fields.isBroken
        }
    }

    /// Whether options have an id, or ask for a dry run.
    private static func isMarked(_ options: UnsafeRawBufferPointer) -> Bool {
        var fields = WireFields(options)
        while let (number, value) = fields.next() {
            switch (number, value) {
            case (1, .bytes(let id)) where !id.isEmpty: return true
            case (2, .number(let dryRun)) where dryRun != 0: return true
            default: break
            }
        }
        return false
    }

    /// Adds an id after an encoded write.
    static func append(to request: inout [UInt8], _ chance: ClientChance) {
        let digits = 2 * randomBytes
        request.reserveCapacity(request.count + digits + 4)
        // Field 2, which holds field 1: both are bytes.
        request += [0x12, UInt8(digits + 2), 0x0A, UInt8(digits)]
        for _ in 0..<(randomBytes / 8) {
            var number = chance.next()
            for _ in 0..<16 {
                request.append(hexDigit(UInt8(truncatingIfNeeded: number & 15)))
                number >>= 4
            }
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

/// The fields of an encoded message, one after another.
struct WireFields {
    enum Value {
        case number(UInt64)
        case bytes(UnsafeRawBufferPointer)
        /// A number of fixed length.
        case fixed
    }

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    /// Whether the bytes are not a message.
    private(set) var isBroken = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next field; nil at the end, and where the bytes are not a message.
    mutating func next() -> (number: UInt64, value: Value)? {
        guard offset < bytes.count, !isBroken, let tag = varint() else { return nil }
        switch tag & 7 {
        case 0: return varint().map { (tag >> 3, .number($0)) }
        case 1: return skipped(8).map { _ in (tag >> 3, .fixed) }
        case 2:
            guard let length = varint(), let count = Int(exactly: length) else { return broken() }
            return skipped(count).map { (tag >> 3, .bytes($0)) }
        case 5: return skipped(4).map { _ in (tag >> 3, .fixed) }
        default: return broken()
        }
    }

    private mutating func skipped(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count <= bytes.count - offset else { return broken() }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    private mutating func varint() -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 70 {
            let byte = bytes[offset]
            offset += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return broken()
    }

    private mutating func broken<T>() -> T? {
        isBroken = true
        return nil
    }
}
