import RelationModel
package import Storage
import Support

/// The id of an invitation: 16 bytes of the SHA-256 of its code.
///
/// So a code finds its invitation, and an id does not tell the code.
package struct InvitationID: RowKey, Hashable {
    /// The bytes of an id.
    package static let count = 16

    package let bytes: [UInt8]

    /// - Parameter digest: The SHA-256 of the code.
    package init(digest: some Sequence<UInt8>) {
        bytes = Array(digest.prefix(Self.count))
    }

    /// The id that hexadecimal digits in lower case stand for; nil for any other text.
    package init?(_ text: String) {
        guard let bytes = [UInt8](hexadecimal: text), bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = Array(bytes)
    }

    /// Whether `text` has the form of a code: random bytes as hexadecimal digits in lower case.
    package static func isCode(_ text: String) -> Bool {
        [UInt8](hexadecimal: text)?.count == Limits.invitationCodeBytes
    }

    package var text: String { String(hexadecimal: bytes) }

    package func append(to bytes: inout [UInt8]) {
        bytes += self.bytes
    }
}

/// The row key of a user's note that it used an invitation: the time at which that expires, and its
/// id.
package struct InvitationUse: RowKey, Hashable {
    package let expireMs: Int64
    package let id: InvitationID

    package init(expireMs: Int64, id: InvitationID) {
        self.expireMs = expireMs
        self.id = id
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 8 + InvitationID.count,
            let id = InvitationID(reading: UnsafeRawBufferPointer(rebasing: bytes[8...]))
        else { return nil }
        let time = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) ^ (1 << 63)
        self.init(expireMs: Int64(bitPattern: time), id: id)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(timeMs: expireMs)
        id.append(to: &bytes)
    }
}

extension App {
    /// The ids of all users' invitations.
    package var invitationIDs: Partition { Partition(app: id, name: [0x1B]) }
    /// The users that have invitations, by a time before which no row of theirs has to go.
    package var invitationEnds: Partition { Partition(app: id, name: [0x1C]) }
}
