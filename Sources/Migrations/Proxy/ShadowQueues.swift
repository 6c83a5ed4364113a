import Synchronization

/// Requests that wait for the new system: those of one user one after the other.
///
/// The queues are bounded. A request that finds no room is left out and counted, so nothing here
/// ever delays an answer.
final class ShadowQueues: Sendable {
    /// A request with the answer that the old system gave.
    struct Job: Sendable {
        let call: ProxiedCall
        let answer: [UInt8]

        var size: Int { call.target.utf8.count + call.body.count + answer.count }
    }

    private let queues: [AsyncStream<Job>.Continuation]
    private let streams: [AsyncStream<Job>]
    private let bytes = Mutex(0)

    init() {
        let pairs = (0..<MigrationLimits.shadowQueues).map { _ in
            AsyncStream<Job>.makeStream(
                bufferingPolicy: .bufferingOldest(MigrationLimits.shadowCallsOfQueue))
        }
        (streams, queues) = (pairs.map(\.stream), pairs.map(\.continuation))
    }

    /// - Returns: Whether there was room.
    func offer(_ job: Job, of user: String) -> Bool {
        let hasRoom = bytes.withLock { bytes in
            guard bytes + job.size <= MigrationLimits.shadowBytes else { return false }
            bytes += job.size
            return true
        }
        guard hasRoom else { return false }
        let queue = Int(user.hashValue.magnitude % UInt(queues.count))
        if case .enqueued = queues[queue].yield(job) { return true }
        remove(job)
        return false
    }

    /// Does what waits, until the task is cancelled.
    func run(_ work: @escaping @Sendable (Job) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for stream in streams {
                group.addTask {
                    for await job in stream {
                        await work(job)
                        self.remove(job)
                    }
                }
            }
        }
    }

    private func remove(_ job: Job) {
        bytes.withLock { $0 -= job.size }
    }
}
