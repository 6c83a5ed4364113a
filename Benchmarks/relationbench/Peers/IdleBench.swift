/// Measures the memory of a connection that had one call and has none now.
struct IdleBench {
    let calls: PeerCalls
    let effort: PeerEffort

    /// The growth of the server's resident memory with each connection, in KiB.
    func measure(_ server: PeerServer) throws -> Double {
        let process = try server.start()
        let warm = PeerShape(ids: 1, connections: 4, streams: 50)
        var flood = calls.flood(server, process.port, warm)
        flood.seconds = effort.warmUpSeconds
        _ = try flood.checkedRun("\(server.name), before idle connections")
        let before = try process.settledUsage()

        let count = effort.idleConnections
        let shape = PeerShape(ids: 1, connections: count, streams: 1)
        flood = calls.flood(server, process.port, shape)
        flood.calls = count
        let run = FloodRun(flood)
        try run.open()
        try [run].drive(seconds: PeerLimits.callSeconds)
        let after = try process.settledUsage()
        guard try run.close().checked(server.name).calls == count else {
            throw FloodError("\(server.name): calls are missing")
        }
        try process.stop(bySignal: server.endsBySignal)
        return Double(after.residentBytes - before.residentBytes) / 1_024 / Double(count)
    }
}
