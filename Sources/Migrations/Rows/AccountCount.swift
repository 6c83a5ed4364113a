/// Counts the users of a migration, which are bounded.
package struct AccountCount: Sendable {
    private let most: Int
    private var count = 0

    /// - Parameter most: The users that are taken.
    package init(atMost most: Int = MigrationLimits.accounts) {
        self.most = most
    }

    /// Counts a user more.
    ///
    /// - Parameter source: Where they come from, for people.
    /// - Throws: ``MigrationError`` if there are too many.
    package mutating func add(in source: String) throws(MigrationError) {
        count += 1
        guard count <= most else { throw MigrationError("\(source) has more than \(most) users") }
    }
}
