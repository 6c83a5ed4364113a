import RelationModel

/// The bounds of the cost of streams of changes.
package enum WatchLimits {
    /// Streams of one process, each of which costs some kilobytes.
    package static let streams = 100_000
    /// An app may have this many times as many streams as are left free.
    ///
    /// An app that is alone has three quarters of all, so an app without streams always finds room.
    package static let streamsForEachFree = 3
    /// The longest text that is read as a resume token.
    package static let tokenBytes = 1_024

    /// How often a server polls for events of other servers without a notification from them.
    package static let feedPollMilliseconds = 100
    /// Rows of a feed, each of one call, that one such poll reads at a time.
    package static let feedRowsPerRead = 256

    /// How often the hub checks the clock: heartbeats and ends by time are exact to that.
    package static let secondsBetweenTicks = 1

    /// Bytes of live events that wait for one client; if more come, its stream ends.
    ///
    /// They are some thousand events. A client that has not taken them reads too slowly. It reads
    /// the rest from the log when it returns.
    package static let queuedBytes = 256 * 1_024
    /// Live events that one stream keeps while it reads the earlier ones.
    ///
    /// It keeps no more bytes of them than may wait for its client. If more come, it reads on.
    package static let keptEvents = 256
    /// How often a stream may read on before it counts as too slow for the events that it follows.
    package static let rounds = 16
    /// Streams of one app that read earlier events at one time; the others are queued.
    ///
    /// Each keeps a snapshot of the store. All apps together have twice as many. An app that has
    /// some may have no more than are left free. So there is always room for an app that has none.
    package static let openingStreams = 32
    /// How long a stream may read earlier events while its client takes no messages.
    package static let openingMs: Int64 = 60_000
    /// Events that wait for the hub; with more it forgets them, and streams read them from the log.
    package static let waitingEvents = 65_536
    /// Rows of events of a commit, and messages about them, that the committer's thread sends by
    /// itself.
    ///
    /// They are so few that the next write waits some microseconds at most.
    package static let promptEvents = 16

    /// Event batches that the hub keeps to use again, and the bytes and messages of each.
    package static let keptEventBatches = 8
    package static let eventBatchBytes = 64 * 1_024
    package static let eventBatchMessages = 256

    /// Items of one event that reports the present state.
    package static let stateItems = 100
    /// Events, or rows of lists, that one batch of reads takes.
    package static let rowsPerBatch = 200
    /// Bytes of messages, and of events read for them, after which such a batch ends.
    ///
    /// A batch that exceeds this by one long row still fits into the room that a client has for
    /// waiting events.
    package static let batchBytes = Limits.pageBytes
    /// Events of the feed that are read at once: each of them may have the full length of an event.
    package static let feedEventsPerRead = 16
}
