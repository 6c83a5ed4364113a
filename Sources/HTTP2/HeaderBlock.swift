import Glibc

/// One field of a header block: views into the block that it came from.
package struct HeaderField {
    package let name: UnsafeRawBufferPointer
    package let value: UnsafeRawBufferPointer

    package init(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        self.name = name
        self.value = value
    }
}

/// A list of header fields as raw bytes, in the order received or to be sent.
///
/// It makes a `String` of a field only on request. It is trivial like ``ByteQueue``, and the
/// structure that holds it frees it.
package struct HeaderBlock {
    private var storage = ByteQueue()
    package private(set) var count = 0

    /// Name, value and 32 bytes for each field, as RFC 9113 counts; this includes dropped fields.
    package private(set) var listBytes = 0

    /// Bytes of memory that the block takes, whether full or empty.
    var capacity: Int { storage.capacity }

    package init() {}

    /// An empty block with memory for the fields of another, and for no more.
    init(roomFor other: HeaderBlock) {
        storage = ByteQueue(capacity: max(1, other.storage.count))
    }

    /// Bytes in front of a field: the lengths of its name and of its value.
    private static let prefixBytes = 8

    /// Marks a value that no compression table may keep, because it differs in every call.
    private static let transientMark: UInt32 = 1 << 31

    /// Adds a field; `transient` keeps it out of the peer's compression table.
    package mutating func append(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, transient: Bool = false
    ) {
        let length = Self.prefixBytes + name.count + value.count
        let room = storage.reserve(length)
        let mark = transient ? Self.transientMark : 0
        room.storeBytes(of: UInt32(name.count) | mark, as: UInt32.self)
        room.storeBytes(of: UInt32(value.count), toByteOffset: 4, as: UInt32.self)
        var target = room + Self.prefixBytes
        if let start = name.baseAddress { target.copyMemory(from: start, byteCount: name.count) }
        target += name.count
        if let start = value.baseAddress { target.copyMemory(from: start, byteCount: value.count) }
        storage.advance(length)
        count += 1
        listBytes += name.count + value.count + 32
    }

    /// Adds a field, whose name may have capital letters.
    package mutating func append(
        lowering name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) {
        append(name, value)
        // The field was just added, and its name has a start if it has bytes.
        let added = UnsafeMutableRawPointer(
            mutating: storage.bytes.baseAddress! + storage.count - name.count - value.count)
        for index in 0..<name.count {
            let byte = name[index]
            let isCapital = byte &- 0x41 < 26
            added.storeBytes(
                of: isCapital ? byte | 0x20 : byte, toByteOffset: index, as: UInt8.self)
        }
    }

    package mutating func append(
        _ name: StaticString, _ value: UnsafeRawBufferPointer, transient: Bool = false
    ) {
        append(name.rawBytes, value, transient: transient)
    }

    package mutating func append(_ name: StaticString, _ value: StaticString) {
        append(name.rawBytes, value.rawBytes)
    }

    package mutating func append(_ name: String, _ value: String, transient: Bool = false) {
        var (name, value) = (name, value)
        name.withUTF8 { name in
            value.withUTF8 { value in
                append(
                    UnsafeRawBufferPointer(name), UnsafeRawBufferPointer(value),
                    transient: transient)
            }
        }
    }

    /// Adds all fields of another block.
    mutating func append(_ other: HeaderBlock) {
        storage.append(other.storage.bytes)
        count += other.count
        listBytes += other.listBytes
    }

    /// Whether both have the same fields in the same order.
    func isEqual(to other: HeaderBlock) -> Bool { storage.bytes.isEqual(to: other.storage.bytes) }

    /// The fields in order; valid until the block changes.
    package func makeIterator() -> Iterator {
        Iterator(rest: storage.bytes)
    }

    /// The value of the first field called `name`.
    package func value(of name: StaticString) -> UnsafeRawBufferPointer? {
        find(name.rawBytes, in: storage.bytes)?.value
    }

    /// Whether several fields are called `name`.
    package func hasSeveral(_ name: StaticString) -> Bool {
        let name = name.rawBytes
        guard let first = find(name, in: storage.bytes) else { return false }
        return find(name, in: first.rest) != nil
    }

    /// The value of the first field called `name` in `fields`, and the fields after it.
    ///
    /// It makes no ``HeaderField`` of those before, which takes several times as long.
    private func find(
        _ name: UnsafeRawBufferPointer, in fields: UnsafeRawBufferPointer
    ) -> (value: UnsafeRawBufferPointer, rest: UnsafeRawBufferPointer)? {
        guard var next = fields.baseAddress else { return nil }
        let end = next + fields.count
        // The lengths are those with which the fields were added, so each field ends in the block.
        while next < end {
            let mark = next.loadUnaligned(as: UInt32.self)
            let nameCount = Int(mark & ~Self.transientMark)
            let valueCount = Int(next.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
            let start = next + Self.prefixBytes
            next = start + nameCount + valueCount
            guard nameCount == name.count,
                UnsafeRawBufferPointer(start: start, count: nameCount).isEqual(to: name)
            else { continue }
            return (
                UnsafeRawBufferPointer(start: start + nameCount, count: valueCount),
                UnsafeRawBufferPointer(start: next, count: end - next)
            )
        }
        return nil
    }

    /// The values of all fields called `name`, with commas between them.
    func joined(_ name: StaticString, atMost limit: Int) -> [UInt8]? {
        var fields = makeIterator()
        let name = name.rawBytes
        var joined: [UInt8]?
        while let field = fields.next() {
            guard field.name.isEqual(to: name) else { continue }
            guard (joined?.count ?? -1) + 1 + field.value.count <= limit else { return nil }
            if joined != nil { joined?.append(UInt8(ascii: ",")) }
            joined = (joined ?? []) + field.value
        }
        return joined
    }

    package mutating func reset(keeping: Int) {
        storage.reset(keeping: keeping)
        count = 0
        listBytes = 0
    }

    package mutating func free() {
        storage.free()
        count = 0
        listBytes = 0
    }

    package struct Iterator {
        fileprivate var rest: UnsafeRawBufferPointer
        private(set) var isTransient = false

        fileprivate init(rest: UnsafeRawBufferPointer) {
            self.rest = rest
        }

        package mutating func next() -> HeaderField? {
            guard rest.count > 0 else { return nil }
            let mark = rest.loadUnaligned(as: UInt32.self)
            isTransient = mark & HeaderBlock.transientMark != 0
            let nameCount = Int(mark & ~HeaderBlock.transientMark)
            let valueCount = Int(rest.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
            let start = HeaderBlock.prefixBytes
            let name = rest[start..<start + nameCount]
            let value = rest[start + nameCount..<start + nameCount + valueCount]
            rest = UnsafeRawBufferPointer(rebasing: rest[(start + nameCount + valueCount)...])
            return HeaderField(
                name: UnsafeRawBufferPointer(rebasing: name),
                value: UnsafeRawBufferPointer(rebasing: value))
        }
    }
}

extension StaticString {
    /// The bytes of the literal, which live as long as the program.
    package var rawBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes.
    package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        // `memcmp` must not get a null pointer, and an empty buffer may have one.
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }

    package func isEqual(to literal: StaticString) -> Bool {
        isEqual(to: literal.rawBytes)
    }

    package func hasPrefix(_ literal: StaticString) -> Bool {
        let prefix = literal.rawBytes
        guard count >= prefix.count, let left = baseAddress, let right = prefix.baseAddress else {
            return prefix.isEmpty
        }
        return memcmp(left, right, prefix.count) == 0
    }
}
