import Glibc

/// Cuts the bytes from a socket into frames, in one buffer that is used again and again.
struct FrameReader {
    /// A whole frame that has arrived; its payload is at `payload` of ``FrameReader/bytes``.
    struct Frame {
        let head: FrameHead
        let payload: Range<Int>
    }

    private(set) var bytes = [UInt8](repeating: 0, count: FloodLimits.inputBytes)
    private var start = 0
    private var end = 0

    /// The next whole frame, or nil if more bytes are needed.
    ///
    /// - Throws: ``FloodError`` for a frame longer than we announced.
    mutating func next() throws(FloodError) -> Frame? {
        guard end - start >= FrameHead.byteCount else { return nil }
        let length =
            Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
        guard length <= FloodLimits.frameBytes else {
            throw FloodError("the server sent a frame of \(length) bytes")
        }
        let payload = start + FrameHead.byteCount
        guard end - payload >= length else { return nil }
        let head = FrameHead(
            length: length, kind: FrameKind(code: bytes[start + 3]), flags: bytes[start + 4],
            stream: bytes.uint32(at: start + 5) & FloodLimits.lastStream)
        start = payload + length
        return Frame(head: head, payload: payload..<start)
    }

    /// Lets `read` fill the free end of the buffer; `read` returns how many bytes it wrote there.
    ///
    /// Invalidates the payloads of earlier frames.
    mutating func fill<Failure: Error>(
        _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        makeRoom()
        let used = end
        let count = try bytes.withUnsafeMutableBufferPointer { (all) throws(Failure) -> Int in
            try read(UnsafeMutableRawBufferPointer(all.extracting(used...)))
        }
        end += count
        return count
    }

    /// Whether the payload at `range` equals the part of `expected` that begins at `offset`.
    func matches(_ range: Range<Int>, _ expected: [UInt8], from offset: Int) -> Bool {
        guard offset + range.count <= expected.count else { return false }
        // Both ranges are inside their arrays: `range` belongs to a frame, and the other was just
        // checked.
        return bytes.withUnsafeBytes { got in
            expected.withUnsafeBytes { wanted in
                guard let left = got.baseAddress, let right = wanted.baseAddress else {
                    return range.isEmpty
                }
                return memcmp(left + range.lowerBound, right + offset, range.count) == 0
            }
        }
    }

    /// Moves the rest of a frame to the front if the next bytes might not fit.
    private mutating func makeRoom() {
        if start == end {
            start = 0
            end = 0
        } else if bytes.count - end < FloodLimits.frameBytes + FrameHead.byteCount {
            let rest = end - start
            let from = start
            // The two ranges may overlap, which `memmove` allows; both end before `end`.
            bytes.withUnsafeMutableBytes { all in
                if let base = all.baseAddress { memmove(base, base + from, rest) }
            }
            start = 0
            end = rest
        }
    }
}
