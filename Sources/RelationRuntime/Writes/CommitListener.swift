package import GRPC
package import RelationCore

/// Learns of the changes of each transaction, on the committer's thread.
package protocol CommitListener: Sendable {
    /// Takes the events of a transaction that was committed.
    ///
    /// - Returns: Whether ``deliver(with:)`` has anything to send.
    func committed(_ events: [EventRow]) -> Bool

    /// Sends the events that were taken, after the calls of the transaction have their answers.
    func deliver(with work: LoopWork)
}
