internal import CPostgres

/// How a store reaches its database.
package struct PostgresOptions: Sendable {
    /// The address, as libpq reads it: a URL `postgresql://…`, or words `host=… dbname=…`.
    ///
    /// It has no password: one in an argument stands in the list of processes.
    package var address: String
    /// The password; nil if libpq finds one by itself, in `PGPASSFILE`, or needs none.
    package var password: String?
    /// Connections for reads of one read version each.
    package var readers = 8
    /// Connections for transactions that write: one for all apps whose locks are free, six for apps
    /// that wait for theirs, and one more.
    package var writers = 8
    /// Snapshots that are kept for long readers, each on a connection of its own: as many as
    /// streams of changes may read at once.
    package var snapshots = 64
    /// How long a statement, a free connection or the end of a transaction is waited for.
    package var patienceMilliseconds = 10_000
    /// How long a transaction may be idle that may write, before the database ends its session; 0
    /// for any time.
    package var idleMilliseconds = 0
    /// How long one attempt to connect may take; libpq counts in seconds.
    package var connectSeconds = 5

    /// The addresses of standbys, on one of which a long read keeps its view.
    package var standbys: [String] = []
    /// How long a long read waits for a standby that has all that was committed before it.
    package var standbyWaitMilliseconds = 1_000
    /// How old the view of a standby may be that answers an ordinary read; 0 if none does.
    package var standbyStalenessMilliseconds = 0
    /// Whether the address may lead to a server that takes no writes.
    var takesStandbys = false

    /// Makes waits short when the process ends.
    package var shutdown = Shutdown()

    package init(address: String, password: String? = nil) {
        self.address = address
        self.password = password
    }

    /// Whether libpq can read `address`, and it has no password in it.
    package static func isAddress(_ address: String) -> Bool {
        guard let words = PQconninfoParse(address, nil) else { return false }
        defer { PQconninfoFree(words) }
        var word = words
        // The list ends with an entry without a name.
        while let name = word.pointee.keyword {
            let isSecret = ["password", "sslpassword"].contains(String(cString: name))
            if isSecret, word.pointee.val != nil { return false }
            word += 1
        }
        return true
    }
}
