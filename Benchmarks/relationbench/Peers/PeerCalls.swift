import Protobuf
import RelationAPI
import RelationModel

/// One load under which all servers are measured.
struct PeerShape {
    /// The users that each call asks for.
    let ids: Int
    let connections: Int
    let streams: Int
    /// Whether it stands in the picture, which has no place for all.
    var isPlotted = false

    static let all = [
        PeerShape(ids: 1, connections: 4, streams: 50, isPlotted: true),
        PeerShape(ids: 4, connections: 4, streams: 50),
        PeerShape(ids: 20, connections: 4, streams: 50, isPlotted: true),
        PeerShape(ids: 1, connections: 100, streams: 1, isPlotted: true),
        PeerShape(ids: 1, connections: 1, streams: 1),
    ]

    var title: String { "\(ids) \(ids == 1 ? "id" : "ids"), \(connections) × \(streams)" }
}

/// The calls that all servers answer, and the answers that they must give.
struct PeerCalls {
    private var requests: [Int: [Flood.Request]] = [:]
    /// A request of each length whose answer has the median size.
    private var middle: [Int: Flood.Request] = [:]

    /// - Parameter count: How many different requests of each length there are.
    init(_ graph: SampleGraph, count: Int, seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        for ids in Set(PeerShape.all.map(\.ids)).sorted() {
            let made = try (0..<count).map { _ in
                let owner = Int.random(in: graph.users.indices, using: &numbers)
                let others = (0..<ids).map { _ in
                    // No user is a friend of itself, not even over a fixed row.
                    let step = Int.random(in: 1..<graph.users.count, using: &numbers)
                    return (owner + step) % graph.users.count
                }
                return try Calls.check(
                    graph.users[owner].text,
                    others.map { (graph.users[$0].text, FriendRelation.bothWay) })
            }
            requests[ids] = made
            middle[ids] = made.sorted { Self.size($0) < Self.size($1) }[made.count / 2]
        }
    }

    /// The answers that a server of files gives, by the length of the calls.
    var staticAnswers: [Int: [UInt8]] { middle.compactMapValues(\.answer) }

    /// The calls of `shape` to `server`, without an end.
    func flood(_ server: PeerServer, _ port: UInt16, _ shape: PeerShape) -> Flood {
        var flood = Flood(
            port: port, path: FriendMethods.checkFriends.path, metadata: server.metadata,
            requests: requests[shape.ids] ?? [], connections: shape.connections,
            streams: shape.streams, calls: .max)
        if server.isStatic {
            flood.path = "/" + StaticAnswers.path(ids: shape.ids)
            // A file of the median size answers all requests, whatever they ask for.
            let answer = middle[shape.ids]?.answer
            flood.requests = flood.requests.map { .init(message: $0.message, answer: answer) }
        }
        return flood
    }

    private static func size(_ request: Flood.Request) -> Int { request.answer?.count ?? 0 }
}
