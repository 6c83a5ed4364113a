import GRPC
import Protobuf
package import RelationCalls
import RelationModel
import RelationRuntime
package import Storage
import Synchronization

/// Keeps the boards of the servers of one store alike.
///
/// A report is taken by the board of its server at once, and is posted as a note soon after. Each
/// server reads all notes, its own among them, in one order, so that all boards come to the same
/// state. A board passes over notes about a device of which it has a later report to post. A crash
/// of the store takes all notes, and then each board forgets all users.
package final class SharedPresence: Sendable {
    private struct State {
        /// The last report of each device that is still to be posted.
        var waiting: [[UInt8]: PeerNote] = [:]
        /// The notes on their way to the store.
        var posting: [[UInt8]: PeerNote] = [:]
        var isAwake = false
        var isStopped = false
    }

    private let board: PresenceBoard
    private let peers: any StorePeers
    private let clock: ServiceClock
    private let thread = WorkThread("presence")
    private let state = Mutex(State())
    private let place = Mutex<NotePlace?>(nil)
    private let limit: Int

    /// - Parameter limit: How many devices may wait for the store; further reports stay on this
    ///   server until the device is reported again.
    package init(
        _ board: PresenceBoard, _ peers: any StorePeers, clock: ServiceClock,
        limit: Int = PresenceLimits.waitingNotes
    ) {
        self.board = board
        self.peers = peers
        self.clock = clock
        self.limit = limit
        board.share { [weak self] in self?.post($0) }
    }

    /// Takes the presence that other servers know, and goes on in the background.
    package func start() {
        read()
        look(since: 0)
    }

    package func stop() {
        state.withLock { $0.isStopped = true }
        thread.wait()
    }

    /// Waits until all work that was begun so far is done.
    func settle() { thread.wait() }

    /// Posts what waits, and reads new notes, soon.
    package func wake() {
        let isNew = state.withLock { state in
            defer { state.isAwake = true }
            return !state.isAwake && !state.isStopped
        }
        guard isNew else { return }
        thread.run { [weak self] in
            // Before the look: a later word leads to another one.
            self?.state.withLock { $0.isAwake = false }
            self?.exchange()
        }
    }

    /// Looks now and then, since words may be lost, and trims the notes more rarely.
    private func look(since trimmed: UInt64) {
        thread.run(afterMilliseconds: PresenceLimits.noteLookMilliseconds) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            self.exchange()
            var trimmed = trimmed
            let now = Deadline.clock
            let pause = UInt64(PresenceLimits.noteTrimSeconds) * 1_000_000_000
            if now - trimmed > pause, self.peers.doesUpkeep {
                // A trim that fails is made up for by a later one.
                try? self.peers.trimNotes(to: PresenceLimits.presentUsers)
                trimmed = now
            }
            self.look(since: trimmed)
        }
    }

    private func post(_ rows: [PresenceRow]) {
        state.withLock { state in
            for row in rows {
                // A report is shorter than any arena.
                guard let note = try? row.note() else { continue }
                if state.waiting.count < limit || state.waiting[note.key] != nil {
                    state.waiting[note.key] = note
                }
            }
        }
        wake()
    }

    private func exchange() {
        while true {
            let notes = state.withLock { state in
                let keys = state.waiting.keys.prefix(NoteLimits.posted)
                for key in Array(keys) {
                    state.posting[key] = state.waiting.removeValue(forKey: key)
                }
                return Array(state.posting.values)
            }
            guard !notes.isEmpty else { break }
            do throws(StorageError) {
                try peers.post(notes)
                state.withLock { $0.posting = [:] }
            } catch {
                // The next look tries again, unless a later report of the device has come.
                state.withLock { state in
                    state.waiting.merge(state.posting) { later, _ in later }
                    state.posting = [:]
                }
                break
            }
        }
        read()
    }

    private func read() {
        while true {
            let known = place.withLock { $0 }
            // The store is away; the next look reads the same notes.
            guard let found = try? peers.notes(behind: known) else { return }
            if found.beginsAnew { board.forgetAll() }
            let rows = found.notes.compactMap { try? PresenceRow($0) }
            let waiting = state.withLock { Set($0.waiting.keys) }
            board.take(rows.filter { !waiting.contains($0.noteKey) }, at: clock.now())
            place.withLock { $0 = found.place }
            guard found.hasMore else { return }
        }
    }
}
