import AdminEndpoints

/// The bounds of the settings, and of the end of a server whose store has failed.
enum Limits {
    /// How long a start waits for a database that is not there.
    static let databaseSeconds = 60
    /// How often it says so meanwhile.
    static let databaseNoteSeconds = 5

    /// How long the list of databases waits for one of them.
    static let listedDatabaseSeconds = 2
    /// The connections that each database of a directory gets at least.
    static let leastDatabaseConnections = 16

    /// The longest file of settings: with every setting in it, it has less than a tenth.
    static let configurationBytes = 65_536

    /// How much of a wrong name or value a message repeats.
    static let shownCharacters = 64

    /// The room for a demo's rows, beside what its store keeps in reserve.
    static let demoRowBytes: UInt64 = 64 << 20

    /// How long a call may take that fills a demo, in seconds.
    static let demoFillSeconds: Int64 = 60

    /// The longest name of the service in its spans.
    static let nameCharacters = 128

    /// Origins, or names of hosts, in one setting: each request of a browser is compared with all.
    static let listedNames = 64

    /// Standbys for long reads: a primary with more feeds them over others.
    static let listedStandbys = 8

    /// The column at which the list of settings names their sources.
    static let listingColumn = 40

    /// How long a supervisor that does not read may hold up a word to it, in seconds.
    static let supervisorSeconds = 2

    /// The time for a stop beside its delay that a supervisor gets, in seconds.
    ///
    /// Running calls get ten of them; the rest is for the engine's last writes.
    static let stopSeconds = 60

    /// How long running calls may go on after the store has failed, in seconds.
    ///
    /// Clients learn from the stop itself which of their calls were not accepted. That takes two
    /// seconds if a client does not answer.
    static let failedStoreGraceSeconds = 3

    /// The seconds after which the process ends in any case, even if something in it waits for
    /// ever.
    static let failedStoreSeconds: UInt32 = 6
}

/// How file descriptors are shared out.
enum DescriptorLimits {
    /// The descriptors that are kept for other uses than connections and files of rows.
    ///
    /// These are the log, the listening socket, the engine's own logs, the files that the engine is
    /// writing, sockets that are refused, and files that the system's libraries open for a short
    /// time. The owner's socket takes three. The admin endpoints come beside that, so that they
    /// take nothing from the engine.
    static let reserve = 64 + AdminLimits.descriptors + pageThread

    /// The descriptors that the admin thread needs to listen and to wait, and some more.
    private static let pageThread = 8

    /// The descriptors that each thread that serves connections needs to wait for them.
    static let perThread = 4

    /// The engine gets one of so many descriptors.
    ///
    /// A file of rows has 64 MB, and few of them are read at one time.
    static let engineShare = 8

    /// The least number of files of rows that the engine keeps open; it opens others when it needs
    /// them.
    static let leastEngineFiles = 32

    /// The highest number of files of rows that the engine keeps open: a quarter of a terabyte.
    static let mostEngineFiles = 4_096

    /// The least number of connections with which a server is of use.
    static let leastConnections = 32

    /// The number to ask for if the system allows more: four times the room for all connections and
    /// files.
    static let most = 65_536

    /// The limit to assume if the system does not report it: the usual one.
    static let assumed = 1_024
}

/// The bounds of what `init` takes.
enum InitLimits {
    /// The longest time for which a key may be made to end: a century.
    static let days = 36_500
}

/// The bounds of the socket by which the owner of a data folder asks for keys.
enum OwnerLimits {
    /// The longest message: a list of all keys has less than a third.
    static let messageBytes = 65_536

    /// How long the server waits for a request and for its reader: the next one waits meanwhile.
    static let serverMilliseconds = 3_000

    /// How long the command waits: for others before it, and for a commit.
    static let commandMilliseconds = 20_000

    /// The connections that may wait to be accepted.
    static let waiting = 8

    /// The pause after an attempt without a descriptor.
    static let pauseMicroseconds: UInt32 = 100_000
}

/// How much memory holds what was read of the store.
enum StoreMemoryLimits {
    /// The least that the engine's blocks get: room for those that reads use at the same time.
    static let leastBlockBytes = 8 << 20

    /// The most that may be asked for: a terabyte.
    static let mostCacheMebibytes = 1 << 20
}

/// The sizes of the pieces in which a store is copied.
enum CopyLimits {
    /// Rows and bytes of one piece, which is one transaction of the target.
    static let rows = 10_000
    static let bytes = 8 << 20
}
