internal import Storage

// The checks of a store before it is opened, and their results.

extension RocksStore {
    /// A store that may be opened.
    struct Opened {
        /// The mark of the store; nil if there is none, or if it cannot be read.
        var mark: Mark?
        /// The lost writes; nil if there are none.
        var loss: StoreLoss?
        var notice: String?
    }

    /// - Throws: ``StorageError`` with the code `lostWrites` if writes are missing, unless the
    ///   options accept that; `corrupted` or `failed` if this is unknown.
    static func checked(
        _ folder: DataFolder, _ options: RocksOptions
    ) throws(StorageError) -> Opened {
        let finding = try LossCheck.finding(in: folder, at: MarkKeeper.nowMs())
        var opened = Opened()
        if case .mark(let mark) = try MarkFile.read(folder.markPath) { opened.mark = mark }
        guard let finding else { return opened }
        guard options.acceptsLoss else { throw StorageError(.lostWrites, finding.message) }
        opened.loss = finding.loss
        opened.notice = "goes on without what was lost: \(finding.message)"
        return opened
    }

    /// The mark of a store that has just been opened.
    ///
    /// Before it is open, the engine writes all that it has read from its logs into files. So every
    /// change up to the last one is on the device.
    static func firstMark(
        after opened: Opened?, through sequence: UInt64, _ options: RocksOptions
    ) -> Mark {
        var point = Mark.Point(sequence: sequence, writes: 0, timeMs: MarkKeeper.nowMs())
        guard let before = opened?.mark else {
            var mark = Mark(point)
            (mark.isSynced, mark.loss) = (options.sync, opened?.loss)
            return mark
        }
        point.writes = before.newest.writes
        var mark = before
        mark.points.removeAll { $0.sequence > sequence }
        if mark.points.isEmpty { mark.points = [point] } else { mark.add(point) }
        mark.number += 1
        (mark.isSynced, mark.logs) = (options.sync, [])
        mark.loss = opened?.loss ?? before.loss
        return mark
    }
}
