package import GRPC
package import RPC
package import RelationCore

/// One operation on its way through the committer.
///
/// A loop makes it, the committer's thread runs it, and its loop finishes it. It is never in two
/// threads at once, so it is safe to hand over.
package protocol Job: AnyObject, Sendable {
    /// The owner whose quantum pays for it.
    var owner: WorkOwner { get }

    /// The number of operations that it counts as.
    var cost: Int { get }

    /// The number of writes that its callers would miss: a call is one write, whatever it costs.
    var writes: Int { get }

    /// The time after which the caller no longer waits for the answer.
    var deadline: Deadline? { get }

    /// The time in which its call was admitted; see ``Lease/epoch``.
    var epoch: Int64 { get }

    /// The keys that ``run(in:)`` reads, so that a batch's keys are read together.
    var keys: KeyList { get }

    /// Changes the transaction and keeps the answer.
    ///
    /// - Throws: ``StorageError``; the committer then undoes the job's changes.
    func run(in transaction: any WriteTransaction) throws(StorageError)

    /// Replaces the answer: the transaction failed, or this operation in it failed.
    func fail(_ error: StorageError)

    /// The call that waits for the answer.
    var handle: CallHandle { get }

    /// Sends the answer, on the call's loop.
    func finish(_ call: ServerCall)
}

extension Job {
    package var writes: Int { 1 }
    package var epoch: Int64 { 0 }
}
