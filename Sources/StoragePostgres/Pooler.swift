internal import Storage

/// A program between this one and the database that gives one session of the database to several
/// connections, such as PgBouncer with transaction pooling.
///
/// Settings, prepared statements, notices and the locks of a session belong to one connection here.
/// Behind such a pooler they would be lost, or be another's, now and then.
enum Pooler {
    static let words =
        "a pooler between this server and the database gives one session to several connections; "
        + "set it to session pooling, or connect without it"

    /// Throws ``StorageError`` with the code `foreign` if there is one.
    ///
    /// A pooler reports another number of the process than the database does. Then a second
    /// connection asks while the first one is still open: with session pooling it has a process of
    /// its own.
    static func check(_ options: PostgresOptions) throws(StorageError) {
        let session = try PostgresSession(options)
        let process = try session.run("SELECT pg_backend_pid()")
        guard process != ["\(session.reportedProcess)"] else { return }
        for _ in 0..<Limits.poolerChecks {
            let other = try PostgresSession(options)
            guard try other.run("SELECT pg_backend_pid()") != session.run("SELECT pg_backend_pid()")
            else { throw StorageError(.foreign, words) }
        }
    }
}
