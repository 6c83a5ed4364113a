/// The place of a note among those of its key.
package struct NoteRank: Equatable, Sendable {
    /// The length of every rank.
    package static let length = 9

    /// A note of a lesser rank does not replace one of a greater rank, by the order of their bytes.
    package let bytes: [UInt8]
    /// Whether it does so all the same.
    package let replacesLater: Bool

    package init(bytes: [UInt8], replacesLater: Bool) {
        precondition(bytes.count == Self.length)
        self.bytes = bytes
        self.replacesLater = replacesLater
    }
}
