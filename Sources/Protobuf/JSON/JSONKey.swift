/// The key of a map, for the order in which entries are written.
struct JSONKey {
    /// The number, in the order of unsigned ones; 0 for a string.
    let order: UInt64
    /// The string; empty for a number.
    let bytes: [UInt8]

    static func precedes(_ one: JSONKey, _ other: JSONKey) -> Bool {
        one.order == other.order
            ? one.bytes.lexicographicallyPrecedes(other.bytes) : one.order < other.order
    }

    static func areEqual(_ one: JSONKey, _ other: JSONKey) -> Bool {
        one.order == other.order && one.bytes == other.bytes
    }

    /// The rank of a value in the order of its kind.
    static func order(_ value: UInt64, _ kind: ScalarKind) -> UInt64 {
        switch kind {
        case .int32, .int64, .sint32, .sint64, .sfixed32, .sfixed64: value ^ 1 << 63
        default: value
        }
    }

    /// A key that was just written.
    struct Span {
        let order: UInt64
        /// Where the string is in the output.
        let start: Int
        let count: Int

        func moved(by distance: Int) -> Span {
            Span(order: order, start: start + distance, count: count)
        }
    }

    /// Whether the second key sorts after the first one.
    static func ascends(_ one: Span, _ other: Span, _ sink: JSONSink) -> Bool {
        guard one.order == other.order else { return one.order < other.order }
        let start = sink.bytes(from: 0).start
        return JSONBytes.precedes(
            JSONBytes(start: start + one.start, count: one.count),
            JSONBytes(start: start + other.start, count: other.count))
    }
}
