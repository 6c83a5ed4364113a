/// The streams of changes that a client reads, by the users that they are about.
struct ChainFeeds {
    private struct Feed {
        let scope: ChainScope
        /// The cache's version at which the stream had sent all that was before it; nil until then.
        var live: UInt64?
        /// When a message was read last, since it is live.
        var heard = Duration.zero
    }

    private var feeds: [UInt64: Feed] = [:]
    private var ofUser: [ByteText: Set<UInt64>] = [:]
    private var ofApp: Set<UInt64> = []
    private var next: UInt64 = 0

    mutating func add(_ scope: ChainScope) -> UInt64 {
        next += 1
        feeds[next] = Feed(scope: scope)
        switch scope {
        case .users(let users):
            for user in users { ofUser[user, default: []].insert(next) }
        case .app: ofApp.insert(next)
        case .none: break
        }
        return next
    }

    mutating func remove(_ number: UInt64) {
        guard let feed = feeds.removeValue(forKey: number) else { return }
        switch feed.scope {
        case .users(let users):
            for user in users {
                ofUser[user]?.remove(number)
                if ofUser[user]?.isEmpty ?? false { ofUser[user] = nil }
            }
        case .app: ofApp.remove(number)
        case .none: break
        }
    }

    func scope(of number: UInt64) -> ChainScope? { feeds[number]?.scope }

    /// Whether the stream has sent all that was before it.
    func isLive(_ number: UInt64) -> Bool { feeds[number]?.live != nil }

    mutating func begin(_ number: UInt64, at version: UInt64) {
        feeds[number]?.live = version
    }

    mutating func noteMessage(_ number: UInt64, at now: Duration) {
        if feeds[number]?.live != nil { feeds[number]?.heard = now }
    }

    /// The stream is lost, or starts over.
    mutating func disconnect(_ number: UInt64) {
        feeds[number]?.live = nil
    }

    /// When a stream last sent a message about a user's chain that was asked for at `version`; nil
    /// if no stream has sent all since then.
    func lastMessage(of user: ByteText, since version: UInt64) -> Duration? {
        guard !feeds.isEmpty else { return nil }
        var heard: Duration?
        for number in ofUser[user, default: []].union(ofApp) {
            guard let feed = feeds[number], let live = feed.live, live < version else { continue }
            heard = max(heard ?? .zero, feed.heard)
        }
        return heard
    }
}
