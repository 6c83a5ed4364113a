/// The sizes of the measurement of growth.
enum GrowthLimits {
    /// The friendships of the graphs, unless others are asked for: about so many.
    static let friendships = [88_234, 1_000_000, 5_000_000, 20_000_000]
    /// The most that one graph may have.
    static let mostFriendships = 1_000_000_000
    /// The friendships of the small graph in a quick run, and the copies of the largest one.
    static let quickLines = 400
    static let quickCopies = 3
    /// One in so many friendships of a small graph leads to another copy of it.
    static let crossing = 8
    /// The device's bytes that one friendship may need: its line in the file, and its rows, also
    /// those that are being sorted into new files.
    static let bytesPerFriendship = 1_000
    /// The device's bytes that are needed for a graph without a friendship.
    static let bytesBeside = 256 << 20
    /// How often progress is shown: in parts of a file, and in seconds of an import.
    static let progressParts = 10
    static let progressSeconds = 30.0
    /// How long an import may take.
    static let importSeconds = 6.0 * 3_600
    /// How long the engine may sort files after an import, and for how many seconds it must rest.
    static let settleSeconds = 1_800.0
    static let restSeconds = 2.0
    /// Calls that are made and checked at once when each user is asked for.
    static let batch = 16_384
    /// How long one batch may take.
    static let batchSeconds = 600.0
    /// How often a random pair may be drawn until one is found whose users are not friends.
    static let draws = 1_000
}

/// How long and how often a graph is measured.
struct GrowthEffort {
    var peers = PeerEffort()
    /// Different calls of each kind in a round; no round repeats those of another.
    var requests = 16_384
    /// Additions in a round.
    var writes = 5_000

    static let quick = GrowthEffort(peers: .quick, requests: 64, writes: 64)
}
