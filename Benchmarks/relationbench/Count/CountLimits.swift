/// The sizes with which instructions are counted.
enum CountLimits {
    /// The time of the loop, in nanoseconds: later than any machine's clock shows.
    ///
    /// So deadlines that are made of it are never past for code that reads the machine's clock.
    static let loopNanoseconds: UInt64 = 1 << 60
    /// The time that each call has, as the client reports it.
    static let timeout = "5S"
    static let timeoutMilliseconds = "5000"
    /// Calls that a caller may make, while no time passes.
    static let allowedCalls = 100_000_000
    /// Apps whose calls are counted each by itself: as many as a server counts by itself.
    static let countedApps = 10
    /// Room for the answers of a run; pages of it that no answer reaches take no memory.
    static let answerBytes = 256 << 20
    /// The users of the data, the owner of many friends with how many it has, and the owners of
    /// few.
    static let users = 1_200
    static let hubFriends = 500
    static let owners = 16
    static let ownerFriends = 50
    /// The users that the hub has blacklisted, those that applied to it, and the members of a
    /// group.
    static let blacklisted = 50
    static let applied = 50
    static let groupMembers = 20
    /// Writes that one run makes, the warm-up included.
    static let writes = 640
    /// Writes of a row of the table of costs: eight batches that are counted, and two before.
    static let costWrites = 160
    /// Writes, or other calls, that are made together when the data is prepared.
    static let preparedTogether = 50
}
