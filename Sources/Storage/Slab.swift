/// Memory for many small pieces that are freed all at once.
///
/// A piece never moves.
struct Slab: ~Copyable {
    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private var used = 0

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// A copy of `bytes` that lives until ``removeAll()``.
    mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if chunks.isEmpty || chunks[chunks.count - 1].count - used < bytes.count {
            chunks.append(
                .allocate(byteCount: max(Limits.slabChunkBytes, bytes.count), alignment: 16))
            used = 0
        }
        let piece = UnsafeMutableRawBufferPointer(
            rebasing: chunks[chunks.count - 1][used..<used + bytes.count])
        piece.copyMemory(from: bytes)
        used += bytes.count
        return UnsafeRawBufferPointer(piece)
    }

    /// Frees every piece, and keeps one chunk of the usual size for later pieces.
    mutating func removeAll() {
        while let last = chunks.last, chunks.count > 1 || last.count > Limits.slabChunkBytes {
            last.deallocate()
            chunks.removeLast()
        }
        used = 0
    }
}
