/// A short fact that processes of a store share.
package struct PeerNote: Equatable, Sendable {
    package let key: [UInt8]
    package let value: [UInt8]
    /// The note's position among those of its key that were ever posted; nil for the order in which
    /// they are posted, and in notes that were read.
    package let rank: NoteRank?

    package init(key: [UInt8], value: [UInt8], rank: NoteRank? = nil) {
        self.key = key
        self.value = value
        self.rank = rank
    }
}

/// The position of a reader among the notes.
package struct NotePosition: Equatable, Sendable {
    /// The store's name for all notes since it was last without any.
    package let run: String
    package let number: Int64

    package init(run: String, number: Int64) {
        self.run = run
        self.number = number
    }
}
