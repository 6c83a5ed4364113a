import Synchronization

/// The accounts in use: a hash table that any number of threads reads without a lock while one
/// writes.
///
/// It is split into parts, each an array of places that grows by itself. So no writer ever moves
/// the whole table. A place is the address of an adjacency list and some bits of its hash. Writers
/// hold the lock of ``AdjacencyCache``.
///
/// `@unchecked Sendable` because of the pointer, which never changes: all behind it is atomic.
final class AdjacencyTable: @unchecked Sendable {
    /// A place of the table; the first place of each array is its head.
    struct Place: ~Copyable {
        /// The address of an adjacency list, or one of the values below; in a head, the mask of the
        /// array.
        let address = Atomic<UInt>(0)
        let tag = Atomic<UInt32>(0)
        /// 1 after a reader has found the adjacency list.
        let isUsed = Atomic<UInt32>(0)

        static let free: UInt = 0
        /// An adjacency list was here: those behind it are still looked for.
        static let left: UInt = 1
    }

    typealias Places = UnsafeMutablePointer<Place>

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
            for place in Self.places(of: array) {
                if let list = Self.list(at: array + place) { list.free() }
            }
            Self.free(array)
        }
        parts.deinitialize(count: partCount)
        parts.deallocate()
    }

    @inline(__always)
    func part(of place: UInt64) -> Int { look.part(of: place) }

    /// The array of a part, nil if it has none yet.
    @inline(__always)
    func array(_ part: Int) -> Places? { look.array(part) }

    /// The table as a value, so that a reader counts no references.
    @inline(__always)
    var look: Look { Look(parts: parts, mask: partCount &- 1) }

    /// A look at the table; it is valid as long as the table is.
    struct Look {
        fileprivate let parts: UnsafeMutablePointer<Atomic<UInt>>
        fileprivate let mask: Int

        @inline(__always)
        func part(of place: UInt64) -> Int { Int(truncatingIfNeeded: place >> 40) & mask }

        @inline(__always)
        func array(_ part: Int) -> Places? {
            // The address is that of an array which `makeArray` made. A reader holds its place
            // before it comes here, and that keeps the array.
            Places(bitPattern: parts[part].load(ordering: .sequentiallyConsistent))
        }
    }

    /// The adjacency list at a place, as a writer sees it.
    static func list(at place: Places) -> AdjacencyList? {
        let address = place.pointee.address.load(ordering: .relaxed)
        guard address > Place.left, let base = UnsafeMutableRawPointer(bitPattern: address) else {
            return nil
        }
        return AdjacencyList(base)
    }

    static func mask(of array: Places) -> Int {
        Int(bitPattern: array.pointee.address.load(ordering: .relaxed))
    }

    /// The numbers of an array's places.
    static func places(of array: Places) -> ClosedRange<Int> { 1...mask(of: array) + 1 }

    /// An array of `count` free places, which is a power of two.
    static func makeArray(_ count: Int) -> Places {
        let array = Places.allocate(capacity: count + 1)
        for number in 0...count { (array + number).initialize(to: Place()) }
        array.pointee.address.store(UInt(bitPattern: count - 1), ordering: .relaxed)
        return array
    }

    static func free(_ array: Places) {
        array.deinitialize(count: mask(of: array) + 2)
        array.deallocate()
    }

    /// The bytes of an array of `count` places.
    static func bytes(_ count: Int) -> Int { (count + 1) * MemoryLayout<Place>.stride }
}
