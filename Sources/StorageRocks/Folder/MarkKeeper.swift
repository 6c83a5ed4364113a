internal import Dispatch
internal import Storage
import Support
internal import Synchronization

/// Writes the mark of a store now and then, on a thread of its own.
///
/// A commit leaves two numbers here and goes on. While there are commits, a mark is written once in
/// ``Limits/markMilliseconds``; an idle store writes none.
final class MarkKeeper: Sendable {
    private struct State {
        /// The last change of the last commit whose sync has returned.
        var sequence: UInt64
        var writes: UInt64
        /// Whether a mark will be written soon.
        var isDue = false
        var isClosed = false
    }

    private struct Kept {
        var mark: Mark
        /// The first change of each of the engine's logs, by the log's number.
        var logs: [UInt64: UInt64] = [:]
        var failure: StorageError?
    }

    private let file: MarkFile
    private let rows: String
    private let queue = DispatchQueue(label: "relation.mark", qos: .utility)
    private let state: Mutex<State>
    /// Held while a mark is written.
    private let kept: Mutex<Kept>

    /// Begins with `mark`, which is on the device when this returns.
    init(_ mark: Mark, _ folder: DataFolder) throws(StorageError) {
        file = try MarkFile(folder.markPath, mark, in: folder.held)
        rows = folder.rowsPath
        state = Mutex(State(sequence: mark.newest.sequence, writes: mark.newest.writes))
        kept = Mutex(Kept(mark: mark))
    }

    /// A commit of `writes` writes is on the device, and ends with the change `sequence`.
    func note(_ sequence: UInt64, writes: Int) {
        let isFirst = state.withLock { state in
            state.sequence = sequence
            state.writes += UInt64(writes)
            defer { state.isDue = true }
            return !state.isDue
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Limits.markMilliseconds)) { [weak self] in
            self?.writeSoon()
        }
    }

    /// The reason why no mark can be written; nil while all is well.
    var failure: StorageError? { kept.withLock { $0.failure } }

    /// Writes how far the commits have come, now.
    func write() {
        kept.withLock { kept in
            advance(&kept)
            write(kept.mark, &kept) { (mark) throws(StorageError) in try file.write(mark) }
        }
    }

    /// Removes a loss from the mark, because the rows record it from now on.
    func forgetLoss() {
        kept.withLock { $0.mark.loss = nil }
        write()
    }

    /// Writes the last mark.
    ///
    /// No commit comes after it.
    func close() {
        guard
            state.withLock({ state in
                defer { state.isClosed = true }
                return !state.isClosed
            })
        else { return }
        kept.withLock { kept in
            advance(&kept)
            write(kept.mark, &kept) { (mark) throws(StorageError) in try file.writeTwice(mark) }
        }
    }

    private func writeSoon() {
        let isClosed = state.withLock { state in
            state.isDue = false
            return state.isClosed
        }
        if !isClosed { write() }
    }

    private func write(
        _ mark: Mark, _ kept: inout Kept, _ body: (Mark) throws(StorageError) -> Void
    ) {
        do throws(StorageError) {
            try body(mark)
        } catch {
            kept.failure = kept.failure ?? StorageError(.unavailable, error.message)
        }
    }

    private func advance(_ kept: inout Kept) {
        // This comes before the logs are read: a log that is made meanwhile is for the next mark.
        let (sequence, writes) = state.withLock { ($0.sequence, $0.writes) }
        kept.mark.number += 1
        kept.mark.add(
            Mark.Point(sequence: sequence, writes: writes, timeMs: MarkKeeper.nowMs()))
        // If the logs cannot be listed, this does harm only if they are lost too.
        let numbers = (try? LogScan.numbers(in: rows)) ?? []
        let known = kept.logs
        kept.logs = [:]
        for number in numbers {
            kept.logs[number] =
                known[number] ?? LogScan.firstSequence(number: number, in: rows)
        }
        kept.mark.logs = kept.logs.filter { $0.value <= sequence }
            .map { Mark.Log(number: $0.key, first: $0.value) }
            .sorted { $0.number < $1.number }.suffix(Limits.markLogs)
    }

    /// The time of the wall clock, because people read it.
    static func nowMs() -> Int64 { SystemClock.wall.milliseconds }
}
