import ArgumentParser
import Migrations

/// Reads the users of another system by calls, into a file that is gone on with.
struct Pull<User: Sendable> {
    /// The other system, in words for people.
    let name: PlainText
    /// All users, in the order of their bytes.
    let users: [User]
    /// The file to write; nil for a dry run.
    var file: MigrationFile?
    /// The file of all that is left out; nil shows the first things only.
    let report: String?

    /// Reads all users that the file has not yet.
    ///
    /// - Parameters:
    ///   - read: Reads some users.
    ///   - calls: How many calls were made, and how many of them again.
    /// - Throws: The status of refused items if anything was left out.
    mutating func run(
        _ read: ([User]) async throws -> MigratedUsers,
        calls: () async -> (all: Int, repeated: Int)
    ) async throws {
        let done = file?.users ?? 0
        var progress = MigrationProgress(name, total: users.count, from: done)
        var losses = try MigrationReport(report, isGoingOn: done > 0)
        if done > 0 {
            StandardError.print("\(name): goes on after \(done) of \(users.count) users")
        }
        var next = done
        while next < users.count {
            let end = min(next + MigrationLimits.usersAtOnce, users.count)
            let found = try await read(Array(users[next..<end]))
            try losses.add(found.losses)
            try file?.add(found.rows, users: end)
            next = end
            progress.show(next, calls: await calls().all)
        }
        let made = await calls()
        try losses.close()
        let rows = try file?.finish()
        _ = try StandardOutput.print(
            "\(name): \(rows ?? 0) rows of \(users.count) users, by \(made.all) calls of which "
                + "\(made.repeated) were repeated")
        guard losses.isEmpty else {
            losses.explain()
            throw ExitCode(ExitStatus.itemsRefused.rawValue)
        }
    }
}
