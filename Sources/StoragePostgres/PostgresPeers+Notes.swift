internal import Storage
import Support

// The notes of a store's servers, in a table that the database does not log.
extension PostgresPeers {
    func post(
        _ notes: [PeerNote], readingAfter position: NotePosition?
    ) throws(StorageError) -> PeerNotes {
        guard !notes.isEmpty else { return try self.notes(after: position) }
        precondition(notes.count <= NoteLimits.posted)
        let run = String(UInt64.random(in: 0 ... .max), radix: 16)
        let rows = notes.enumerated().map { index, note in
            "(\(index), \(Self.literal(note.key)), \(Self.literal(note.rankedValue)))"
        }
        // The row without a key has the number of the last note. Its lock lets one poster in after
        // another, so a note never appears after one with a higher number.
        let counting = """
            INSERT INTO relation_note VALUES ('', \(notes.count), '\(run)', now()) \
            ON CONFLICT (k) DO UPDATE SET n = relation_note.n + excluded.n
            """
        let posted = """
            SELECT posted.k, run.n - posted.i, posted.v, now() FROM relation_note AS run, \
            (VALUES \(rows.joined(separator: ","))) AS posted (i, k, v) WHERE run.k = ''
            """
        let posting = """
            INSERT INTO relation_note \(posted) ON CONFLICT (k) DO UPDATE \
            SET n = excluded.n, v = excluded.v, posted = excluded.posted WHERE \(Self.isInOrder)
            """
        let notifying = "SELECT pg_notify('\(Self.channel)', '\(PeerSignal.notes.rawValue)')"
        // One message of the protocol, and so one round trip and one transaction.
        return try read(after: position, running: "\(counting); \(posting); \(notifying); ")
    }

    /// Whether a note may replace the one that is there: it has no rank, or replaces later ones;
    /// the one that is there has none; or its rank is not the greater one.
    private static let isInOrder = """
        substr(excluded.v, 1, 3) <> '\\x\(String(hexadecimal: PeerNote.rankStart))01'::bytea \
        OR substr(relation_note.v, 1, 2) <> '\\x\(String(hexadecimal: PeerNote.rankStart))'::bytea \
        OR substr(relation_note.v, 4, \(NoteRank.length)) \
        <= substr(excluded.v, 4, \(NoteRank.length))
        """

    private static func literal(_ bytes: [UInt8]) -> String {
        "'\\x\(String(hexadecimal: bytes))'::bytea"
    }

    func notes(after position: NotePosition?) throws(StorageError) -> PeerNotes {
        try read(after: position, running: "")
    }

    private func read(
        after position: NotePosition?, running beginning: String
    ) throws(StorageError) -> PeerNotes {
        let found = try notes(after: position?.number ?? 0, running: beginning)
        // The database has lost its notes, and begun another run, or none yet.
        guard let position, position.run != found.position?.run else { return found }
        var all = try notes(after: 0, running: "")
        all.beginsAnew = true
        return all
    }

    /// One statement, so that the run and its notes are of one snapshot.
    ///
    /// - Parameter beginning: Statements that run before it, in the same transaction.
    private func notes(
        after number: Int64, running beginning: String
    ) throws(StorageError) -> PeerNotes {
        let rows = try use(noteSession, beginning: nil) { (session) throws(StorageError) in
            try session.run(
                """
                \(beginning)\
                SELECT n || ' ' || encode(k, 'hex') || ' ' || encode(v, 'hex') \
                FROM relation_note WHERE k = '' UNION ALL \
                (SELECT n || ' ' || encode(k, 'hex') || ' ' || encode(v, 'hex') \
                FROM relation_note WHERE n > \(number) AND k <> '' \
                ORDER BY relation_note.n LIMIT \(NoteLimits.read))
                """)
        }
        var found = PeerNotes()
        var run: (name: String, last: Int64)?
        var last = number
        for row in rows {
            let parts = row.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 3, let number = Int64(parts[0]),
                let key = [UInt8](hexadecimal: parts[1]), let value = [UInt8](hexadecimal: parts[2])
            else { throw StorageError(.corrupted, "a row of relation_note cannot be read") }
            if key.isEmpty {
                run = (String(parts[2]), number)
            } else {
                found.notes.append(PeerNote(key: key, value: PeerNote.unranked(value)))
                last = max(last, number)
            }
        }
        guard let run else { return PeerNotes() }
        found.hasMore = found.notes.count == NoteLimits.read
        found.position = NotePosition(run: run.name, number: found.hasMore ? last : run.last)
        return found
    }

    func trimNotes(to count: Int) throws(StorageError) {
        _ = try use(noteSession, beginning: nil) { (session) throws(StorageError) in
            try session.run(
                """
                DELETE FROM relation_note WHERE k <> '' AND (posted < now() - interval '1 day' \
                OR n <= (SELECT n FROM relation_note WHERE k <> '' ORDER BY n DESC \
                OFFSET \(count) LIMIT 1))
                """)
        }
    }
}

extension PeerNote {
    /// The beginning of a value with a rank: field 15 of a message, with the bytes that follow.
    ///
    /// Values are messages without such a field. So a server that knows no ranks passes it over.
    fileprivate static let rankStart: [UInt8] = [0x7A, UInt8(1 + NoteRank.length)]

    /// The value as the database keeps it: behind the rank, if there is one.
    fileprivate var rankedValue: [UInt8] {
        guard let rank else { return value }
        return Self.rankStart + [rank.replacesLater ? 0 : 1] + rank.bytes + value
    }

    /// The value without the rank that it may be kept with.
    fileprivate static func unranked(_ value: [UInt8]) -> [UInt8] {
        guard value.starts(with: rankStart) else { return value }
        return Array(value.dropFirst(rankStart.count + 1 + NoteRank.length))
    }
}
