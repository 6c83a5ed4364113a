/// The way to the server, if it runs.
protocol Network: AnyObject {
    /// - Parameter line: The number of the client.
    /// - Returns: A new connection; nil if no process listens.
    func connection(for line: Int) -> SimulatedConnection?

    /// Whether a commit waits for its disk now.
    var isCommitWaiting: Bool { get }

    /// Whether reads may be answered by standbys.
    var hasStandbys: Bool { get }
}

extension Network {
    /// A new connection on which raw calls are made; nil if no process listens.
    func connect(_ line: Int) -> ClientLine? {
        connection(for: line).flatMap { try? ClientLine($0) }
    }
}
