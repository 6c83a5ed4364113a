/// The part of the key space that one transaction locks as a whole: one user of one app, or one
/// shared set of rows of an app.
///
/// Its bytes are the app in four bytes, most significant first, then the name, then a zero byte.
/// Names hold no zero byte, so no partition is a prefix of another.
package struct Partition: Hashable, Comparable, Sendable {
    package let bytes: [UInt8]

    package init(app: UInt32, name: some Collection<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.count + 5)
        bytes.append(bigEndian: app)
        bytes.append(contentsOf: name)
        bytes.append(0)
        self.bytes = bytes
    }

    /// The partition of a name that is text.
    ///
    /// A generic name costs four times as much, and every key begins here.
    package init(app: UInt32, name: String.UTF8View) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.count + 5)
        bytes.append(app: app, name: name)
        self.bytes = bytes
    }

    /// - Precondition: The bytes are those of a partition.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    package static func < (one: Partition, other: Partition) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}
