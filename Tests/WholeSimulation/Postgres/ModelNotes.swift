import Storage

/// The notes of a modelled server, in a table that is not logged: a crash takes all of them.
struct ModelNotes: Sendable {
    private struct Row {
        var number: Int64
        var value: [UInt8]
        var rank: NoteRank?
        var posted: UInt64
    }

    private var rows: [[UInt8]: Row] = [:]
    /// The name of all notes since the table was last empty; nil while there are none.
    private var run: String?
    private var last: Int64 = 0

    /// Keeps notes in place of earlier ones.
    ///
    /// - Parameters:
    ///   - name: The name of a run that begins with them.
    ///   - now: The present time of the database.
    mutating func post(_ notes: [PeerNote], orBegin name: String, at now: UInt64) {
        guard !notes.isEmpty else { return }
        if run == nil { (run, last) = (name, 0) }
        last += Int64(notes.count)
        for (index, note) in notes.enumerated() where isInOrder(note) {
            rows[note.key] = Row(
                number: last - Int64(index), value: note.value, rank: note.rank, posted: now)
        }
    }

    /// Whether a note may replace the one that is there.
    private func isInOrder(_ note: PeerNote) -> Bool {
        guard let rank = note.rank, !rank.replacesLater, let known = rows[note.key]?.rank else {
            return true
        }
        return !rank.bytes.lexicographicallyPrecedes(known.bytes)
    }

    /// The notes after a position, in the order in which they were posted.
    func read(after position: NotePosition?) -> PeerNotes {
        guard let position, position.run != run else { return read(after: position?.number ?? 0) }
        var all = read(after: 0)
        all.beginsAnew = true
        return all
    }

    private func read(after number: Int64) -> PeerNotes {
        var found = PeerNotes()
        guard let run else { return found }
        let later = rows.filter { $0.value.number > number }
            .sorted { $0.value.number < $1.value.number }.prefix(NoteLimits.read)
        found.notes = later.map { PeerNote(key: $0.key, value: $0.value.value) }
        found.hasMore = later.count == NoteLimits.read
        let end = later.last?.value.number ?? number
        found.position = NotePosition(run: run, number: found.hasMore ? end : last)
        return found
    }

    /// Removes those that were posted before `time`, and the oldest ones if there are more than
    /// `count`.
    mutating func trim(to count: Int, before time: UInt64) {
        rows = rows.filter { $0.value.posted >= time }
        let newest = rows.sorted { $0.value.number > $1.value.number }.prefix(count)
        rows = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }
}
