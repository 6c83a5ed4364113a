package import RelationModel
import Storage

/// The row key of the index of names: a part of the index, the letters of a name, and the user.
///
/// Its bytes sort in the order of a search: by the part, then by the letters, then by the id.
package struct FoundName: RowKey, Hashable, Sendable {
    /// A part of the index.
    package struct Part: Hashable, Sendable {
        /// One from ``FoundBy/name`` on.
        package let by: FoundBy
        /// Whether only administrators find its users in that way.
        package let isHidden: Bool

        /// The first byte of its rows: hidden parts come after all others.
        var byte: UInt8 { UInt8(truncatingIfNeeded: by.rawValue) | (isHidden ? 0x10 : 0) }

        package init(_ by: FoundBy, isHidden: Bool) {
            (self.by, self.isHidden) = (by, isHidden)
        }

        init(byte: UInt8) {
            self.init(FoundBy(rawValue: Int32(byte & 0x0F)), isHidden: byte & 0x10 != 0)
        }
    }

    package let part: Part
    /// The letters: of a nick without case and accents, at most ``Limits/foundNameBytes`` of them.
    package let letters: [UInt8]
    package let user: UserID

    package init(_ part: Part, _ letters: some Sequence<UInt8>, _ user: UserID) {
        self.part = part
        self.letters = Array(letters.prefix(Limits.foundNameBytes))
        self.user = user
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        // No letter and no id has the byte between them.
        guard bytes.count > 2, let end = bytes.firstIndex(of: 0),
            end > 0, end + 1 < bytes.count
        else { return nil }
        part = Part(byte: bytes[0])
        letters = Array(bytes[1..<end])
        user = UserID(stored: UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]))
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(part.byte)
        bytes.append(contentsOf: letters)
        bytes.append(0)
        user.append(to: &bytes)
    }
}
