/// How much a profile cache keeps, and for how long.
///
/// A value outside its bounds is taken for the nearest bound.
public struct ProfileCacheOptions: Sendable {
    /// The number of entries that a cache keeps by default.
    public static let defaultEntries = 10_000
    /// The highest number of entries that a cache keeps.
    public static let mostEntries = 250_000
    /// The memory that a cache keeps by default, in bytes.
    public static let defaultBytes = 64 << 20
    /// The most memory that a cache keeps, in bytes.
    public static let mostBytes = 8 << 30
    /// For how long a cache remembers by default that a user does not exist.
    ///
    /// It is short, because the account may be made at any time, and the streams of other users do
    /// not report it. It is not zero, because a back end may name a deleted user in every message
    /// of an old chat.
    public static let defaultMissingAge = Duration.seconds(30)

    /// The highest value of ``staleAge``: a year.
    public static let mostStaleAge = Duration.seconds(31_536_000)

    /// How many entries are kept: one for each viewer and user; 0 keeps none.
    ///
    /// If there are more, the entry that was not used for the longest time leaves.
    public var entries = defaultEntries
    /// How much memory the entries may take, in bytes, as the cache estimates it.
    ///
    /// A profile with long custom values takes some ten thousand bytes, so the number of entries
    /// alone would not be a bound.
    public var bytes = defaultBytes
    /// The highest age of an answer; nil means the server's.
    ///
    /// The server sends its own with each answer: a day unless the app's settings say otherwise.
    /// The lower of the two counts. With 0 nothing is kept. TIM's `expiredSeconds`.
    public var maxAge: Duration?
    /// For how long the cache remembers that a user does not exist.
    ///
    /// The bounds for profiles count too.
    public var missingAge = defaultMissingAge
    /// How much older an answer may be than its age allows, while no server can answer.
    ///
    /// Then a question whose request failed has the answers that are kept, and fails only if one is
    /// missing. An answer that an event or a write has ended is never given.
    public var staleAge = Duration.zero
    /// The fields of `Profile` that the cache asks for and keeps, such as `nick` and `face_url`;
    /// empty means all that the viewer may read.
    public var fields: [String] = []

    /// Creates the options of a cache with the default bounds, for all fields.
    public init() {}

    /// The values within their bounds.
    var bounded: ProfileCacheOptions {
        var options = self
        options.entries = min(max(entries, 0), Self.mostEntries)
        options.bytes = min(max(bytes, 0), Self.mostBytes)
        options.maxAge = maxAge.map { max($0, .zero) }
        options.missingAge = max(missingAge, .zero)
        options.staleAge = min(max(staleAge, .zero), Self.mostStaleAge)
        return options
    }
}

/// The numbers of a profile cache since it was made.
public struct ProfileCacheCounts: Sendable, Hashable {
    /// The answers that were given at once.
    public var hits = 0
    /// The answers that waited for the server.
    public var misses = 0
    /// The requests that were sent.
    public var requests = 0
    /// The profiles that the server was asked for and that had not changed.
    public var renewals = 0
    /// The answers that were given though too old, because no server could answer.
    public var stale = 0
    /// The entries that left because the cache was full.
    public var evictions = 0
    /// The present number of entries.
    public var entries = 0
    /// The memory that the entries take, in bytes, as the cache estimates it.
    public var bytes = 0

    /// Creates counts that are all 0.
    public init() {}
}
