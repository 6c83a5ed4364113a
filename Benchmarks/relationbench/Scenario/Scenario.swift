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
    let connections: Int
    let streams: Int
    /// Whether the server requires a credential, and the calls show a key.
    var isGuarded = false

    var isFixed: Bool { work == .check(ids: 1, fixed: true) }
    var writes: Bool { work == .add }
    var inFlight: Int { connections * streams }
}

extension ScenarioName {
    /// The calls to measure; nil for streams.
    var scenario: Scenario? {
        switch self {
        case .fixed:
            Scenario(
                title: "CheckFriends of 1, fixed row", work: .check(ids: 1, fixed: true),
                connections: 4, streams: 50)
        case .key:
            Scenario(
                title: "the same with an API key", work: .check(ids: 1, fixed: true),
                connections: 4, streams: 50, isGuarded: true)
        case .check:
            Scenario(
                title: "CheckFriends of 1", work: .check(ids: 1, fixed: false), connections: 4,
                streams: 50)
        case .check20:
            Scenario(
                title: "CheckFriends of 20", work: .check(ids: 20, fixed: false), connections: 4,
                streams: 50)
        case .list:
            Scenario(title: "ListFriends of 50", work: .list, connections: 4, streams: 50)
        case .add:
            Scenario(title: "AddFriends, durable", work: .add, connections: 1, streams: 1)
        case .add64:
            Scenario(title: "AddFriends, durable", work: .add, connections: 4, streams: 16)
        case .watch, .watch64, .friends, .subscribers, .presence, .neighbours, .overload: nil
        }
    }

    /// The streams to measure; nil for calls.
    var streams: StreamScenario? {
        switch self {
        case .watch:
            StreamScenario(name: self, title: "AddFriends, a stream each", work: .pairs)
        case .watch64:
            StreamScenario(
                name: self, title: "AddFriends, a stream each", work: .pairs, connections: 4,
                streams: 16)
        case .friends:
            StreamScenario(name: self, title: "UpdateProfile, to friends", work: .friendsProfile)
        case .subscribers:
            StreamScenario(name: self, title: "UpdateProfile, to subscribers", work: .profile)
        case .presence:
            StreamScenario(name: self, title: "ReportPresence, to subscribers", work: .presence)
        case .fixed, .key, .check, .check20, .list, .add, .add64, .neighbours, .overload: nil
        }
    }
}
