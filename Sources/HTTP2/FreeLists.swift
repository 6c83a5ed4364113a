import CNghttp2

/// Memory for nghttp2: small blocks that were freed are given out again.
///
/// nghttp2 takes and frees half a dozen blocks for each stream. Their sizes are few, so a list for
/// each size finds one in a few instructions, where the system's allocator takes a hundred. The
/// largest block of a session comes from ``FramePages``.
///
/// - Important: It belongs to one event loop, and must outlive the sessions that use it.
final class FreeLists {
    /// The word before each block has its class, and is the link of a block that is free.
    private static let headerBytes = 16
    private static let step = 16
    /// Blocks up to half a kilobyte are kept.
    private static let classes = 32
    private static let largeClass = UInt(classes)
    private static let frameClass = UInt(classes + 1)
    private static let annexClass = UInt(classes + 2)

    private typealias Block = UnsafeMutableRawPointer

    struct Lists {
        /// The first free block of each class.
        fileprivate var first: UnsafeMutablePointer<UnsafeMutableRawPointer?>
        fileprivate var freeBytes = 0
        fileprivate var pages = FramePages()
    }

    private let lists: UnsafeMutablePointer<Lists>

    /// The table of functions that a session gets.
    let table: UnsafeMutablePointer<nghttp2_mem>

    init() {
        lists = .allocate(capacity: 1)
        let first = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: Self.classes)
        first.initialize(repeating: nil, count: Self.classes)
        lists.initialize(to: Lists(first: first))
        table = .allocate(capacity: 1)
        table.initialize(
            to: nghttp2_mem(
                mem_user_data: lists,
                malloc: { size, lists in FreeLists.allocate(size, FreeLists.from(lists)) },
                free: { block, lists in FreeLists.free(block, FreeLists.from(lists)) },
                calloc: { count, size, lists in
                    FreeLists.allocateZeroed(count, size, FreeLists.from(lists))
                },
                realloc: { block, size, lists in
                    FreeLists.resize(block, size, FreeLists.from(lists))
                }))
    }

    /// The bytes of the blocks that are kept.
    var freeBytes: Int { lists.pointee.freeBytes }
    /// The blocks of ``FramePages`` that there are.
    var framePages: Int { lists.pointee.pages.count }

    deinit {
        for index in 0..<Self.classes {
            while let block = Self.pop(index, lists) { block.deallocate() }
        }
        lists.pointee.first.deallocate()
        lists.deallocate()
        table.deallocate()
    }

    /// The entry from C: the table's user data is always the lists.
    private static func from(_ data: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Lists> {
        data!.assumingMemoryBound(to: Lists.self)
    }

    private static func pop(_ index: Int, _ lists: UnsafeMutablePointer<Lists>) -> Block? {
        guard let block = lists.pointee.first[index] else { return nil }
        lists.pointee.first[index] = block.load(fromByteOffset: 8, as: Block?.self)
        lists.pointee.freeBytes &-= (index + 1) * step
        return block
    }

    private static func allocate(_ size: Int, _ lists: UnsafeMutablePointer<Lists>) -> Block? {
        let index = size == 0 ? 0 : (size &- 1) / step
        guard index < classes else { return allocateLarge(size, lists) }
        let block =
            pop(index, lists)
            ?? Block.allocate(byteCount: (index + 1) * step + headerBytes, alignment: 16)
        block.storeBytes(of: UInt(index), as: UInt.self)
        return block + headerBytes
    }

    private static func allocateLarge(
        _ size: Int, _ lists: UnsafeMutablePointer<Lists>
    ) -> Block? {
        guard size >= 0, size <= .max - headerBytes else { return nil }
        let block: Block
        var room = size
        if FramePages.frameSizes.contains(size) {
            block = lists.pointee.pages.allocateFrame()
            block.storeBytes(of: frameClass, as: UInt.self)
            room = FramePages.frameSizes.upperBound
        } else if FramePages.annexSizes.contains(size),
            let annex = lists.pointee.pages.allocateAnnex()
        {
            block = annex
            block.storeBytes(of: annexClass, as: UInt.self)
            room = FramePages.annexSizes.upperBound
        } else {
            block = .allocate(byteCount: size + headerBytes, alignment: 16)
            block.storeBytes(of: largeClass, as: UInt.self)
        }
        block.storeBytes(of: room, toByteOffset: 8, as: Int.self)
        return block + headerBytes
    }

    private static func freeLarge(
        _ block: Block, _ index: UInt, _ lists: UnsafeMutablePointer<Lists>
    ) {
        switch index {
        case frameClass: lists.pointee.pages.free(frame: block)
        case annexClass: lists.pointee.pages.free(annex: block)
        default: block.deallocate()
        }
    }

    private static func free(_ memory: Block?, _ lists: UnsafeMutablePointer<Lists>) {
        guard let memory else { return }
        let block = memory - headerBytes
        let index = block.load(as: UInt.self)
        guard index < largeClass else { return freeLarge(block, index, lists) }
        let bytes = (Int(index) + 1) * step
        guard lists.pointee.freeBytes + bytes <= SessionLimits.freeBlockBytes else {
            return block.deallocate()
        }
        block.storeBytes(of: lists.pointee.first[Int(index)], toByteOffset: 8, as: Block?.self)
        lists.pointee.first[Int(index)] = block
        lists.pointee.freeBytes += bytes
    }

    private static func allocateZeroed(
        _ count: Int, _ size: Int, _ lists: UnsafeMutablePointer<Lists>
    ) -> Block? {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
        guard !overflow, let memory = allocate(bytes, lists) else { return nil }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        return memory
    }

    private static func resize(
        _ memory: Block?, _ size: Int, _ lists: UnsafeMutablePointer<Lists>
    ) -> Block? {
        guard let memory else { return allocate(size, lists) }
        guard size > 0 else {
            free(memory, lists)
            return nil
        }
        let block = memory - headerBytes
        let index = block.load(as: UInt.self)
        let room =
            index < largeClass
            ? (Int(index) + 1) * step : block.load(fromByteOffset: 8, as: Int.self)
        // Memory of the system may be given back when less of it is needed.
        if index != largeClass, size <= room { return memory }
        guard let moved = allocate(size, lists) else { return nil }
        moved.copyMemory(from: memory, byteCount: min(room, size))
        free(memory, lists)
        return moved
    }
}
