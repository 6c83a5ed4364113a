package import Synchronization

/// Numbers that one thread changes and any thread reads, without a lock.
///
/// A change is a plain load, an addition and a store: only one thread at a time may make changes.
/// A reader sees each number whole, and numbers that belong together may be apart by the change
/// that is being made. The memory shares no cache line with anything else.
///
/// `@unchecked Sendable`: the pointer never changes, and all behind it is atomic.
package final class MeterCells: @unchecked Sendable {
    /// Allocated in `init` and freed in `deinit`; every index below is checked in debug builds.
    @usableFromInline let cells: UnsafeMutablePointer<Atomic<UInt64>>
    package let count: Int

    /// The memory of the cells, for an owner that adds to them in each call: to call
    /// ``add(_:to:)`` from another module costs more than the addition.
    ///
    /// It lives as long as this object.
    package var memory: UnsafeMutablePointer<Atomic<UInt64>> { cells }

    /// Makes cells that are all 0.
    package init(count: Int) {
        let lines =
            (count * MemoryLayout<UInt64>.stride + MeterLimits.lineBytes - 1)
            / MeterLimits.lineBytes
        let bytes = max(1, lines) * MeterLimits.lineBytes
        self.count = bytes / MemoryLayout<UInt64>.stride
        // The memory is new, and bound here for the whole of its life.
        cells = UnsafeMutableRawPointer.allocate(
            byteCount: bytes, alignment: MeterLimits.lineBytes
        ).bindMemory(to: Atomic<UInt64>.self, capacity: self.count)
        for index in 0..<self.count { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: count)
        cells.deallocate()
    }

    /// Adds to a number; only the thread that owns the cells may.
    @inlinable @inline(__always)
    package func add(_ amount: UInt64, to index: Int) {
        assert(index >= 0 && index < count)
        let value = cells[index].load(ordering: .relaxed)
        cells[index].store(value &+ amount, ordering: .relaxed)
    }

    /// Replaces a number; only the thread that owns the cells may.
    @inlinable @inline(__always)
    package func set(_ index: Int, to value: UInt64) {
        assert(index >= 0 && index < count)
        cells[index].store(value, ordering: .relaxed)
    }

    @inlinable @inline(__always)
    package func value(of index: Int) -> UInt64 {
        assert(index >= 0 && index < count)
        return cells[index].load(ordering: .relaxed)
    }
}
