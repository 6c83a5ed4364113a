import Glibc

/// Starts servers that do not tell where they listen.
enum QuietServer {
    /// Starts `words` on the server's processor, and waits until it accepts connections.
    ///
    /// - Parameter words: Makes the command from the port that it shall listen on.
    /// - Throws: ``FloodError`` if it does not in time.
    static func start(_ words: (_ port: UInt16) -> [String]) throws(FloodError) -> ServerProcess {
        let port = try Listener().port
        // It does not tell where it listens, so a shell tells it before.
        let command = ["-c", "echo listening on 127.0.0.1:$0; exec \"$@\"", "\(port)"]
        let process = try ServerProcess(serving: "/bin/sh", command + words(port))
        try retry(PeerBenchLimits.connectSeconds) { () throws(FloodError) in
            _ = try Socket(connectingTo: port)
        }
        return process
    }

    /// Tries `body` again and again until it succeeds, or throws its error after `seconds`.
    static func retry(_ seconds: Double, _ body: () throws(FloodError) -> Void) throws(FloodError) {
        let end = FloodRun.now() + UInt64(seconds * 1e9)
        while true {
            do throws(FloodError) {
                return try body()
            } catch {
                guard FloodRun.now() < end else { throw error }
                // The kernel does not tell when another process begins to listen.
                usleep(20_000)
            }
        }
    }
}
