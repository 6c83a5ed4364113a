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
