/// The bounds of the pages that are read.
enum Limits {
    /// Bytes of a page: all series, or all connections that a page shows, are less than one MiB.
    static let pageBytes = 16 << 20

    /// How long a page may let itself be waited for, in seconds.
    static let pageSeconds = 15
}
