/// The reports about an opening that reads the engine's log back.
package enum RecoveryNote: Equatable, Sendable {
    /// It takes long enough to be reported.
    case began(bytes: Int64)
    case reached(bytes: Int64, of: Int64)
    case ended(bytes: Int64, milliseconds: Int64)
}

/// Decides when to report about a recovery, and what.
///
/// A recovery that takes less than a second is not reported: most starts after a crash are like
/// this.
struct RecoveryProgress {
    private let total: Int64
    private let begin: Int64
    private var reached: Int64 = 0
    /// When the last report was; nil before the first.
    private var reportedAt: Int64?

    /// - Parameters:
    ///   - total: The bytes of the log.
    ///   - now: Milliseconds that only rise.
    init(_ total: Int64, at now: Int64) {
        self.total = total
        begin = now
    }

    /// - Parameter reached: The bytes that have been read back; nil if that cannot be seen now.
    mutating func note(at now: Int64, reached: Int64?) -> RecoveryNote? {
        self.reached = max(self.reached, min(reached ?? 0, total))
        guard let reportedAt else {
            guard now - begin >= Limits.shortestRecoveryMilliseconds else { return nil }
            self.reportedAt = now
            return .began(bytes: total)
        }
        guard now - reportedAt >= Limits.recoveryNoteMilliseconds else { return nil }
        self.reportedAt = now
        return .reached(bytes: self.reached, of: total)
    }

    func end(at now: Int64) -> RecoveryNote? {
        reportedAt.map { _ in .ended(bytes: total, milliseconds: now - begin) }
    }
}
