/// The bounds of how the server ends.
enum Limits {
    /// How long running calls may go on after the store has failed.
    ///
    /// Clients learn from the stop itself which of their calls were not taken, and that takes two
    /// seconds where one does not answer.
    static let failedStoreGraceSeconds = 3

    /// When the process ends after that, also if something in it waits for ever.
    static let failedStoreSeconds: UInt32 = 6
}

/// How descriptors are shared out.
enum DescriptorLimits {
    /// What is kept for all but connections and files of rows: the log, the listening socket, the
    /// engine's own logs and those files that it is writing, sockets that are refused, and files
    /// that the system's libraries open for a moment.
    static let reserve = 64

    /// What each thread that serves connections needs to wait for them.
    static let perThread = 4

    /// The engine's share: one of eight.
    ///
    /// A file of rows has 64 MB, and few are asked at one time.
    static let engineShare = 8

    /// Files of rows that the engine keeps open at least; it opens the others when it needs them.
    static let leastEngineFiles = 32

    /// Files of rows that it keeps open at most: a quarter of a terabyte.
    static let mostEngineFiles = 4_096

    /// Connections without which a server is no use.
    static let leastConnections = 32

    /// What is asked for where more is allowed: room for all connections and all files, four times.
    static let most = 65_536

    /// What is taken for the limit where the system does not say it: the usual one.
    static let assumed = 1_024
}
