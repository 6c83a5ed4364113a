/// The bounds of the move of an app to another database.
package enum MoveLimits {
    /// Rows that are copied, compared or removed in a second, unless the command says otherwise.
    package static let rowsPerSecond = 5_000
    package static let mostRowsPerSecond = 1_000_000

    /// Rows and bytes of one piece, which is one transaction of the target.
    package static let rows = 500
    package static let bytes = 1 << 20
    /// Pieces in a second: a lower rate makes the pieces smaller.
    static let piecesPerSecond = 5

    /// Changes that are brought to the target at one time.
    package static let changes = 4_000
    /// Pieces after which changes are applied, so that the list of them stays short.
    static let piecesPerChanges = 20
    /// The app is closed when a round found so few changes.
    package static let fewChanges = 1_000
    /// Rounds after which it must have come to so few.
    package static let rounds = 300

    /// How long the app may be closed before it is opened again, in milliseconds.
    package static let closedMilliseconds: Int64 = 10_000
    /// How often it is closed.
    package static let attempts = 3
    /// The pause before it is closed again.
    static let pauseMilliseconds: Int64 = 1_000
    /// How long the outcome of the last step is asked for that the target has not answered.
    package static let outcomeMilliseconds: Int64 = 30_000

    /// How long a mover that hangs keeps its locks, which other apps may wait for.
    package static let idleMilliseconds = 5_000

    /// How often a mover says that it is there.
    static let beatMilliseconds: Int64 = 1_000
    /// How often it tells how far it has come.
    static let noteMilliseconds: Int64 = 1_000
}
