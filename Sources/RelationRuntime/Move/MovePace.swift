/// Keeps the rows that a mover handles in a second below a bound.
package struct MovePace: Sendable {
    private let rate: Int
    /// When the next rows may be handled, in milliseconds.
    private var next: Int64

    /// - Parameters:
    ///   - rate: Rows in a second, at least 1.
    ///   - now: The time, in milliseconds of a clock that never goes back.
    package init(rate: Int, at now: Int64) {
        self.rate = rate
        next = now
    }

    /// The rows of one piece.
    package var rows: Int { min(MoveLimits.rows, max(1, rate / MoveLimits.piecesPerSecond)) }

    /// Counts rows that were handled.
    ///
    /// - Returns: How long to wait before the next ones, in milliseconds.
    package mutating func handled(_ rows: Int, at now: Int64) -> Int64 {
        // Time in which nothing was handled is not made up for.
        next = max(next, now - 1_000 / Int64(MoveLimits.piecesPerSecond))
        next += Int64(rows) * 1_000 / Int64(rate)
        return max(0, next - now)
    }
}
