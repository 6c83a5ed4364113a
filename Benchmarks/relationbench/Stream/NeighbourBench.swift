import RelationModel

/// Measures the effect of streams on calls beside them.
///
/// The same calls are made alone, beside the one disturbance and beside the other, in turns of one
/// run. So the ratios show the effect of the disturbances, whatever the machine is.
struct NeighbourBench {
    /// The disturbance beside the calls.
    enum Disturbance: String, CaseIterable {
        case none = "nothing"
        case stalled = "streams that are not read"
        case resets = "streams opened and reset"
    }

    /// The calls, which check friends.
    let requests: [Flood.Request]
    let data: BenchData
    let effort: Effort
    let executable: String

    /// The median round of each disturbance, by the 99th percentile.
    func measure() throws -> [(kind: Disturbance, report: FloodReport)] {
        let server = try ServerProcess(serving: executable, ["serve", "--data", data.path])
        _ = try calls(server.port, effort.warmUpSeconds, [], { _ in })
        var rounds: [Disturbance: [FloodReport]] = [:]
        for _ in 0..<effort.rounds {
            for kind in Disturbance.allCases {
                rounds[kind, default: []].append(try round(kind, server))
                _ = try server.settledUsage()
            }
        }
        try server.stop()
        return Disturbance.allCases.map { kind in
            let sorted = (rounds[kind] ?? []).sorted { $0.p99 < $1.p99 }
            return (kind, sorted[sorted.count / 2])
        }
    }

    private func round(_ kind: Disturbance, _ server: ServerProcess) throws -> FloodReport {
        let port = server.port
        switch kind {
        case .none: return try calls(port, effort.seconds, [], { _ in })
        case .stalled:
            // The server sends the answers until the sockets accept no more; the rest waits from
            // then on. The cost of beginning the streams is measured elsewhere: here they have
            // begun.
            let users = (0..<effort.stalledStreams).map {
                data.graph.users[$0 % data.graph.users.count].text
            }
            let crowd = try WatchCrowd(stalled: users, port: port)
            _ = try server.settledUsage()
            let figures = try calls(port, effort.seconds, crowd.connections, { _ in })
            try crowd.check()
            return figures
        case .resets: return try beside(resets: effort.resetsPerSecond, port)
        }
    }

    private func beside(resets perSecond: Int, _ port: UInt16) throws -> FloodReport {
        let request = try WatchCrowd.request(data.graph.users[0].text)
        let connections = try (0..<BenchLimits.resetConnections).map { _ in
            try ResetConnection(to: port, request, requestHeaders: WatchCrowd.requestHeaders(port))
        }
        let begin = FloodRun.now()
        var turns = 0
        let figures = try calls(port, effort.seconds, connections) { now in
            let due = Int(Double(now - begin) / 1e9 * Double(perSecond))
            while turns < due {
                connections[turns % connections.count].turn(at: now)
                turns += 1
            }
        }
        for connection in connections {
            if let loss = connection.loss { throw loss }
        }
        let wanted = Double(perSecond) * effort.seconds * 0.8 - Double(connections.count)
        guard Double(connections.reduce(0) { $0 + $1.resets }) >= wanted else {
            throw FloodError("fewer streams were reset than asked for")
        }
        return figures
    }

    private func calls(
        _ port: UInt16, _ seconds: Double, _ beside: [any PolledConnection],
        _ turn: @escaping (UInt64) -> Void
    ) throws -> FloodReport {
        var flood = Flood(
            port: port, requests: requests, load: Load(connections: 4, streams: 4), seconds: seconds
        )
        flood.staysAwake = true
        flood.listeners = beside
        flood.turn = turn
        return try flood.checkedRun("calls beside streams")
    }
}
