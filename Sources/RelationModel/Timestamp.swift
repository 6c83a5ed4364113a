/// A moment, in milliseconds since 1970 UTC.
///
/// The sources count in seconds; a second is 1,000 milliseconds.
public struct Timestamp: Hashable, Comparable, Sendable {
    public var milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    public static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.milliseconds < other.milliseconds
    }

    /// The moment `interval` milliseconds later; negative means earlier.
    public func advanced(byMilliseconds interval: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds + interval)
    }
}
