import Storage
import Synchronization

/// The notes of a store in memory; it is not a store, and its lease never ends.
final class KeptNotes: StorePeers {
    private struct State {
        var run = 0
        var number: Int64 = 0
        var notes: [[UInt8]: (number: Int64, note: PeerNote)] = [:]
    }

    let isAway = Atomic(false)
    /// The outcome of a look: an error, or the time of the store's clock.
    let looks = Mutex<Result<Int64, StorageError>>(.success(0))
    let doesUpkeep = true
    let processCount = 1
    private let state = Mutex(State())

    func lose() {
        state.withLock { $0 = State(run: $0.run + 1) }
    }

    private func check() throws(StorageError) {
        if isAway.load(ordering: .relaxed) { throw StorageError(.unavailable, "away") }
    }

    func post(
        _ notes: [PeerNote], readingAfter position: NotePosition?
    ) throws(StorageError) -> PeerNotes {
        try check()
        state.withLock { state in
            for note in notes {
                state.number += 1
                if let rank = note.rank, let kept = state.notes[note.key]?.note.rank,
                    !rank.replacesLater, rank.bytes.lexicographicallyPrecedes(kept.bytes)
                {
                    continue
                }
                state.notes[note.key] = (state.number, note)
            }
        }
        return try self.notes(after: position)
    }

    func notes(after position: NotePosition?) throws(StorageError) -> PeerNotes {
        try check()
        return state.withLock { state in
            var found = PeerNotes()
            found.beginsAnew = position.map { $0.run != "\(state.run)" } ?? false
            let last = found.beginsAnew ? 0 : position?.number ?? 0
            found.notes =
                state.notes.filter { $0.value.number > last }
                .sorted { $0.value.number < $1.value.number }
                .map { PeerNote(key: $0.key, value: $0.value.note.value) }
            found.position = NotePosition(run: "\(state.run)", number: state.number)
            return found
        }
    }

    func checkTables() throws(StorageError) -> Int64 { try looks.withLock { $0 }.get() }
    func trimNotes(to count: Int) throws(StorageError) {}
    func wait(milliseconds: Int) throws(StorageError) -> Set<PeerSignal> { [] }
    let lease = {
        let lease = Lease { 0 }
        // The second renewal makes it good.
        for _ in 0..<2 { lease.renewed(from: 0, tenure: 1) }
        return lease
    }()
    func renew(
        _ read: (any ReadTransaction) throws(StorageError) -> Int64
    ) throws(StorageError) -> Bool { true }
    func noteRollback() {}
    /// A change of the registry waits for this, if another server has not read it.
    let settling = Mutex<(@Sendable (_ byThisProcessToo: Bool) -> Void)?>(nil)
    func settle(_ version: Int64, byThisProcessToo: Bool) {
        settling.withLock { $0 }?(byThisProcessToo)
    }
    func releaseLease() {}
}
