import Memory

/// The part of the key space that one transaction locks as a whole: one user of one app, or one
/// shared set of rows of an app.
///
/// Its bytes are the app in four bytes, most significant first, then the name, then a zero byte.
/// Names hold no zero byte, so no partition is a prefix of another.
@usableFromInline package struct Partition: Sendable {
    @usableFromInline let app: UInt32
    /// The name, if it is text: every key begins with a partition, and a text needs no memory of
    /// its own.
    @usableFromInline let name: String
    /// The name, if it is not text.
    @usableFromInline let odd: [UInt8]?

    package init(app: UInt32, name: some Collection<UInt8>) {
        let bytes = Array(name)
        let isText = bytes.allSatisfy { $0 < 0x80 }
        self.app = app
        self.name = isText ? String(decoding: bytes, as: UTF8.self) : ""
        odd = isText ? nil : bytes
    }

    /// The partition of a name that is text.
    ///
    /// A generic name costs twenty times as much, and every key begins here.
    @inlinable package init(app: UInt32, name: String.UTF8View) {
        self.app = app
        self.name = String(name)
        odd = nil
    }

    /// - Precondition: The bytes are those of a partition.
    init(bytes: [UInt8]) {
        let app = bytes[..<4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        self.init(app: app, name: bytes[4..<bytes.count - 1])
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        append(to: &bytes)
        return bytes
    }

    /// How many bytes of a key name its partition; all of them if they are less than one.
    package static func count(in key: UnsafeRawBufferPointer) -> Int {
        // A name has no zero in it, and ends with one.
        key.dropFirst(4).firstIndex(of: 0).map { $0 + 1 } ?? key.count
    }

    /// How many bytes it has.
    package var count: Int { 5 + (odd?.count ?? name.utf8.count) }

    func append(to bytes: inout [UInt8]) {
        guard let odd else { return bytes.append(app: app, name: name.utf8) }
        bytes.append(bigEndian: app)
        bytes.append(contentsOf: odd)
        bytes.append(0)
    }
}

extension Partition: Hashable, Comparable {
    @usableFromInline package static func == (one: Partition, other: Partition) -> Bool {
        one.bytes == other.bytes
    }

    @usableFromInline package func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }

    @usableFromInline package static func < (one: Partition, other: Partition) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}
