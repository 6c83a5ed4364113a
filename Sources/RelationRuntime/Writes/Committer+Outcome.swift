import GRPC
import RPC
import RelationAdmission
import RelationCore
import Storage

extension Committer {
    /// The changes that a transaction has made.
    struct Written {
        let events: [EventRow]
        /// Whether it has changed apps or credentials, and other servers have the store.
        let isOfRegistry: Bool
        /// Whether it answers what an earlier transaction has changed of apps or credentials.
        let answersEarlierChange: Bool
        /// Whether it has written rows.
        let hasRows: Bool
        /// Its changes of apps and credentials; nil if ``Apps`` has them.
        let staged: Apps.Staged?
        /// The version of the registry that has its change.
        var registry: Int64?
        /// The version that servers must know before its answers are sent; nil if there is none.
        var settling: Settling?
    }

    /// A version of the registry that servers must know before an answer is sent.
    struct Settling {
        let version: Int64
        /// Whether this server must know it too: another one may have made the change.
        let isForAll: Bool
    }

    /// The outcome of a batch.
    struct Outcome {
        /// The number of its jobs that ran.
        var count = 0
        /// Whether the listener is notified of their events.
        var notifies = false
        /// The version that servers must know before its answers are sent; nil if there is none.
        var settling: Settling?
        /// How long the commit took after the work, where a network lies between; nil if there is
        /// none, if no row was written, or if it failed.
        var waited: UInt64?
    }

    /// The apps whose locks keep other servers out; that of the registry stands for all.
    ///
    /// All writes of an app write the state of its feed, so they could not run beside one another
    /// in any case, and one lock is cheaper than a lock for each user.
    static func apps(of lists: [KeyList], _ jobs: [any Job]) -> Set<UInt32> {
        var apps = Set(jobs.map(\.owner.app))
        for list in lists { apps.formUnion(list.apps) }
        return apps
    }

    /// Notes for the traces of some jobs that their transaction has ended.
    static func committed(_ jobs: ArraySlice<any Job>) {
        let now = Deadline.clock
        for job in jobs { job.handle.committed(at: now) }
    }

    /// Ends calls whose callers wait no more.
    static func drop(_ handles: [CallHandle], _ meter: CommitMeter) {
        guard !handles.isEmpty else { return }
        CallHandle.expire(handles)
        meter.dropped(handles.count)
    }
}
