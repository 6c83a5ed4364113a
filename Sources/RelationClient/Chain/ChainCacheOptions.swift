/// How many relation chains a client keeps, and for how long.
///
/// A value outside its bounds is taken for the nearest bound.
public struct ChainCacheOptions: Sendable {
    /// The number of users whose chains are kept by default.
    public static let defaultUsers = 100
    /// The highest number of users whose chains are kept.
    public static let mostUsers = 10_000
    /// The number of rows that all chains together may have by default.
    public static let defaultRows = 100_000
    /// The highest number of rows that all chains together may have.
    public static let mostRows = 5_000_000
    /// The highest age of a chain by default.
    ///
    /// A stream of changes has a sign of life every 25 seconds, so a chain that a stream follows
    /// never becomes so old.
    public static let defaultMaxAge = Duration.seconds(60)
    /// The highest value of ``staleAge``: a year.
    public static let mostStaleAge = Duration.seconds(31_536_000)
    /// For how long a chain goes on by events: a day.
    ///
    /// Then all of its rows are read again, because no event tells of a setting of the app that
    /// shows or hides values of custom fields.
    public static let wholeAge = Duration.seconds(86_400)

    /// The number of users whose chains are kept; 0 keeps none.
    ///
    /// If there are more, the chain leaves that was not used for the longest time.
    public var users = defaultUsers
    /// How many rows all chains together may have: one for each friend, and one for each user on a
    /// blacklist.
    ///
    /// A chain that has more by itself is read, and not kept.
    public var rows = defaultRows
    /// The age from which on the server is asked for what has changed; at most a day.
    ///
    /// With 0 it is asked each time; it then answers the events since the chain's sequence.
    public var maxAge = defaultMaxAge
    /// How much older a chain may be than its age allows, while no server can answer.
    ///
    /// A chain that lacks a write of this client, or an event of a stream, is never given.
    public var staleAge = Duration.zero

    /// Creates the options with the default bounds.
    public init() {}

    /// The values within their bounds.
    var bounded: ChainCacheOptions {
        var options = self
        options.users = min(max(users, 0), Self.mostUsers)
        options.rows = min(max(rows, 0), Self.mostRows)
        options.maxAge = min(max(maxAge, .zero), Self.wholeAge)
        options.staleAge = min(max(staleAge, .zero), Self.mostStaleAge)
        return options
    }
}

/// The numbers of a cache of chains since it was made.
public struct ChainCacheCounts: Sendable, Hashable {
    /// The chains that were given at once.
    public var hits = 0
    /// The chains that waited for the server.
    public var misses = 0
    /// How often all rows of a chain were read.
    public var loads = 0
    /// How often the server was asked for the events since a chain's sequence.
    public var renewals = 0
    /// The events of streams that were applied to chains.
    public var events = 0
    /// The chains that were given though too old, because no server could answer.
    public var stale = 0
    /// The chains that left because the cache was full.
    public var evictions = 0
    /// The present number of users whose chains are kept.
    public var users = 0
    /// The present number of rows.
    public var rows = 0

    /// Creates counts that are all 0.
    public init() {}
}
