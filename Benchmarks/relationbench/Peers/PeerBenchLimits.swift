/// The sizes of the measurements beside peers, and the bounds beyond which a run was disturbed.
enum PeerBenchLimits {
    /// The share of the processors' time that the machine may give to others while a round runs.
    static let stolenShare = 0.01
    /// The share of that time that other programs on the two processors may use.
    ///
    /// The kernel counts the time of a processor in hundredths of a second.
    static let othersShare = 0.03
    /// How far the rounds of one server may differ: the most less the least, of the median.
    static let spread = 0.25
    /// Disturbances that are told one by one; the others are only counted.
    static let toldDisturbances = 12
    /// How many times longer than all others a bar of the picture must be to be cut.
    static let cutBar = 4.0
    /// How long a server that does not tell its port may take until it accepts connections.
    static let connectSeconds = 20.0
    /// Connections that idle after one call, when the memory of one is measured.
    static let idleConnections = 400
    /// Long reads in flight beside the calls of a neighbour, of each kind.
    static let longReadStreams = 4
    /// Different long reads of each kind.
    static let differentLongReads = 4
    /// The items that long reads name: a call's most, or a page.
    static let profiles = 100
    static let checks = 1_000
    static let friends = 500
    static let relations = 100
    /// The processors that two loops share with each other, or two servers.
    static let loopProcessors = [0, 1]
    /// Into so many turns a round of the loops is cut.
    static let loopTurns = 4
    /// How long one call that is made alone may take.
    static let callSeconds = 30.0
    /// The deadline that every call shows.
    static let timeout = "30S"
}

/// How long and how often servers are measured beside each other.
struct PeerEffort {
    var rounds = 5
    /// The length of a round of one server.
    var seconds = 1.0
    var warmUpSeconds = 0.5
    var idleConnections = PeerBenchLimits.idleConnections
    /// Different requests of each length.
    var requests = BenchLimits.differentReads
    /// Calls of the shorter and of the longer run in which instructions are counted.
    var instructionCalls = (400, 2_400)
    /// The users of the graph for look-ups beside stores, and the friends of each.
    var setUsers = StoreLimits.users
    var setFriends = StoreLimits.friends
    /// Additions in a round of one server, one at a time and many at once.
    var loneWrites = 500
    var massedWrites = 4_800

    static let quick = PeerEffort(
        rounds: 1, seconds: 0.1, warmUpSeconds: 0.05, idleConnections: 20, requests: 64,
        instructionCalls: (20, 60), setUsers: 128, setFriends: 40, loneWrites: 10,
        massedWrites: 96)
}
