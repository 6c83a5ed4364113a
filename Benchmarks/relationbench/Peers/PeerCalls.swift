/// One load under which all servers are measured.
struct PeerShape {
    /// The users that each call asks for.
    let ids: Int
    let load: Load
    /// Whether it stands in the picture, which has no place for all.
    var isPlotted = false

    static let all = [
        PeerShape(ids: 1, load: .reads, isPlotted: true),
        PeerShape(ids: 4, load: .reads),
        PeerShape(ids: 20, load: .reads, isPlotted: true),
        PeerShape(ids: 1, load: Load(connections: 100), isPlotted: true),
        PeerShape(ids: 1, load: Load()),
    ]

    /// The lengths of the calls.
    static let lengths = Set(all.map(\.ids)).sorted()

    var title: String { "\(ids) \(ids == 1 ? "id" : "ids"), \(load.connections) × \(load.streams)" }
}

/// The calls that all servers answer, and the answers that they must give.
struct PeerCalls {
    private var requests: [Int: [Flood.Request]] = [:]
    /// A request of each length whose answer has the median size.
    private var middle: [Int: Flood.Request] = [:]

    /// - Parameter count: How many different requests of each length there are.
    init(_ graph: SampleGraph, count: Int, seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        for ids in PeerShape.lengths {
            let made = try Calls.fixedChecks(count, ids: ids, in: graph, &numbers)
            requests[ids] = made
            let sorted = made.sorted { ($0.answer?.count ?? 0) < ($1.answer?.count ?? 0) }
            middle[ids] = sorted[made.count / 2]
        }
    }

    /// The answers that a server of files gives, by the length of the calls.
    var staticAnswers: [Int: [UInt8]] { middle.compactMapValues(\.answer) }

    /// The calls of `shape` to `server`, without an end.
    func flood(_ server: PeerServer, _ port: UInt16, _ shape: PeerShape) -> Flood {
        var flood = Flood(
            port: port, metadata: server.metadata, requests: requests[shape.ids] ?? [],
            load: shape.load)
        if server.isStatic {
            flood.path = "/" + StaticAnswers.path(ids: shape.ids)
            // A file of the median size answers all requests, whatever they ask for.
            let answer = middle[shape.ids]?.answer
            flood.requests = flood.requests.map { .init(message: $0.message, answer: answer) }
        }
        return flood
    }
}

/// The rounds of all servers under one load of CheckFriends.
struct ShapeFigures: Comparison {
    let shape: PeerShape
    var servers: [ServerRounds]

    var json: ReportObject {
        [
            "shape": shape.title, "ids": shape.ids, "connections": shape.load.connections,
            "streams": shape.load.streams,
            "servers": servers.map { server in
                ReportObject(
                    server.members + [("ours", ratio(of: PeerFigures.ours, to: server.name))])
            },
        ]
    }
}
