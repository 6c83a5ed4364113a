/// The sizes of the measurements beside stores.
enum StoreLimits {
    /// Users of the graph for look-ups, and the friends of each.
    static let users = 1_024
    static let friends = 350
    /// The users that one look-up asks for.
    static let lookups = [20, 100]
    /// Calls in flight on each of four connections when each call is long.
    static let longInFlight = 8
    /// Different calls whose answers a server is asked for once, before it is measured.
    static let askedReads = 256
    /// The users that a check of the sample graph names.
    static let checks = [1, 20, 100, 1_000]
    /// From this number of users on a call is long.
    static let longCall = 1_000
    /// The users that other reads of the sample graph name.
    static let readUsers = 20
    /// Additions in flight when they come in masses.
    static let massed = Load.writes
    /// Connections of PostgreSQL beside them, which has one transaction in flight on each.
    static let massedSessions = 16
    /// How long a server's processes may take to end after their connections.
    static let restSeconds = 20.0
    /// How long a database may take to start.
    static let databaseSeconds = 60.0
    /// The folder in which Debian puts each major version of PostgreSQL.
    static let postgresFolder = "/usr/lib/postgresql"
    /// The user of the machine that a database runs as, if this program runs as root.
    static let postgresUser = "postgres"
}
