import RelationModel

/// How much a read looks at, as far as its request says.
///
/// The loop of a connection answers small reads by itself. Longer ones go to other threads, so that
/// no caller waits for what another one has asked for.
package enum ReadSize: Sendable, Equatable {
    /// Some rows, or work that takes as long as to look them up.
    case rows(Int)
    /// As many rows as a user or an app has.
    case scan

    /// Items that are looked up in some rows each.
    static func items(_ count: Int, rows: Int) -> ReadSize {
        .rows(count * rows)
    }

    /// A page of a list: rows that lie together cost less than rows that are looked up.
    static func list(
        _ size: Int32, atMost limit: Int = Limits.maxPageRows
    ) -> ReadSize {
        .rows((pageRows(size, atMost: limit) + listedPerRow - 1) / listedPerRow)
    }

    /// A page of things that cost as much as a row that is looked up, or of such rows.
    static func page(
        _ size: Int32, atMost limit: Int = Limits.maxPageRows
    ) -> ReadSize {
        .rows(pageRows(size, atMost: limit))
    }

    /// How many rows that lie together are read in the time in which one is looked up.
    private static let listedPerRow = 4

    /// The rows of a page: a size below 0 is refused, and 0 is the usual one.
    private static func pageRows(_ size: Int32, atMost limit: Int) -> Int {
        size <= 0 ? min(Limits.defaultPageRows, limit) : min(Int(size), limit)
    }
}
