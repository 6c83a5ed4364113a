/// The bounds of the pages that are read, and of what commands take.
enum Limits {
    /// Bytes of a page: all series, or all connections that a page shows, are less than one MiB.
    static let pageBytes = 16 << 20

    /// How long a page may let itself be waited for, in seconds.
    static let pageSeconds = 15

    /// The longest time for which a key may be made to end, in days: a century.
    static let keyDays = 36_500

    /// How often an export or an import of an app goes on after its connection broke.
    static let copyAttempts = 10

    /// Rows of an app that are handed over together.
    static let copiedRowsAtOnce = 128
}
