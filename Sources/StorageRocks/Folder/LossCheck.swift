internal import Storage

/// Compares a store at rest with its mark.
enum LossCheck {
    /// A loss of writes, and the words for a person.
    struct Finding: Equatable {
        var loss: StoreLoss
        var message: String
    }

    /// - Returns: Nil if all changes are there that the mark promises, and no change is missing
    ///   between the later ones.
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
                    + "it is unknown whether some are missing")
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
        /// The last change before the first gap.
        var last: UInt64
        /// The newest change that is known to have been synced.
        var newest: UInt64
        /// The first error.
        var cause: String
    }

    static func compare(_ mark: Mark, _ state: RestingState, _ logs: [LogScan]) -> Extent {
        // The engine's list of files, too, names only changes that were logged and synced before.
        let promised = max(mark.newest.sequence, state.lastSequence)
        let newest = logs.reduce(promised) { max($0, $1.newest) }
        // The first change that must be in a log, because the files do not have that log's changes
        // yet.
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
            // Changes that are in files already may also be in a log.
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
        // Every missing write has a missing change.
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
