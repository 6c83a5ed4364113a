import Synchronization

/// The slots of the readers of adjacency lists, and the era of each.
///
/// A value that was taken out of the table is freed when no reader that may have found it still
/// looks. A reader takes a slot with the present era before its first lookup, and gives it back
/// after its last one. A value that was taken out in an era is freed once every slot that is held
/// was taken in that era or later.
///
/// Readers and writers agree because all of these accesses are in one order. Either the reader took
/// its slot before the writer reads the slots, and is seen there. Or it looks into the table after
/// the value was taken out, and does not find it.
///
/// `@unchecked Sendable` because of the pointer, which never changes: all that it points to is
/// atomic.
final class EpochReaders: @unchecked Sendable {
    /// A slot, in two cache lines of its own: processors fetch them in pairs.
    struct Slot: ~Copyable {
        /// The era in which it was taken, plus 1; 0 while it is free.
        let era = Atomic<UInt64>(0)
        /// Users found and not found by those who held the slot.
        let found = Atomic<UInt64>(0)
        let notFound = Atomic<UInt64>(0)
        private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
        private let morePadding: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        private let mostPadding: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    }

    static let slotBytes = 128

    /// The memory of all slots; made in `init` and freed in `deinit`.
    private let slots: UnsafeMutablePointer<Slot>
    private let present = Atomic<UInt64>(0)

    init() {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: CoreLimits.epochReaders * MemoryLayout<Slot>.stride,
            alignment: Self.slotBytes)
        slots = memory.bindMemory(to: Slot.self, capacity: CoreLimits.epochReaders)
        for number in 0..<CoreLimits.epochReaders { (slots + number).initialize(to: Slot()) }
    }

    deinit {
        slots.deinitialize(count: CoreLimits.epochReaders)
        slots.deallocate()
    }

    /// Takes a slot; nil if all are held.
    ///
    /// Each thread tries a slot of its own first, so that mostly no two meet.
    @inline(__always)
    func enter() -> UnsafeMutablePointer<Slot>? {
        // Threads have stacks of their own, far from each other. The address is only a number here.
        var mark: UInt8 = 0
        let stack = withUnsafeMutablePointer(to: &mark) { UInt64(UInt(bitPattern: $0) >> 18) }
        var number = Int(truncatingIfNeeded: (stack &* 0x9E37_79B9_7F4A_7C15) >> 32)
        for _ in 0..<CoreLimits.epochReaders {
            number = (number &+ 1) & (CoreLimits.epochReaders - 1)
            let slot = slots + number
            let era = present.load(ordering: .sequentiallyConsistent) &+ 1
            if slot.pointee.era.load(ordering: .relaxed) == 0,
                slot.pointee.era.compareExchange(
                    expected: 0, desired: era, ordering: .sequentiallyConsistent
                ).exchanged
            {
                return slot
            }
        }
        return nil
    }

    @inline(__always)
    func exit(_ slot: UnsafeMutablePointer<Slot>) {
        slot.pointee.era.store(0, ordering: .releasing)
    }

    /// Begins a new era, after values were taken out of the table.
    ///
    /// - Returns: The new era: readers of earlier ones may have found those values.
    func advance() -> UInt64 {
        present.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    }

    /// The earliest era in which a slot was taken that is still held; `max` if none is held.
    func oldest() -> UInt64 {
        var oldest = UInt64.max
        for number in 0..<CoreLimits.epochReaders {
            let era = slots[number].era.load(ordering: .sequentiallyConsistent)
            if era > 0 { oldest = min(oldest, era - 1) }
        }
        return oldest
    }

    /// Users that were found, and users that were not.
    func counts() -> (found: UInt64, notFound: UInt64) {
        var (found, notFound): (UInt64, UInt64) = (0, 0)
        for number in 0..<CoreLimits.epochReaders {
            found &+= slots[number].found.load(ordering: .relaxed)
            notFound &+= slots[number].notFound.load(ordering: .relaxed)
        }
        return (found, notFound)
    }
}
