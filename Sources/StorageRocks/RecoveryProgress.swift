/// The reports about an opening that reads the engine's log back.
package enum RecoveryNote: Equatable, Sendable {
    /// It takes longer than a moment.
    case began(bytes: Int64)
    case reached(bytes: Int64, of: Int64)
    case ended(bytes: Int64, milliseconds: Int64)
}

/// Decides when to report about a recovery, and what.
///
/// A recovery that takes less than a moment is not reported: most starts after a crash are like
/// this.
struct RecoveryProgress {
    private let total: Int64
    private let begin: Int64
    private var reached: Int64 = 0
    /// When the last report was; nil before the first.
    private var toldAt: Int64?

    /// - Parameters:
    ///   - total: The bytes of the log.
    ///   - now: Milliseconds that only rise.
    init(_ total: Int64, at now: Int64) {
        self.total = total
        begin = now
    }

    /// - Parameter reached: The bytes that have been read back; nil if that cannot be seen now.
    mutating func look(at now: Int64, reached: Int64?) -> RecoveryNote? {
        self.reached = max(self.reached, min(reached ?? 0, total))
        guard let toldAt else {
            guard now - begin >= Limits.recoveryMomentMilliseconds else { return nil }
            self.toldAt = now
            return .began(bytes: total)
        }
        guard now - toldAt >= Limits.recoveryNoteMilliseconds else { return nil }
        self.toldAt = now
        return .reached(bytes: self.reached, of: total)
    }

    func end(at now: Int64) -> RecoveryNote? {
        toldAt.map { _ in .ended(bytes: total, milliseconds: now - begin) }
    }
}
