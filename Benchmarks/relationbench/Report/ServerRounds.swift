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
    /// The processor time of the client for one call, where it is looked at.
    var clientMicroseconds = Rounds([])

    /// The same rounds of a server that stores nothing.
    var withoutWrites: ServerRounds {
        var rounds = self
        rounds.writtenBytes = Rounds([])
        return rounds
    }

    /// The rounds as members of an object.
    var members: [(String, any JSON)] {
        [
            ("name", name), ("cpuMicroseconds", cpuMicroseconds),
            ("callsPerSecond", callsPerSecond), ("p50Microseconds", p50Microseconds),
            ("p99Microseconds", p99Microseconds),
        ] + (writtenBytes.values.isEmpty ? [] : [("writtenBytes", writtenBytes)])
    }
}

/// Servers under one load.
protocol Comparison {
    var servers: [ServerRounds] { get }
}

extension Comparison {
    /// The figures of one server.
    func server(_ name: String) -> ServerRounds? { servers.first { $0.name == name } }

    /// One server's figure as a part of another's: the median of the ratios within the rounds.
    func ratio(
        of one: String, to other: String,
        _ figure: (ServerRounds) -> Rounds = { $0.cpuMicroseconds }
    ) -> Double? {
        guard let one = server(one), let other = server(other) else { return nil }
        return figure(one).ratios(to: figure(other)).middle
    }
}
