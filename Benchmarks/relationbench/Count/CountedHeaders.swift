import GRPCWire

/// The fields that differ among the headers of counted calls, and how a client writes them.
enum CountedHeaders: Equatable {
    /// Each call has the same headers.
    case repeated
    /// Each call has a `traceparent` of its own with these flags, which no table keeps.
    case traced(flags: UInt8)
    /// Each call has a `traceparent` and a `grpc-timeout` of its own, which no table keeps.
    case fresh
    /// The same, but packed and added to the table, as grpc-go does with every field.
    case added

    /// Whether each call has a time of its own.
    var differInTime: Bool { self == .fresh || self == .added }

    /// The fields of a call, by its number.
    func fields(_ number: Int) -> [(name: String, value: String)] {
        switch self {
        case .repeated: []
        case .traced(let flags): [Self.trace(number, flags)]
        case .fresh, .added:
            [("grpc-timeout", "\(4_990_000 + number)u"), Self.trace(number, 0)]
        }
    }

    private static func trace(_ number: Int, _ flags: UInt8) -> (name: String, value: String) {
        let number = UInt64(2 * number + 1)
        let trace = TraceParent(high: number, low: number, spanID: number, flags: flags)
        return ("traceparent", trace.text)
    }
}
