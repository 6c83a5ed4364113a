import RelationModel

/// What streams of changes may cost.
package enum WatchLimits {
    /// Streams of one process, each of which costs some kilobytes.
    package static let streams = 100_000
    /// How many times as many streams as are left free one app may have: alone three quarters of
    /// all, so that one that has none always finds room.
    package static let streamsForEachFree = 3
    /// The longest resume token: a position of nine bytes for each lane.
    package static let tokenBytes = 1_024

    /// How often the hub looks at the clock: heartbeats and ends by time are exact to that.
    package static let secondsBetweenTicks = 1

    /// Bytes of live events that wait for one client; one more ends its stream.
    ///
    /// Some thousand events: who has not taken them reads too slowly, and will read the rest from
    /// the log once it comes back.
    package static let queuedBytes = 256 * 1_024
    /// Live events that one stream keeps while it reads what came before, and no more bytes than
    /// may wait for its client; with more it reads on.
    package static let keptEvents = 256
    /// How often a stream may read on before it counts as too slow for what it follows.
    package static let rounds = 16
    /// Streams of one app that read what came before at one time; the others wait for their turn.
    ///
    /// Each keeps a moment of the store. All apps together have twice as many, and one that has
    /// some no more than are left free: so there is always a place for one that has none.
    package static let openingStreams = 32
    /// How long a stream may read what came before, unless it takes what it is sent.
    package static let openingMs: Int64 = 60_000
    /// Events that wait for the hub; with more it forgets them, and streams read them from the log.
    package static let waitingEvents = 65_536
    /// Rows of events of a commit, and messages about them, that the committer's thread tells of by
    /// itself: so few that the next write waits some microseconds at most.
    package static let promptEvents = 16

    /// Items of one event that tells the present state.
    package static let stateItems = 100
    /// Events, or rows of lists, that one turn of reading takes.
    package static let rowsPerTurn = 200
    /// Bytes of messages, and of events read for them, after which such a turn ends: one that has
    /// a long row more than that still fits into what may wait for a client.
    package static let turnBytes = Limits.pageBytes
    /// Events of one log that are read ahead while several logs are merged, and their bytes.
    package static let eventsAhead = 50
    package static let bytesAhead = 64 * 1_024
    /// Events of the feed that are read at once: any of them may be as long as an event may be.
    package static let feedEventsPerRead = 16
}
