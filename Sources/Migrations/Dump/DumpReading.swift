/// Reads the users of a dump with their lists, in the order of exports.
package protocol DumpReading {
    /// How many users the dump has.
    var count: Int { get }
    /// The documents that belong to no user of the dump, and users that are none.
    var losses: [MigrationLoss] { get }
    /// The kinds of rows that the dump has for no user.
    var unread: UnreadKinds { get }

    /// The rows of some users, by their numbers in the order of their bytes.
    func read(_ numbers: Range<Int>) throws -> MigratedUsers
}

extension DumpReading {
    package var unread: UnreadKinds { UnreadKinds() }
}
