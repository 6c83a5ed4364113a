/// Bytes to be sent: a growable buffer that encoders append to.
///
/// It is not `Sendable`, because it belongs to the loop or the call that made it. Its state is
/// behind a pointer for the same reason as that of ``Arena``.
@usableFromInline package final class OutputBuffer {
    @usableFromInline package struct State {
        @usableFromInline package var start: UnsafeMutableRawPointer
        @usableFromInline package var count: Int
        @usableFromInline package var capacity: Int
    }

    @usableFromInline package let state: UnsafeMutablePointer<State>

    @usableFromInline package init(capacity: Int = 1024) {
        state = .allocate(capacity: 1)
        state.initialize(
            to: State(
                start: .allocate(byteCount: max(capacity, 16), alignment: 16), count: 0,
                capacity: max(capacity, 16)))
    }

    deinit {
        state.pointee.start.deallocate()
        state.deallocate()
    }

    @inlinable package var count: Int { state.pointee.count }
    @inlinable package var isEmpty: Bool { state.pointee.count == 0 }
    @inlinable package var capacity: Int { state.pointee.capacity }

    /// The bytes, valid until the next change.
    @inlinable package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: state.pointee.start, count: state.pointee.count)
    }

    /// The bytes to patch in place, valid until the next change.
    @inlinable package var mutableBytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: state.pointee.start, count: state.pointee.count)
    }

    /// The end of the bytes, with room for `count` more; valid until the next change.
    ///
    /// Bytes that are written there belong to the buffer after ``advance(_:)``.
    @inlinable package func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if count > state.pointee.capacity - state.pointee.count { grow(by: count) }
        return state.pointee.start + state.pointee.count
    }

    /// - Precondition: `count` bytes were written to the memory that ``reserve(_:)`` returned.
    @inlinable package func advance(_ count: Int) {
        precondition(
            count >= 0 && count <= state.pointee.capacity - state.pointee.count,
            "an advance stays in what was reserved")
        state.pointee.count &+= count
    }

    @inlinable package func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count).copyMemory(from: start, byteCount: bytes.count)
        advance(bytes.count)
    }

    @usableFromInline package func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Drops the bytes beyond `count`.
    @inlinable package func truncate(to count: Int) {
        precondition(count >= 0 && count <= state.pointee.count, "truncation only shortens")
        state.pointee.count = count
    }

    @usableFromInline package func removeAll(keepingCapacity: Bool = true) {
        state.pointee.count = 0
        guard !keepingCapacity else { return }
        state.pointee.start.deallocate()
        state.pointee.start = .allocate(byteCount: 16, alignment: 16)
        state.pointee.capacity = 16
    }

    @usableFromInline package func grow(by count: Int) {
        precondition(count >= 0, "a reservation is not negative")
        let capacity = max(state.pointee.count + count, 2 * state.pointee.capacity)
        let start = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        start.copyMemory(from: state.pointee.start, byteCount: state.pointee.count)
        state.pointee.start.deallocate()
        state.pointee.start = start
        state.pointee.capacity = capacity
    }
}
