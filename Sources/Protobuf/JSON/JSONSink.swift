import Memory

/// The end of an ``OutputBuffer``, held in a value so that each byte costs one store.
///
/// The bytes belong to the buffer after ``flush()``.
struct JSONSink {
    private let buffer: OutputBuffer
    private(set) var base: UnsafeMutableRawPointer
    var next: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer

    init(_ buffer: OutputBuffer) {
        self.buffer = buffer
        base = buffer.state.pointee.start
        next = base + buffer.state.pointee.count
        end = base + buffer.state.pointee.capacity
    }

    /// Bytes in the buffer and here.
    @inline(__always) var offset: Int { next - base }

    func flush() { buffer.state.pointee.count = offset }

    /// Makes room for `count` bytes.
    @inline(__always) mutating func room(_ count: Int) {
        if end - next < count { grow(count) }
    }

    @inline(never) private mutating func grow(_ count: Int) {
        flush()
        buffer.grow(by: count)
        base = buffer.state.pointee.start
        next = base + buffer.state.pointee.count
        end = base + buffer.state.pointee.capacity
    }

    mutating func truncate(to offset: Int) { next = base + offset }

    /// The bytes from `offset` on, valid until the next change.
    func bytes(from offset: Int) -> JSONBytes {
        let start = (base + offset).assumingMemoryBound(to: UInt8.self)
        return JSONBytes(start: UnsafePointer(start), count: self.offset - offset)
    }

    @inline(__always) mutating func append(_ byte: UInt8) {
        room(1)
        next.storeBytes(of: byte, as: UInt8.self)
        next += 1
    }

    @inline(__always) mutating func append(_ bytes: JSONBytes) {
        room(bytes.count)
        ShortCopy.copy(UnsafeRawPointer(bytes.start), bytes.count, to: next)
        next += bytes.count
    }

    /// Bytes that may be many.
    mutating func append(long bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        room(bytes.count)
        next.copyMemory(from: start, byteCount: bytes.count)
        next += bytes.count
    }

    mutating func append(_ literal: StaticString) {
        append(JSONBytes(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    mutating func append(_ text: String) {
        for byte in text.utf8 { append(byte) }
    }

    /// A number of protobuf's format.
    @inline(__always) mutating func varint(_ value: UInt64) {
        room(10)
        next = Self.write(value, to: next)
    }

    @inline(__always) private static func write(
        _ value: UInt64, to room: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        var (next, rest) = (room, value)
        while rest >= 0x80 {
            next.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
            next += 1
            rest >>= 7
        }
        next.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        return next + 1
    }

    @inline(__always) mutating func fixed32(_ value: UInt32) {
        room(4)
        next.storeBytes(of: value.littleEndian, as: UInt32.self)
        next += 4
    }

    @inline(__always) mutating func fixed64(_ value: UInt64) {
        room(8)
        next.storeBytes(of: value.littleEndian, as: UInt64.self)
        next += 8
    }

    /// Leaves room for the length of what is put next.
    ///
    /// - Parameter bound: The most bytes that may follow, as a guess.
    /// - Returns: The width of the room, for ``close(_:_:)``.
    @inline(__always) mutating func open(bound: Int) -> Int {
        // Most messages are short. A long text may hold long messages, each of which would be moved
        // once for each message around it.
        let width = bound < 16_384 ? 1 : Self.width(bound)
        room(width)
        next += width
        return width
    }

    /// Writes the length of what was put after `start`, where the room for it begins.
    @inline(__always) mutating func close(_ start: Int, _ width: Int) {
        let count = offset &- start &- width
        if width == 1, count < 0x80 {
            base.storeBytes(
                of: UInt8(truncatingIfNeeded: count), toByteOffset: start, as: UInt8.self)
        } else {
            moveAndClose(start, width, count)
        }
    }

    @inline(never) private mutating func moveAndClose(_ start: Int, _ width: Int, _ count: Int) {
        let needed = Self.width(count)
        if needed > width { room(needed - width) }
        if needed != width {
            (base + start + needed).copyMemory(from: base + start + width, byteCount: count)
            next += needed - width
        }
        _ = Self.write(UInt64(count), to: base + start)
    }

    /// Bytes of a length.
    private static func width(_ count: Int) -> Int { (70 - (count | 1).leadingZeroBitCount) / 7 }
}

extension JSONSink {
    /// A number in decimal digits.
    @inline(__always) mutating func decimal(_ value: UInt64) {
        guard value >= 10 else { return append(UInt8(truncatingIfNeeded: value) | 0x30) }
        longDecimal(value)
    }

    @inline(__always) mutating func decimal(_ value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        decimal(value.magnitude)
    }

    private mutating func longDecimal(_ value: UInt64) {
        room(20)
        var (count, left) = (0, value)
        while left > 0 {
            count &+= 1
            left /= 10
        }
        var (rest, at) = (value, next + count)
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            at -= 1
            at.storeBytes(of: UInt8(truncatingIfNeeded: digit) | 0x30, as: UInt8.self)
            rest = quotient
        } while rest > 0
        next += count
    }

    /// A number with zeros before it.
    mutating func padded(_ value: UInt64, _ width: Int) {
        room(width)
        var (rest, at) = (value, next + width)
        for _ in 0..<width {
            at -= 1
            at.storeBytes(of: UInt8(truncatingIfNeeded: rest % 10) | 0x30, as: UInt8.self)
            rest /= 10
        }
        next += width
    }
}
