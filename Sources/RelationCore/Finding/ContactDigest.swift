package import RelationModel
package import Storage

/// The digest of a phone number or a mail address: the row key of the app's index of contacts.
package struct ContactDigest: RowKey, Hashable, Sendable {
    package let kind: ContactKind
    /// ``Limits/contactDigestBytes`` bytes, which the app has computed.
    package let bytes: [UInt8]

    package init(_ kind: ContactKind, _ bytes: [UInt8]) {
        (self.kind, self.bytes) = (kind, bytes)
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1 else { return nil }
        kind = ContactKind(rawValue: Int32(bytes[0]))
        self.bytes = Array(bytes[1...])
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: kind.rawValue))
        bytes.append(contentsOf: self.bytes)
    }
}

extension App {
    /// The users by the digests of their contacts.
    package var contacts: Partition { Partition(app: id, name: [0x1F]) }
}
