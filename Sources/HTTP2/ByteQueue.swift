/// Bytes that come in at one end and leave at the other, in one block of raw memory.
///
/// It is a trivial value that is copied like a pointer: the owner of the last copy calls
/// ``free()``. It lives inside pooled structures. There an array would cost a reference count and a
/// check of exclusive access for each use.
package struct ByteQueue {
    private var base: UnsafeMutableRawPointer?
    /// Bytes of memory that the queue takes, whether full or empty.
    private(set) var capacity = 0
    private var head = 0
    private var tail = 0

    package init() {}

    /// A queue with memory for just so many bytes at first.
    init(capacity: Int) {
        base = .allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
    }

    package var count: Int { tail - head }
    package var isEmpty: Bool { tail == head }

    /// The queued bytes; valid until the queue changes.
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base.map { $0 + head }, count: tail - head)
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count).copyMemory(from: source, byteCount: bytes.count)
        tail += bytes.count
    }

    /// Room for `count` bytes at the end, which ``advance(_:)`` then makes part of the queue.
    package mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if capacity - tail < count || base == nil { makeRoom(count) }
        // `makeRoom` has set `base`, or it was set before.
        return base! + tail
    }

    package mutating func advance(_ count: Int) {
        precondition(count <= capacity - tail)
        tail += count
    }

    package mutating func consume(_ count: Int) {
        precondition(count <= tail - head)
        head += count
        if head == tail {
            head = 0
            tail = 0
        }
    }

    /// Gives the memory back if nothing is queued and it holds more than `keeping` bytes.
    ///
    /// - Returns: Whether it did.
    mutating func shrink(keeping: Int) -> Bool {
        guard isEmpty, capacity > keeping else { return false }
        free()
        return true
    }

    /// Empties the queue, and gives its memory back if it holds more than `keeping` bytes.
    package mutating func reset(keeping: Int) {
        if capacity > keeping { free() }
        head = 0
        tail = 0
    }

    /// Gives the memory back; the queue is empty and usable afterwards.
    package mutating func free() {
        base?.deallocate()
        base = nil
        capacity = 0
        head = 0
        tail = 0
    }

    private mutating func makeRoom(_ count: Int) {
        let used = tail - head
        // It is enough to move the bytes down if at least half of the block is free. In the long
        // run this costs less than the appends that fill it again.
        if let base, used + count <= capacity, head >= capacity / 2 {
            base.copyMemory(from: base + head, byteCount: used)
        } else {
            let grown = max(256, (used + count).nextPowerOfTwo)
            let block = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 16)
            if let base {
                block.copyMemory(from: base + head, byteCount: used)
                base.deallocate()
            }
            base = block
            capacity = grown
        }
        head = 0
        tail = used
    }
}

extension Int {
    /// The smallest power of two that is not below this number.
    fileprivate var nextPowerOfTwo: Int {
        self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
    }
}
