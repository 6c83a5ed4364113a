/// Notes that were read.
package struct PeerNotes: Sendable {
    package var notes: [PeerNote] = []
    /// Where the next reading goes on; nil if the store has no notes.
    package var position: NotePosition?
    /// Whether the store has lost the notes that were read before.
    package var beginsAnew = false
    package var hasMore = false

    package init() {}
}
