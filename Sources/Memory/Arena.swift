internal import Glibc

/// The memory of one call: a bounded bump allocator, given back as a whole by ``reset()``.
///
/// A handle of one word. Its state is behind a pointer and not in the properties of a class,
/// because Swift checks exclusive access to such properties at run time, about 100 instructions for
/// each allocation. The code that makes an arena calls ``free()`` at its end.
///
/// `Sendable` is unchecked: an arena belongs to one call, which is on one thread at a time, and it
/// moves between threads only with the call.
@usableFromInline package struct Arena: @unchecked Sendable {
    @usableFromInline package struct State {
        @usableFromInline var next: UnsafeMutableRawPointer
        @usableFromInline let end: UnsafeMutableRawPointer
        let base: UnsafeMutableRawPointer
    }

    /// A position to return to with ``Arena/rewind(to:)``.
    @usableFromInline package struct Mark: Sendable {
        fileprivate let used: Int
    }

    @usableFromInline package let state: UnsafeMutablePointer<State>

    /// Reserves `capacity` bytes of address space; the system gives memory when it is used.
    ///
    /// - Precondition: `capacity` is positive, and the system has the address space.
    @usableFromInline package init(capacity: Int) {
        precondition(capacity > 0, "an arena has room")
        let size = (capacity + 4095) & ~4095
        let base = mmap(
            nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let base, base != MAP_FAILED else {
            preconditionFailure("no address space for an arena of \(size) bytes")
        }
        state = .allocate(capacity: 1)
        state.initialize(to: State(next: base, end: base + size, base: base))
    }

    /// The arena whose state this is: C keeps the state and no arena.
    @inlinable package init(state: UnsafeMutablePointer<State>) {
        self.state = state
    }

    /// Gives the memory back to the system; the arena and all views into it are then invalid.
    @usableFromInline package func free() {
        munmap(state.pointee.base, state.pointee.end - state.pointee.base)
        state.deallocate()
    }

    /// Calls `body` with an arena that is freed when `body` ends.
    @usableFromInline package static func temporary<R, E: Error>(
        capacity: Int, _ body: (Arena) throws(E) -> R
    ) throws(E) -> R {
        let arena = Arena(capacity: capacity)
        defer { arena.free() }
        return try body(arena)
    }

    @usableFromInline package var usedBytes: Int { state.pointee.next - state.pointee.base }

    @usableFromInline package var capacity: Int { state.pointee.end - state.pointee.base }

    /// Uninitialised memory, aligned for every slot; nil when the arena is full.
    @inlinable @inline(__always)
    package func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        let next = state.pointee.next
        guard count >= 0, count <= state.pointee.end - next else { return nil }
        // The end is aligned, so rounding up does not go beyond it.
        state.pointee.next = next + ((count &+ 7) & ~7)
        return next
    }

    @inlinable @inline(__always)
    package func allocateZeroed(_ count: Int) -> UnsafeMutableRawPointer? {
        guard let room = allocate(count) else { return nil }
        room.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        return room
    }

    /// A copy of `bytes`; nil when the arena is full.
    @inlinable package func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let start = bytes.baseAddress, bytes.count > 0 else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        guard let room = allocate(bytes.count) else { return nil }
        room.copyMemory(from: start, byteCount: bytes.count)
        return UnsafeRawBufferPointer(start: room, count: bytes.count)
    }

    /// A view of a copy of `string`; nil when the arena is full.
    @inlinable package func text(_ string: String) -> Text? {
        var string = string
        return string.withUTF8 { copy(UnsafeRawBufferPointer($0)) }.map { Text(borrowing: $0) }
    }

    @usableFromInline package func mark() -> Mark { Mark(used: usedBytes) }

    /// Gives back the memory that was taken since `mark`; views into it are then invalid.
    @usableFromInline package func rewind(to mark: Mark) {
        precondition(mark.used <= usedBytes, "a mark above what is used is of another call")
        overwrite(from: mark.used)
        state.pointee.next = state.pointee.base + mark.used
    }

    /// Gives back all memory; every view into the arena is then invalid.
    @usableFromInline package func reset() {
        let used = usedBytes
        overwrite(from: 0)
        if used > MemoryLimits.arenaKeptBytes {
            madvise(
                state.pointee.base + MemoryLimits.arenaKeptBytes,
                used - MemoryLimits.arenaKeptBytes, MADV_DONTNEED)
        }
        state.pointee.next = state.pointee.base
    }

    /// In debug builds, makes a view that outlived its call visible: no valid text has the byte
    /// 0xDB.
    private func overwrite(from mark: Int) {
        #if DEBUG
            memset(state.pointee.base + mark, 0xDB, usedBytes - mark)
        #endif
    }
}
