import Synchronization

/// The accounts in use: a hash table that any number of threads reads without a lock while one
/// writes.
///
/// It is split into parts, each an array of slots that grows by itself. So no writer ever moves the
/// whole table. A slot is the address of an adjacency list and some bits of its hash. Writers hold
/// the lock of ``AdjacencyCache``.
///
/// `@unchecked Sendable` because of the pointer, which never changes: all that it points to is
/// atomic.
final class AdjacencyTable: @unchecked Sendable {
    /// A slot of the table; the first slot of each array is its header.
    struct Slot: ~Copyable {
        /// The address of an adjacency list, or one of the values below; in a header, the mask of
        /// the array.
        let address = Atomic<UInt>(0)
        let tag = Atomic<UInt32>(0)
        /// 1 after a reader has found the adjacency list.
        let isUsed = Atomic<UInt32>(0)

        static let free: UInt = 0
        /// An adjacency list was here: those after it are still looked for.
        static let left: UInt = 1
    }

    typealias Slots = UnsafeMutablePointer<Slot>

    /// The addresses of the arrays, 0 for one that was never needed; made in `init`, freed in
    /// `deinit`.
    let parts: UnsafeMutablePointer<Atomic<UInt>>
    let partCount: Int

    /// - Parameter bytes: The memory that all adjacency lists may take.
    init(bytes: Int) {
        var count = 1
        while count < CoreLimits.adjacencyParts, count * CoreLimits.adjacencyPartBytes < bytes {
            count *= 2
        }
        partCount = count
        parts = .allocate(capacity: count)
        for number in 0..<count { (parts + number).initialize(to: Atomic(0)) }
    }

    deinit {
        for part in 0..<partCount {
            guard let array = array(part) else { continue }
            for slot in Self.slots(of: array) {
                if let list = Self.list(at: array + slot) { list.free() }
            }
            Self.free(array)
        }
        parts.deinitialize(count: partCount)
        parts.deallocate()
    }

    @inline(__always)
    func part(of slot: UInt64) -> Int { lookUp.part(of: slot) }

    /// The array of a part, nil if it has none yet.
    @inline(__always)
    func array(_ part: Int) -> Slots? { lookUp.array(part) }

    /// The table as a value, so that a reader counts no references.
    @inline(__always)
    var lookUp: Lookup { Lookup(parts: parts, mask: partCount &- 1) }

    /// A view of the table; it is valid as long as the table is.
    struct Lookup {
        fileprivate let parts: UnsafeMutablePointer<Atomic<UInt>>
        fileprivate let mask: Int

        @inline(__always)
        func part(of slot: UInt64) -> Int { Int(truncatingIfNeeded: slot >> 40) & mask }

        @inline(__always)
        func array(_ part: Int) -> Slots? {
            // The address is that of an array which `makeArray` made. A reader holds its slot
            // before it comes here, and that keeps the array.
            Slots(bitPattern: parts[part].load(ordering: .sequentiallyConsistent))
        }
    }

    /// The adjacency list in a slot, as a writer sees it.
    static func list(at slot: Slots) -> AdjacencyList? {
        let address = slot.pointee.address.load(ordering: .relaxed)
        guard address > Slot.left, let base = UnsafeMutableRawPointer(bitPattern: address) else {
            return nil
        }
        return AdjacencyList(base)
    }

    static func mask(of array: Slots) -> Int {
        Int(bitPattern: array.pointee.address.load(ordering: .relaxed))
    }

    /// The numbers of an array's slots.
    static func slots(of array: Slots) -> ClosedRange<Int> { 1...mask(of: array) + 1 }

    /// An array of `count` free slots, which is a power of two.
    static func makeArray(_ count: Int) -> Slots {
        let array = Slots.allocate(capacity: count + 1)
        for number in 0...count { (array + number).initialize(to: Slot()) }
        array.pointee.address.store(UInt(bitPattern: count - 1), ordering: .relaxed)
        return array
    }

    static func free(_ array: Slots) {
        array.deinitialize(count: mask(of: array) + 2)
        array.deallocate()
    }

    /// The bytes of an array of `count` slots.
    static func bytes(_ count: Int) -> Int { (count + 1) * MemoryLayout<Slot>.stride }
}
