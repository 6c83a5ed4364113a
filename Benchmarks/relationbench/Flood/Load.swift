/// Calls in flight: connections, and those on each.
struct Load {
    var connections = 1
    var streams = 1

    static let reads = Load(connections: 4, streams: 50)
    static let writes = Load(connections: 4, streams: 16)

    var isSome: Bool { connections > 0 && streams > 0 }
    var isLone: Bool { connections * streams == 1 }
    var text: String { isLone ? "1" : "\(connections) × \(streams)" }
}
