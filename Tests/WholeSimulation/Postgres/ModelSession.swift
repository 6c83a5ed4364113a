import Storage

/// A connection to a modelled server, with what either end knows of it.
final class ModelSession {
    let number: Int
    /// The name of the process at the other end; empty for a program of another kind.
    let process: String
    let node: ModelNode
    /// Whether a transaction has one view, which its first statement takes.
    let isRepeatable: Bool
    /// The start of the server after which it was made.
    let boot: Int

    // The server's side.

    var isEnded = false
    var view: ModelTables?
    var change = ModelChange()
    var news: [PeerSignal] = []
    var isListening = false
    /// Statements that have come, in their order.
    var waiting: [ModelRequest] = []
    var running: ModelRequest?
    /// Whether the statement that runs waits for a lock, and whether it has just got it.
    var (isBlocked, isGranted) = (false, false)
    /// Until when it does nothing, as a process of the database that was stopped.
    var hungUntil: UInt64 = 0
    /// Counts the waits, so that the time limit of one ends no other.
    var blocks = 0
    /// Whether its commit is on the disk, and waits for a standby.
    var isCommitting = false
    /// Counts the commits, so that a standby answers for none but its own.
    var commits = 0

    // On the way between both ends.

    /// Whether nothing passes any more: only to the client, or in both directions.
    var (losesAnswers, losesAll) = (false, false)
    /// When the last statement comes, and the last answer.
    var (lastUp, lastDown): (UInt64, UInt64) = (0, 0)

    // The client's side.

    /// Whether the client knows that it has ended.
    var isTold = false
    var notices: [PeerSignal] = []

    init(_ number: Int, of process: String, to node: ModelNode, isRepeatable: Bool) {
        (self.number, self.process, self.node) = (number, process, node)
        self.isRepeatable = isRepeatable
        boot = node.boots
    }
}
