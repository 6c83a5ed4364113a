package import RelationAPI

/// The rows of some users, in the order of exports.
package struct MigratedUsers: Sendable {
    package var rows: [ExportAppResponse] = []
    package var losses: [MigrationLoss] = []

    private let known: KnownUsers?

    /// - Parameter known: The users of the file: rows about others are losses. Nil knows all.
    package init(among known: KnownUsers? = nil) {
        self.known = known
    }

    /// Adds users, after their lists were read: those of many users at a time.
    ///
    /// - Parameter read: Reads the lists of a user.
    mutating func add(
        _ users: [MigratedUser],
        reading read: @escaping @Sendable (inout MigratedUser) async throws -> Void
    ) async throws {
        let done = try await withThrowingTaskGroup(of: (Int, MigratedUser).self) { group in
            var done = [MigratedUser?](repeating: nil, count: users.count)
            for (index, user) in users.enumerated() {
                if index >= MigrationLimits.callsAtOnce, let (first, user) = try await group.next()
                {
                    done[first] = user
                }
                group.addTask {
                    var user = user
                    try await read(&user)
                    return (index, user)
                }
            }
            for try await (index, user) in group { done[index] = user }
            return done
        }
        for case var user? in done { add(&user) }
    }

    /// Adds the rows of a user, and its losses.
    mutating func add(_ user: inout MigratedUser) {
        rows += user.rows(among: known)
        losses += user.losses
    }
}
