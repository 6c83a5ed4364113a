/// A moment, in milliseconds since 1970 UTC.
///
/// The sources count in seconds; a second is 1,000 milliseconds.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.milliseconds < other.milliseconds
    }

    /// The moment `interval` milliseconds later; negative means earlier.
    package func advanced(byMilliseconds interval: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds + interval)
    }
}
