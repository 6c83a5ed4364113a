/// The service that a call needs: it decides where the call runs and which callers may make it.
@usableFromInline package enum Access: Sendable {
    /// Reads a few rows of a snapshot.
    case read
    /// Reads many rows of a snapshot.
    case scan
    /// Runs in a transaction.
    case write
    /// Follows changes.
    case watch
    /// Needs no caller: health, reflection.
    case open
}
