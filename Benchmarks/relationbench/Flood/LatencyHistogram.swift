/// Counts durations in buckets that are exact to about 1.6 %, in constant memory and time.
///
/// A value below 64 ns has a bucket of its own; above, every power of two has 64 buckets.
struct LatencyHistogram {
    private static let stepBits = 6
    private static let steps = 1 << stepBits

    private var counts = [Int](repeating: 0, count: (64 - stepBits + 1) * steps)
    private(set) var total = 0
    private(set) var highestNanoseconds: UInt64 = 0

    mutating func add(nanoseconds: UInt64) {
        counts[Self.bucket(of: nanoseconds)] += 1
        total += 1
        highestNanoseconds = max(highestNanoseconds, nanoseconds)
    }

    /// The duration that `share` (0 to 1) of the values do not exceed, exact to a bucket's width;
    /// zero if nothing was counted.
    func percentile(_ share: Double) -> Duration {
        let wanted = max(1, Int((share * Double(total)).rounded(.up)))
        var seen = 0
        for (bucket, count) in counts.enumerated() {
            seen += count
            if count > 0, seen >= wanted {
                return .nanoseconds(Int64(min(Self.upperBound(of: bucket), highestNanoseconds)))
            }
        }
        return .zero
    }

    private static func bucket(of value: UInt64) -> Int {
        guard value >= UInt64(steps) else { return Int(value) }
        let shift = 63 - value.leadingZeroBitCount - stepBits
        return (shift + 1) * steps + Int(value >> UInt64(shift)) - steps
    }

    private static func upperBound(of bucket: Int) -> UInt64 {
        guard bucket >= steps else { return UInt64(bucket) }
        let shift = UInt64(bucket / steps - 1)
        let step = UInt64(bucket % steps + steps)
        return step << shift + (1 << shift - 1)
    }
}
