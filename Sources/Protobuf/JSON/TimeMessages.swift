// The well-known messages of time, which are strings in JSON and have bounds there.

/// `google.protobuf.Duration`.
package struct DurationMessage: CodedMessage, Hashable {
    package var seconds: Int64 = 0
    /// The fraction of a second, with the same sign as the seconds.
    package var nanos: Int32 = 0

    /// Ten thousand years, the longest duration in JSON, in either direction.
    package static let longestSeconds: Int64 = 315_576_000_000

    package init() {}

    package init(seconds: Int64, nanos: Int32 = 0) {
        self.seconds = seconds
        self.nanos = nanos
    }

    package static let schema = Schema("google.protobuf.Duration", DurationMessage.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "seconds", &seconds)
        visitor.field(2, "nanos", &nanos)
    }
}

/// `google.protobuf.Timestamp`: a time of the years 1 to 9999.
package struct TimestampMessage: CodedMessage, Hashable {
    /// Since 1970.
    package var seconds: Int64 = 0
    /// Counted forward, even before 1970.
    package var nanos: Int32 = 0

    /// From 0001-01-01 to the end of 9999-12-31, in UTC.
    package static let seconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    package init() {}

    package init(seconds: Int64, nanos: Int32 = 0) {
        self.seconds = seconds
        self.nanos = nanos
    }

    package static let schema = Schema("google.protobuf.Timestamp", TimestampMessage.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "seconds", &seconds)
        visitor.field(2, "nanos", &nanos)
    }
}
