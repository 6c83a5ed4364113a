/// The bounds of an app's settings that are not limits of its users.
public enum SettingBounds {
    /// The highest number of applications a day; a higher one would be no limit at all.
    public static let applicationsPerDay = 100_000
    /// The longest time that an application waits: ten years.
    public static let applicationLifetimeMs: Int64 = 3_650 * 86_400 * 1_000
    /// Forbidden words of one app; every text is searched for each of them.
    public static let forbiddenWords = 1_000
    /// The longest forbidden word.
    public static let forbiddenWordBytes = 64
    /// The longest time that a client may keep a profile: 30 days.
    public static let profileCacheSeconds: Int64 = 30 * 86_400
    /// How long events are kept: a minute to a year.
    public static let logLifetimeMs: ClosedRange<Int64> = 60_000...365 * 86_400 * 1_000
    /// The most events that are kept for one user.
    public static let logEvents = 1_000_000
}
