/// How far the move of an app has come, for the one who waits.
package enum MoveNote: Equatable, Sendable {
    /// The move is noted in both databases.
    case begun
    /// So many rows were copied.
    case copying(rows: Int64)
    /// So many changes were applied in a round.
    case following(changes: Int)
    /// So many rows were compared, and so many were copied again.
    case comparing(rows: Int64, renewed: Int64)
    /// It looks for a few seconds which servers of the source live.
    case observing
    /// The source serves the app no more.
    case closed
    /// The source serves the app again: the target could not take it.
    case opened(why: String)
    /// The target serves the app; it was closed for so many milliseconds.
    case arrived(milliseconds: Int64)
    /// So many rows were removed from the source.
    case removing(rows: Int64)
    case ended
    case cancelled
    /// Nothing of the app is left; its number may be free.
    case cleared(isFree: Bool)

    /// The words of a line.
    package var text: String {
        switch self {
        case .begun: "begun"
        case .copying(let rows): "copying: \(rows) rows"
        case .following(let changes): "following: \(changes) changes"
        case .comparing(let rows, let renewed):
            "comparing: \(rows) rows, \(renewed) copied again"
        case .observing: "observing: the leases of the servers"
        case .closed: "closed: calls of the app get UNAVAILABLE"
        case .opened(let why): "opened again: \(why)"
        case .arrived(let milliseconds): "arrived: it was closed for \(milliseconds) ms"
        case .removing(let rows): "removing: \(rows) rows"
        case .ended: "ended"
        case .cancelled: "cancelled"
        case .cleared(let isFree):
            isFree
                ? "cleared: no database has the app, and its number is free"
                : "cleared: the app lives elsewhere, and keeps its number"
        }
    }
}
