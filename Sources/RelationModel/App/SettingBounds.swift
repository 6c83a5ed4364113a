/// The bounds of an app's settings that are not limits of its users.
package enum SettingBounds {
    /// The highest number of applications in a window; a higher one would not be a limit at all.
    package static let applicationsPerDay = 100_000
    /// How long a window is in which applications, reports or lookups of contacts are counted: a
    /// minute to 90 days.
    package static let windowMs: ClosedRange<Int64> = 60_000...90 * dayMs
    /// A day: as long as such a window is unless the app says otherwise.
    package static let dayMs: Int64 = 86_400 * 1_000
    /// The longest time that an application waits: ten years.
    package static let applicationLifetimeMs: Int64 = 3_650 * 86_400 * 1_000
    /// The longest time for which a refused applicant waits: as long as a history goes back.
    package static let applicationCooldownMs = Limits.handledApplicationMilliseconds
    /// The longest time for which an account counts as new: a year.
    package static let newAccountQuarantineMs: Int64 = 365 * 86_400 * 1_000
    /// Forbidden words of one app; every text is searched for each of them.
    package static let forbiddenWords = 1_000
    /// The longest forbidden word.
    package static let forbiddenWordBytes = 64
    /// Fields of profiles with a default visibility of their own, in each list.
    package static let fieldDefaults = 100
    /// The most fields of profiles that an app may have under review.
    package static let reviews = 100_000
    /// The longest path of such a field.
    package static let fieldPathBytes = 64
    /// Administrators whose signature opens TIM's REST API; TIM has as many.
    package static let timAdministrators = 10
    /// The longest time that a client may keep a profile: 30 days.
    package static let profileCacheSeconds: Int64 = 30 * 86_400
    /// How long events are kept: a minute to a year.
    package static let logLifetimeMs: ClosedRange<Int64> = 60_000...365 * 86_400 * 1_000
    /// The most events that are kept for one user.
    package static let logEvents = 1_000_000
    /// The longest time for which a history is kept: ten years.
    package static let historyDays = 3_650
    /// How many bytes of it are kept: a mebibyte to a tebibyte.
    package static let historyBytes: ClosedRange<Int64> = 1 << 20...1 << 40
    /// How many are kept unless the app says otherwise: a gibibyte.
    package static let historyBytesUsually: Int64 = 1 << 30
    /// The highest rate of an app's callers, and the most that they may hold: more than one server
    /// can bear, so that a higher number would not be a bound.
    package static let callers = 1_000_000
}
