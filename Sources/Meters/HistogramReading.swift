/// The state of a histogram, or of several of one scale together, at one moment.
package struct HistogramReading: Sendable {
    package let scale: MeterScale
    /// The values in each bucket alone.
    package private(set) var counts: [UInt64]
    package private(set) var sum: UInt64

    package init(_ scale: MeterScale, counts: [UInt64], sum: UInt64) {
        precondition(counts.count == scale.bucketCount, "the counts are of another scale")
        self.scale = scale
        self.counts = counts
        self.sum = sum
    }

    package init(_ scale: MeterScale) {
        self.init(scale, counts: Array(repeating: 0, count: scale.bucketCount), sum: 0)
    }

    package var count: UInt64 { counts.reduce(0, &+) }

    package mutating func add(_ other: HistogramReading) {
        for index in counts.indices { counts[index] &+= other.counts[index] }
        sum &+= other.sum
    }

    /// The upper end of the bucket below which that share of the values lies; nil without values,
    /// or if they are above all ends.
    package func upperEnd(of share: Double) -> UInt64? {
        let wanted = (Double(count) * share).rounded(.up)
        guard count > 0 else { return nil }
        var seen: UInt64 = 0
        for (index, end) in scale.upperEnds.enumerated() {
            seen &+= counts[index]
            if Double(seen) >= wanted { return end }
        }
        return nil
    }
}
