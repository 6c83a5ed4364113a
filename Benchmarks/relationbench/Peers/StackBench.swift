/// The rounds of one server under one load.
struct ServerRounds {
    let name: String
    /// The server's processor time for one call, with that of the kernel.
    var cpuMicroseconds = Rounds([])
    var callsPerSecond = Rounds([])
    var p50Microseconds = Rounds([])
    var p99Microseconds = Rounds([])
    /// The bytes that it caused to be written to a device for one call; empty if they were
    /// not looked at.
    var writtenBytes = Rounds([])
}

extension ServerRounds {
    /// The same rounds of a server that stores nothing.
    var withoutWrites: ServerRounds {
        var rounds = self
        rounds.writtenBytes = Rounds([])
        return rounds
    }

    /// The rounds as members of an object.
    var members: [(String, JSON)] {
        [
            ("name", .text(name)), ("cpuMicroseconds", cpuMicroseconds.json),
            ("callsPerSecond", callsPerSecond.json), ("p50Microseconds", p50Microseconds.json),
            ("p99Microseconds", p99Microseconds.json),
        ] + (writtenBytes.values.isEmpty ? [] : [("writtenBytes", writtenBytes.json)])
    }
}

/// The rounds of all servers under one load.
struct ShapeFigures {
    let shape: PeerShape
    var servers: [ServerRounds]

    /// The processor time of one server's call as a part of another's: the median of the ratios
    /// within the rounds.
    func ratio(of one: String, to other: String) -> Double? {
        guard let one = servers.first(where: { $0.name == one }),
            let other = servers.first(where: { $0.name == other })
        else { return nil }
        let ratios = one.cpuMicroseconds.ratios(to: other.cpuMicroseconds)
        return ratios.values.isEmpty ? nil : ratios.median
    }
}

/// Measures the same calls to all servers, which stand by in one run.
final class StackBench {
    private let servers: [PeerServer]
    private let calls: PeerCalls
    private let effort: PeerEffort
    /// Why rounds should not be trusted, in the order of the rounds.
    private(set) var disturbances: [String] = []

    init(_ servers: [PeerServer], _ calls: PeerCalls, effort: PeerEffort) {
        self.servers = servers
        self.calls = calls
        self.effort = effort
    }

    /// - Throws: ``FloodError`` if a server failed or gave a wrong answer.
    func measure(_ note: (String) -> Void) throws -> [ShapeFigures] {
        let processes = try servers.map { try $0.start() }
        let figures = try PeerShape.all.map { shape in
            note("\(shape.title): \(effort.rounds) rounds of \(servers.count) servers")
            return try measure(shape, processes)
        }
        for (server, process) in zip(servers, processes) {
            try process.stop(bySignal: server.endsBySignal)
        }
        return figures
    }

    private func measure(
        _ shape: PeerShape, _ processes: [ServerProcess]
    ) throws -> ShapeFigures {
        var turns = Turns(effort: effort, title: shape.title)
        for (server, process) in zip(servers, processes) {
            turns.add(server.name, process) { [calls] in calls.flood(server, process.port, shape) }
        }
        let rounds = try turns.measure()
        disturbances += turns.disturbances
        return ShapeFigures(shape: shape, servers: rounds.map(\.withoutWrites))
    }
}
