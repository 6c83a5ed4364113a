/// How often values of each size came, kept in cells.
///
/// The one thread that owns the cells records, and any thread reads.
package struct MeterHistogram: Sendable {
    @usableFromInline let cells: MeterCells
    @usableFromInline let first: Int
    package let scale: MeterScale

    /// - Parameter first: The first of the ``MeterScale/cellCount`` cells that it takes.
    package init(_ scale: MeterScale, in cells: MeterCells, at first: Int) {
        self.scale = scale
        self.cells = cells
        self.first = first
    }

    /// A histogram with cells of its own.
    package init(_ scale: MeterScale) {
        self.init(scale, in: MeterCells(count: scale.cellCount), at: 0)
    }

    @inlinable @inline(__always)
    package func record(_ value: UInt64) {
        cells.add(1, to: first &+ scale.bucket(of: value))
        cells.add(value, to: first &+ scale.bucketCount)
    }

    package var reading: HistogramReading {
        HistogramReading(
            scale, counts: (0..<scale.bucketCount).map { cells.value(of: first + $0) },
            sum: cells.value(of: first + scale.bucketCount))
    }
}

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
