/// What one round of more writes than a server can do showed.
struct OverloadFigures {
    /// Calls a second when as many come as are answered.
    var peakPerSecond = 0.0
    var offeredPerSecond = 0.0
    /// Of what was offered, the calls that were answered well and in time.
    var goodPerSecond = 0.0
    /// The part of the calls that was refused at once, and that was answered too late.
    var refused = 0.0
    var late = 0.0
    /// Of the calls that were answered well.
    var p99 = Duration.zero
    /// Of another app's calls, without the load and beside it.
    var lightAlone = Duration.zero
    var lightBeside = Duration.zero
}
