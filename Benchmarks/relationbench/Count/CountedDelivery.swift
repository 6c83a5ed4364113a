import GRPC
import Glibc
import RelationCore
import RelationRuntime
import Synchronization

/// Where the counter begins; the body only keeps it from being taken for another function.
///
/// The counter knows this function and ``countEnds()`` by their names, and adds up the parts
/// between them.
@inline(never) func countBegins() { _ = getpid() }

/// Where the counter ends.
@inline(never) func countEnds() {
    _ = getppid()
    // The counter has ended before this.
    countedParts.add(1, ordering: .relaxed)
}

/// How often the counter has ended.
let countedParts = Atomic(0)

/// Counts the work of delivery to streams, and not that of the writes that they are notified of.
final class CountedDelivery: CommitListener {
    private let listener: any CommitListener
    private let isCounting = Atomic(false)
    /// The rows of the commits so far.
    ///
    /// Their last owner frees them, and that is a cost of the write: without streams it would be
    /// the committer.
    private let kept = Mutex<[[EventRow]]>([])

    init(_ listener: any CommitListener) { self.listener = listener }

    /// Counts, as long as `work` runs, the parts of it that ``part(_:)`` runs.
    func counted(_ work: () throws -> Void) rethrows {
        isCounting.store(true, ordering: .relaxed)
        defer { isCounting.store(false, ordering: .relaxed) }
        try work()
    }

    func part<Result>(_ work: () -> Result) -> Result {
        guard isCounting.load(ordering: .relaxed) else { return work() }
        countBegins()
        defer { countEnds() }
        return work()
    }

    func committed(_ events: [EventRow]) -> Bool {
        kept.withLock { $0.append(events) }
        return part { listener.committed(events) }
    }

    func deliver(with work: LoopWork) { part { listener.deliver(with: work) } }
}
