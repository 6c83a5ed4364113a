/// Servers that speak Redis' protocol.
enum RedisServer {
    private static let program = "/usr/bin/redis-server"

    /// Starts Redis, in memory or with a log that it syncs before each answer.
    ///
    /// - Parameter folder: An empty folder for its files.
    static func start(isDurable: Bool, in folder: String) throws(FloodError) -> ServerProcess {
        try QuietServer.start { port in
            [
                program, "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder, "--save", "",
                "--logfile", "log", "--appendonly", isDurable ? "yes" : "no",
                "--appendfsync", "always",
            ]
        }
    }

    /// Sends each of `requests` once.
    static func send(
        _ requests: [PipelineFlood.Request], to port: UInt16
    ) throws(FloodError) {
        guard !requests.isEmpty else { return }
        let flood = PipelineFlood(
            port: port, requests: requests, connections: 1, inFlight: 16, calls: requests.count)
        _ = try flood.run()
    }
}
