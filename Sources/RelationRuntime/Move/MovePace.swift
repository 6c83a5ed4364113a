/// Keeps the rows that a mover handles in a second below a bound.
package struct MovePace: Sendable {
    private let rate: Int
    /// When the next rows may be handled, in milliseconds.
    private var next: Int64
    /// Rows to handle that take no time, as many as the app changed meanwhile.
    private var free = 0

    /// - Parameters:
    ///   - rate: Rows in a second, at least 1.
    ///   - now: The time, in milliseconds of a clock that never goes back.
    package init(rate: Int, at now: Int64) {
        self.rate = rate
        next = now
    }

    /// The rows of one piece.
    package var rows: Int { min(MoveLimits.rows, max(1, rate / MoveLimits.piecesPerSecond)) }

    /// Counts rows that the app changed meanwhile.
    ///
    /// As many rows are then handled without a wait. So a mover comes to the end of an app that
    /// grows faster than the rate.
    package mutating func changed(_ rows: Int) {
        free = min(free + rows, 2 * MoveLimits.changes)
    }

    /// Counts rows that were handled.
    ///
    /// - Returns: How long to wait before the next ones, in milliseconds.
    package mutating func handled(_ rows: Int, at now: Int64) -> Int64 {
        // Time in which nothing was handled is not made up for.
        next = max(next, now - 1_000 / Int64(MoveLimits.piecesPerSecond))
        let counted = max(0, rows - free)
        free -= rows - counted
        next += Int64(counted) * 1_000 / Int64(rate)
        return max(0, next - now)
    }
}
