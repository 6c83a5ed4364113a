internal import Storage

/// Compares a store at rest with its mark.
enum LossCheck {
    /// What is missing, and what a person can be told of it.
    struct Finding: Equatable {
        var loss: StoreLoss
        var message: String
    }

    /// - Returns: Nil if everything is there that the mark promises, and nothing is missing between
    ///   what came after it.
    /// - Throws: ``StorageError`` with the code `corrupted` if the engine's files are missing or
    ///   broken; `failed` if they cannot be read.
    static func finding(in folder: DataFolder, at nowMs: Int64) throws(StorageError) -> Finding? {
        let mark: Mark
        switch try MarkFile.read(folder.markPath) {
        case .nothing: return nil
        case .damaged:
            var loss = StoreLoss()
            (loss.untilMs, loss.foundMs) = (nowMs, nowMs)
            return Finding(
                loss: loss,
                message: "\(folder.markPath) is damaged, which says how far the writes had come: "
                    + "nobody can tell whether some are missing")
        case .mark(let found): mark = found
        }
        guard mark.isSynced else { return nil }
        let state = try RestingState(of: folder)
        var logs: [LogScan] = []
        for number in try LogScan.numbers(in: folder.rowsPath) where number >= state.firstLog {
            logs.append(try LogScan(number: number, in: folder.rowsPath))
        }
        let found = compare(mark, state, logs)
        guard found.newest > found.last else { return nil }
        return finding(mark, found, at: nowMs)
    }

    /// How far the changes go without a gap.
    struct Extent: Equatable {
        /// The last change before anything is missing.
        var last: UInt64
        /// The newest change that was ever synced, as far as anybody knows.
        var newest: UInt64
        /// What is wrong first.
        var cause: String
    }

    static func compare(_ mark: Mark, _ state: RestingState, _ logs: [LogScan]) -> Extent {
        // The engine's list of files, too, names no change that was not logged and synced before.
        let promised = max(mark.newest.sequence, state.lastSequence)
        let newest = logs.reduce(promised) { max($0, $1.newest) }
        // The first change that must be in a log, since that log is not in files yet.
        let due = mark.logs.filter { $0.number >= state.firstLog }.min { $0.first < $1.first }
        var last = min(state.lastSequence, due.map { $0.first - 1 } ?? .max)
        var cause = "the rows are older than the mark of the last write"
        var isBegun = false
        if let due, !logs.contains(where: { $0.number == due.number }) {
            cause = "the log \(LogScan.name(due.number)) is not there"
        }
        for log in logs {
            guard let first = log.first else {
                if !isBegun, let flaw = log.flaw ?? (log.number == due?.number ? 0 : nil) {
                    cause = "the log \(log.name) is damaged or ends at byte \(flaw)"
                }
                continue
            }
            // Changes that are in files already may be in a log too.
            guard first <= last + 1 else {
                if isBegun { cause = "what was logged before \(log.name) is not there" }
                break
            }
            (isBegun, last) = (true, isBegun ? max(last, log.last) : log.last)
            cause =
                log.flaw.map { "the log \(log.name) is damaged or ends at byte \($0)" }
                ?? "the log \(log.name) ends before it should"
        }
        return Extent(last: last, newest: newest, cause: cause)
    }

    private static func finding(_ mark: Mark, _ found: Extent, at nowMs: Int64) -> Finding {
        let point = mark.point(through: found.last)
        let changes = found.newest - found.last
        let unmarked = found.newest - mark.newest.sequence
        var loss = StoreLoss()
        // Every write that is missing has a change that is missing.
        loss.mostWrites = min(changes, mark.newest.writes - point.writes + unmarked)
        loss.sinceMs = point.timeMs
        loss.untilMs = mark.newest.timeMs
        loss.foundMs = nowMs
        return Finding(
            loss: loss,
            message: "at most \(loss.mostWrites) writes that were answered are missing, all made "
                + "after \(WallTime.text(loss.sinceMs)): \(found.cause)")
    }
}
