package import GRPC
package import RelationCore

/// Learns what each transaction changed, on the committer's thread.
package protocol CommitListener: Sendable {
    /// Takes the events of a transaction that was committed.
    ///
    /// - Returns: Whether ``deliver(with:)`` has anything to send.
    func committed(_ events: [EventRow]) -> Bool

    /// Sends what was taken, after the calls of the transaction have their answers.
    func deliver(with work: LoopWork)
}
