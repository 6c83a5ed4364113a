/// The upper ends of the buckets of a histogram, in rising order.
///
/// `@unchecked Sendable`: the memory is written in `init` and never again.
package struct MeterScale: @unchecked Sendable {
    /// Never freed: scales are made once for the whole process.
    @usableFromInline let ends: UnsafePointer<UInt64>
    @usableFromInline let endCount: Int
    /// For each number of bits that a value may have, the first bucket for such values; never freed
    /// either.
    @usableFromInline let starts: UnsafePointer<Int>

    /// - Parameter ends: The ends in rising order; a further bucket takes what is above all.
    package init(_ ends: [UInt64]) {
        precondition(zip(ends, ends.dropFirst()).allSatisfy { $0 < $1 }, "the ends do not rise")
        // The memory is filled at once, and as long as it is allocated.
        let memory = UnsafeMutablePointer<UInt64>.allocate(capacity: max(1, ends.count))
        for (index, end) in ends.enumerated() { (memory + index).initialize(to: end) }
        self.ends = UnsafePointer(memory)
        endCount = ends.count
        let starts = UnsafeMutablePointer<Int>.allocate(capacity: UInt64.bitWidth + 1)
        for bits in 0...UInt64.bitWidth {
            let least: UInt64 = bits == 0 ? 0 : 1 << UInt64(bits - 1)
            let start = ends.firstIndex { $0 >= least } ?? ends.count
            (starts + bits).initialize(to: start)
        }
        self.starts = UnsafePointer(starts)
    }

    /// Buckets, with the one that takes what is above all ends.
    @inlinable package var bucketCount: Int { endCount + 1 }

    /// The cells that a histogram takes: its buckets, and the sum of all values.
    @inlinable package var cellCount: Int { endCount + 2 }

    package var upperEnds: [UInt64] { (0..<endCount).map { ends[$0] } }

    /// The bucket of a value.
    ///
    /// The search begins at the first bucket for values of so many bits, so it takes a step or two
    /// whatever the value.
    @inlinable @inline(__always)
    package func bucket(of value: UInt64) -> Int {
        // The number of bits is at most 64, which is the last index.
        var bucket = starts[UInt64.bitWidth &- value.leadingZeroBitCount]
        // The index stays below the number of ends.
        while bucket < endCount, ends[bucket] < value { bucket &+= 1 }
        return bucket
    }
}

extension MeterScale {
    /// How long something takes, in nanoseconds: from 50 microseconds to 10 seconds.
    ///
    /// A check from memory takes less than 50 µs, and a read of rows less than 250 µs. A write
    /// takes as long as its sync: from 250 µs on a fast device to 25 ms on a slow one. Beyond that
    /// a call waits, and the steps may be longer. The longest usual deadline is 10 s.
    package static let latency = MeterScale(
        [
            50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000,
            500_000, 1_000_000, 2_500_000, 10_000_000,
        ].map { $0 * 1_000 })

    /// How long something takes, in nanoseconds and in few steps, where many count it apart.
    ///
    /// Their ends are ends of ``latency`` too: from memory, a write on a fast device, a slow call,
    /// a call that a person notices.
    package static let latencyClasses = MeterScale([1, 10, 100, 1_000].map { $0 * 1_000_000 })

    /// How many operations share a transaction.
    package static let batch = MeterScale([1, 2, 4, 8, 16, 32, 64])
}
