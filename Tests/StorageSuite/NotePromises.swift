internal import Storage

private func note(_ key: String, _ value: String, rank: UInt8? = nil, anew: Bool = false)
    -> PeerNote
{
    let rank = rank.map {
        NoteRank(
            bytes: [UInt8](repeating: 0, count: NoteRank.length - 1) + [$0], replacesLater: anew)
    }
    return PeerNote(key: Array(key.utf8), value: Array(value.utf8), rank: rank)
}

private func texts(_ found: PeerNotes) -> [String] {
    found.notes.map { String(decoding: $0.key + [0x3D] + $0.value, as: UTF8.self) }
}

/// The notes and the notices of processes that share a store.
let notePromises = [
    SharedPromise("notesAreReadByAllInTheOrderInWhichTheyWerePosted") { engine in
        let stores = [try engine.open(), try engine.open()]
        let (one, other) = (peers(stores[0]), peers(stores[1]))
        try expect(one.notes(after: nil).position == nil, is: true, "no note yet")
        _ = try one.post([note("a", "1"), note("b", "1")], readingAfter: nil)
        _ = try other.post([note("c", "1")], readingAfter: nil)
        _ = try one.post([note("a", "2")], readingAfter: nil)
        let found = try other.notes(after: nil)
        try expect(Set(texts(found)), is: ["a=2", "b=1", "c=1"], "all notes")
        try expect(texts(found).last, is: "a=2", "the last one")
        let later = try other.notes(after: found.position)
        try expect(texts(later), is: [], "none later")
        try expect(later.position, is: found.position, "the position")
        _ = try one.post([note("d", "1")], readingAfter: nil)
        try expect(texts(other.notes(after: found.position)), is: ["d=1"], "one later")
        let own = try other.post([note("e", "1")], readingAfter: found.position)
        try expect(texts(own), is: ["d=1", "e=1"], "a post reads up to its own")
        for store in stores { store.close() }
    },
    SharedPromise("aNoteDoesNotReplaceOneOfAGreaterRank") { engine in
        let store = try engine.open()
        let peers = StorageSuite.peers(store)
        _ = try peers.post([note("a", "none")], readingAfter: nil)
        for (next, kept) in [
            (note("a", "five", rank: 5), "a=five"), (note("a", "four", rank: 4), "a=five"),
            (note("a", "again", rank: 5), "a=again"), (note("a", "nine", rank: 9), "a=nine"),
            (note("a", "eight", rank: 8), "a=nine"),
            (note("a", "least", rank: 1, anew: true), "a=least"),
            (note("a", "two", rank: 2), "a=two"), (note("a", "none"), "a=none"),
            (note("a", "zero", rank: 0), "a=zero"),
        ] {
            let before = try peers.notes(after: nil)
            let isKept =
                kept
                == texts(
                    {
                        var found = before; found.notes = [next]; return found
                    }())[0]
            let posted = try peers.post([next], readingAfter: before.position)
            try expect(texts(posted), is: isKept ? [kept] : [], "what \(kept) posted")
            try expect(texts(peers.notes(after: nil)), is: [kept], "what is there")
        }
        store.close()
    },
    SharedPromise("aReaderLearnsThatTheNotesAreLost") { engine in
        let store = try engine.open()
        let peers = StorageSuite.peers(store)
        _ = try peers.post([note("a", "1"), note("b", "1")], readingAfter: nil)
        let position = try peers.notes(after: nil).position
        try engine.loseNotes()
        let empty = try peers.notes(after: position)
        try expect(empty.beginsAnew, is: true, "they are lost")
        try expect(empty.position == nil, is: true, "and none is there")
        let anew = try peers.post([note("c", "1")], readingAfter: position)
        try expect(anew.beginsAnew, is: true, "lost for one who posts")
        try expect(texts(anew), is: ["c=1"], "the new ones")
        try expect(peers.notes(after: anew.position).beginsAnew, is: false, "known then")
        store.close()
    },
    SharedPromise("manyNotesAreReadPieceByPieceAndTheOldestAreRemoved") { engine in
        let store = try engine.open()
        let peers = StorageSuite.peers(store)
        let count = NoteLimits.read + 1
        for start in stride(from: 0, to: count, by: NoteLimits.posted) {
            let end = min(count, start + NoteLimits.posted)
            let notes = (start..<end).map { note("\($0)", "") }
            _ = try peers.post(notes, readingAfter: nil)
        }
        let first = try peers.notes(after: nil)
        try expect(first.notes.count, is: NoteLimits.read, "the first piece")
        try expect(first.hasMore, is: true, "there are more")
        let second = try peers.notes(after: first.position)
        try expect(second.notes.count, is: 1, "the rest")
        try expect(second.hasMore, is: false, "there are no more")
        try expect(Set((first.notes + second.notes).map(\.key)).count, is: count, "all of them")
        let last = second.notes[0].key
        try peers.trimNotes(to: 3)
        let left = try peers.notes(after: nil)
        try expect(left.notes.count, is: 3, "those that stay")
        try expect(left.notes.last?.key, is: last, "the newest")
        store.close()
    },
    SharedPromise("wordsOfAWriteANoteAndALeaseWakeThoseWhoWait") { engine in
        let stores = [try engine.open(), try engine.open()]
        let (one, other) = (peers(stores[0]), peers(stores[1]))
        // The first wait begins to listen.
        try expect(other.wait(milliseconds: 0), is: [], "nothing yet")
        _ = try one.post([note("a", "1")], readingAfter: nil)
        try expect(other.wait(milliseconds: 10_000), is: [.notes], "a note")
        try stores[0].put([Row("a", "1")], in: Partition("ann"))
        try expect(other.wait(milliseconds: 10_000), is: [.feed], "a write")
        try one.renew(knowing: 1)
        try expect(other.wait(milliseconds: 10_000), is: [.registry], "a first lease")
        for store in stores { store.close() }
    },
]
