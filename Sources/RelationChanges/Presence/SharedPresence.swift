import GRPC
import Protobuf
package import RelationCalls
package import RelationRuntime
package import Storage
import Synchronization

/// Keeps the boards of the servers of one store alike.
///
/// A report is posted as a note, and is answered when the note is there. Each server reads all
/// notes, its own among them, in the one order that the store gives them, and its board takes
/// nothing else. So a report that is sent after the answer to an earlier one comes after it on all
/// servers. A crash of the store takes all notes, and then each board forgets all users.
package final class SharedPresence: Sendable {
    private struct Waiting {
        let reports: SharedReports
        /// When it has waited long enough.
        let end: UInt64
    }

    private struct State {
        var waiting: [Waiting] = []
        /// The number of reports in `waiting`, and in the part of it that is being posted.
        var count = 0
        var isAwake = false
        var isStopped = false
    }

    private let board: PresenceBoard
    private let peers: any StorePeers
    private let clock: ServiceClock
    private let thread: WorkThread
    /// A clock in nanoseconds that never goes back.
    private let counter: @Sendable () -> UInt64
    private let state = Mutex(State())
    private let position = Mutex<NotePosition?>(nil)
    private let limit: Int
    private let patience: Int

    /// - Parameters:
    ///   - limit: How many reports may wait for the store; further ones are refused.
    ///   - patience: How long one waits for it, in milliseconds.
    package init(
        _ board: PresenceBoard, _ peers: any StorePeers, clock: ServiceClock,
        limit: Int = PresenceLimits.waitingReports,
        patience: Int = PresenceLimits.patienceMilliseconds, threads: ThreadSource = .system
    ) {
        thread = threads.make("presence")
        counter = threads.clock
        self.board = board
        self.peers = peers
        self.clock = clock
        self.limit = limit
        self.patience = patience
        board.share { [weak self] in self?.enqueue($0) }
    }

    /// Takes the presence that other servers know, and goes on in the background.
    package func start() {
        // A store that is away gives its notes to the next poll.
        _ = exchange([])
        poll(since: 0)
    }

    /// Ends the background work; what still waits is posted or refused.
    package func stop() {
        state.withLock { $0.isStopped = true }
        thread.run { [weak self] in self?.exchange(isLast: true) }
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
        thread.run { [weak self] in self?.wakeNow() }
    }

    private func wakeNow() {
        // Before the exchange: a later word leads to another one.
        state.withLock { $0.isAwake = false }
        exchange()
    }

    /// Polls from time to time, since notifications may be lost, and trims the notes more rarely.
    private func poll(since trimmed: UInt64) {
        thread.run(afterMilliseconds: PresenceLimits.notePollMilliseconds) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            self.exchange()
            var trimmed = trimmed
            let now = self.counter()
            let pause = UInt64(PresenceLimits.noteTrimSeconds) * 1_000_000_000
            if now - trimmed > pause, self.peers.doesUpkeep {
                // A trim that fails is made up for by a later one.
                try? self.peers.trimNotes(to: PresenceLimits.presentUsers)
                trimmed = now
            }
            self.poll(since: trimmed)
        }
    }

    private func enqueue(_ reports: SharedReports) {
        let end = counter() + UInt64(patience) * 1_000_000
        let isTaken = state.withLock { state in
            guard !state.isStopped, state.count + reports.reports.count <= limit else {
                return false
            }
            state.count += reports.reports.count
            state.waiting.append(Waiting(reports: reports, end: end))
            return true
        }
        guard isTaken else {
            return reports.done(
                StorageError(.unavailable, "\(limit) reports wait for the store already"))
        }
        wake()
    }

    /// Posts all that waits, and reads new notes.
    ///
    /// - Parameter isLast: Whether what cannot be posted now is refused.
    private func exchange(isLast: Bool = false) {
        var isPosted = false
        while true {
            let part = takePart()
            guard !part.isEmpty || !isPosted else { return }
            isPosted = true
            guard let error = exchange(part) else { continue }
            return requeue(part, because: error, isLast)
        }
    }

    /// The next reports whose callers still wait, as many as fit into one post.
    private func takePart() -> [Waiting] {
        let (part, dropped) = state.withLock { state in
            var part: [Waiting] = []
            var dropped: [Waiting] = []
            var count = 0
            for waiting in state.waiting {
                let reports = waiting.reports.reports.count
                guard waiting.reports.isWanted() else {
                    dropped.append(waiting)
                    state.count -= reports
                    continue
                }
                guard count + reports <= NoteLimits.posted else { break }
                count += reports
                part.append(waiting)
            }
            state.waiting.removeFirst(part.count + dropped.count)
            return (part, dropped)
        }
        for waiting in dropped {
            waiting.reports.done(StorageError(.unavailable, "the caller waits no more"))
        }
        return part
    }

    /// Posts reports, takes all notes up to theirs, and notifies the callers that they are posted.
    ///
    /// - Returns: Why nothing is known to be posted; nil if all is.
    private func exchange(_ part: [Waiting]) -> StorageError? {
        do throws(StorageError) {
            // A note says since when its device is in its state: the reports of others count for
            // that.
            if !part.isEmpty { try read() }
            try read(posting: notes(of: part))
        } catch {
            return error
        }
        state.withLock { $0.count -= part.reduce(0) { $0 + $1.reports.reports.count } }
        for waiting in part { waiting.reports.done(nil) }
        return nil
    }

    /// Takes all notes after those that were read before, and those that it posts.
    private func read(posting posted: [PeerNote] = []) throws(StorageError) {
        var known = position.withLock { $0 }
        var notes = posted
        repeat {
            let found = try peers.post(notes, readingAfter: known)
            notes = []
            if found.beginsAnew { board.forgetAll() }
            board.merge(found.notes.compactMap { try? PresenceRow($0) }, at: clock.now())
            known = found.position
            position.withLock { $0 = known }
            guard found.hasMore else { break }
        } while true
    }

    /// The notes of reports: one for each device, of its last report.
    private func notes(of part: [Waiting]) -> [PeerNote] {
        var indices: [[UInt8]: Int] = [:]
        var notes: [PeerNote] = []
        for row in board.rows(of: part.map(\.reports)) {
            // A report is shorter than any arena.
            guard let note = try? row.note() else { continue }
            if let index = indices[note.key] {
                notes[index] = note
            } else {
                indices[note.key] = notes.count
                notes.append(note)
            }
        }
        return notes
    }

    /// Lets reports wait for the next attempt, or refuses those that have waited long enough.
    private func requeue(_ part: [Waiting], because error: StorageError, _ isLast: Bool) {
        let now = counter()
        let rest = part.filter { !isLast && $0.end > now }
        let ended = part.filter { isLast || $0.end <= now }
        state.withLock { state in
            state.waiting = rest + state.waiting
            state.count -= ended.reduce(0) { $0 + $1.reports.reports.count }
        }
        for waiting in ended { waiting.reports.done(error) }
        guard !rest.isEmpty else { return }
        thread.run(afterMilliseconds: PresenceLimits.retryMilliseconds) { [weak self] in
            self?.exchange()
        }
    }
}
