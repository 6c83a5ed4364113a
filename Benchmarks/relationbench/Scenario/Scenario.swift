/// The scenarios by the names that `--only` takes, in the order in which they run.
enum ScenarioName: String, CaseIterable, Sendable {
    case fixed, key, check, check20, list, add, add64
    case watch, watch64, friends, subscribers, presence, neighbours, overload
}

/// One kind of call under one load.
struct Scenario {
    enum Work: Equatable {
        /// CheckFriends of so many ids, from a store of fixed rows or from the graph.
        case check(ids: Int, fixed: Bool)
        case list
        /// AddFriends of one user that accepts every other, in both directions.
        case add
    }

    let title: String
    let work: Work
    var load = Load.reads
    /// Whether the server requires a credential, and the calls show a key.
    var isGuarded = false

    var isFixed: Bool { work == .check(ids: 1, fixed: true) }
    var writes: Bool { work == .add }
}

extension ScenarioName {
    private static let calls: [ScenarioName: Scenario] = [
        .fixed: Scenario(title: "CheckFriends of 1, fixed row", work: .check(ids: 1, fixed: true)),
        .key: Scenario(
            title: "the same with an API key", work: .check(ids: 1, fixed: true), isGuarded: true),
        .check: Scenario(title: "CheckFriends of 1", work: .check(ids: 1, fixed: false)),
        .check20: Scenario(title: "CheckFriends of 20", work: .check(ids: 20, fixed: false)),
        .list: Scenario(title: "ListFriends of 50", work: .list),
        .add: Scenario(title: "AddFriends, durable", work: .add, load: Load()),
        .add64: Scenario(title: "AddFriends, durable", work: .add, load: .writes),
    ]

    private static let streaming: [ScenarioName: StreamScenario] = [
        .watch: StreamScenario(title: "AddFriends, a stream each", work: .pairs),
        .watch64: StreamScenario(title: "AddFriends, a stream each", work: .pairs, load: .writes),
        .friends: StreamScenario(title: "UpdateProfile, to friends", work: .friendsProfile),
        .subscribers: StreamScenario(title: "UpdateProfile, to subscribers", work: .profile),
        .presence: StreamScenario(title: "ReportPresence, to subscribers", work: .presence),
    ]

    /// The calls to measure; nil for streams.
    var scenario: Scenario? { Self.calls[self] }
    /// The streams to measure; nil for calls.
    var streams: StreamScenario? { Self.streaming[self] }
}

/// Writes whose changes open streams are notified of.
struct StreamScenario {
    enum Work: Equatable {
        /// Pairs become friends and end the friendship: each write has two events, each for one
        /// stream.
        case pairs
        /// A user that all watching users have as a friend changes its nick.
        case friendsProfile
        /// A user to whom all watching users subscribe changes its nick.
        case profile
        /// A user to whom all watching users subscribe comes online or goes offline.
        case presence
    }

    let title: String
    let work: Work
    /// Writes in flight.
    var load = Load()

    /// Writes in a round; of both kinds, if pairs become friends and end the friendship.
    func writes(_ effort: Effort) -> Int {
        guard work == .pairs else { return effort.wideWrites }
        return load.isLone
            ? min(effort.watchers, 2 * effort.loneWrites)
            : min(effort.watchers, 2 * effort.massedWrites) * effort.massedTurns
    }
}
