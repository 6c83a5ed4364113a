import RelationCore
import Webhooks

/// A hook that this server delivers for, or would.
struct HookKey: Hashable, Sendable {
    let app: UInt32
    let hook: HookID
}

/// A hook in the memory of the server.
final class ServedHook {
    let key: HookKey
    var hook: HookRecord
    /// Its events on their way; nil while this server does not deliver for it.
    var queue: DeliveryQueue?
    /// The time in which this server has it now: results of an earlier life are of no use.
    var life = 0
    /// The round and the lease of the present life, by the steady clock.
    var round: Int64 = 0
    var leaseUntil: Int64 = 0
    /// See ``HookProgressRecord/erasures``, at the beginning of the present life.
    var erasures: Int64 = 0
    /// Another server's lease that was not renewed, and since when this one has seen it.
    var foreignLease: HookStep.Lease?
    private var foreignSince: Int64 = 0
    /// Before this time the server does not try to take it.
    var nextTakeMs: Int64 = 0
    /// Since when no server has it, as far as this one has looked.
    var freeSinceMs: Int64?
    /// Whether it is given back so that another server takes it.
    var isSpare = false
    /// Whether it is given back for a while, since others need the memory of its events.
    var givesRoom = false
    /// The position up to which the log was read.
    var readThrough: Int64 = 0
    /// Requests that are under way, of this life and of earlier ones.
    var underWay = 0
    /// Requests of earlier lives: as long as there are some, nothing goes out, so that no event
    /// passes another one of its user.
    var strays = 0
    /// The values of the row, as they are to be stored.
    var deliveredMs: Int64?
    var failingSinceMs: Int64 = 0
    /// How long it has failed since then, as far as it was tried.
    private(set) var failingForMs: Int64 = 0
    /// The moment of the steady clock up to which that is counted.
    private var countedAt: Int64 = 0
    /// Users whose events were refused for what they are, since the receiver last took some.
    private var rejectedUsers: Set<String> = []
    /// Whether the receiver has failed otherwise since then, in this life.
    private var wasAway = false
    var stoppedMs: Int64 = 0
    /// Whether a server has stopped it, as far as this one has looked.
    var isStopped = false
    var failures: [HookFailureRecord] = []
    var stored = DeliveryProgress()
    var storedMs: Int64 = 0
    /// Whether more than the position has to be stored.
    var isDirty = false
    /// The history of the present life's positions.
    var historyID: UInt64 = 0
    /// Whether it is given back, or taken again, after its progress was stored.
    var isEnding = false

    init(_ key: HookKey, _ hook: HookRecord) {
        self.key = key
        self.hook = hook
    }

    /// Its logins and logouts on their way.
    var states = StateLine()

    /// Whether this server delivers for it.
    var isHeld: Bool { queue != nil }

    /// Whether its next events may be read: none is after a marker that waits.
    var mayRead: Bool {
        guard let queue else { return false }
        return !isEnding && !queue.isFull && !markerWaits
    }

    /// Whether a marker of events that are gone is not delivered yet.
    var markerWaits: Bool { queue?.waits(for: HookForms.markerUser) ?? false }

    /// The bytes that wait.
    var heldBytes: Int { queue?.counts().waitingBytes ?? 0 }

    /// Whether it has events, logins or failures of users that are not stored here.
    var hasMemory: Bool {
        guard let queue, !isEnding else { return false }
        return queue.counts().waitingEvents > 0 || states.count > 0 || !failures.isEmpty
    }

    /// Whether the lease lasts for one more request.
    func maySend(at now: Int64) -> Bool {
        now + HookLimits.requestMilliseconds <= leaseUntil
    }

    /// Whether another server's lease was not renewed for all of its length by this server's clock,
    /// whatever the clock says that wrote it.
    func hasSeenEnd(ofLeaseIn row: HookProgressRecord, at now: Int64) -> Bool {
        let lease = HookStep.Lease(round: row.round, untilMs: row.leaseUntilMs)
        if lease != foreignLease { (foreignLease, foreignSince) = (lease, now) }
        return now - foreignSince >= HookLimits.leaseMilliseconds
    }

    /// Learns whether its receiver takes something.
    ///
    /// An answer that refuses events for what they are says that the receiver is well. One that
    /// refuses those of many users and takes none is not, and neither is one that refuses a marker,
    /// after which everything waits.
    ///
    /// - Parameter wall: The time since 1970.
    func note(
        _ outcome: DeliveryOutcome, of batch: DeliveryBatch, at now: Int64, wall: Int64
    ) {
        if failingSinceMs > 0 { count(upTo: now) }
        switch outcome {
        case .delivered:
            deliveredMs = wall
            (failingSinceMs, failingForMs) = (0, 0)
            rejectedUsers = []
            wasAway = false
        case .rejected:
            let most = HookLimits.rejectedUsers
            for event in batch.events where rejectedUsers.count < most {
                rejectedUsers.insert(event.user)
            }
            let isMarker = batch.events.contains { HookForms.isMarker($0) }
            if isMarker || rejectedUsers.count >= most {
                beginFailing(at: now, wall)
            } else if wasAway {
                // It is back. A time that was stored before a restart stays, since the receiver may
                // have refused all in it.
                (failingSinceMs, failingForMs) = (0, 0)
                wasAway = false
            }
        case .failed, .busy, .gone:
            wasAway = true
            beginFailing(at: now, wall)
        }
    }

    private func beginFailing(at now: Int64, _ wall: Int64) {
        if failingSinceMs == 0 { (failingSinceMs, failingForMs, countedAt) = (wall, 0, now) }
    }

    /// Goes on with what is stored.
    ///
    /// - Parameter wall: The time since 1970.
    func resumeFailures(_ row: HookProgressRecord, at now: Int64, wall: Int64) {
        failingSinceMs = min(row.failingSinceMs, wall)
        (failingForMs, countedAt) = (row.failingForMs, now)
    }

    /// Counts the time since the last answer as one of failing, unless it is one in which nothing
    /// was tried.
    private func count(upTo now: Int64) {
        failingForMs += min(max(0, now - countedAt), HookLimits.countedGapMilliseconds)
        countedAt = now
    }

    /// Forgets the present life: what was not stored is repeated.
    func end(retryAt time: Int64) {
        queue = nil
        life += 1
        strays = underWay
        failures = []
        rejectedUsers = []
        wasAway = false
        deliveredMs = nil
        isDirty = false
        isEnding = false
        isSpare = false
        givesRoom = false
        nextTakeMs = time
    }

    /// Starts over with another receiver: all its users are tried at once, and nothing has failed.
    func move(at now: Int64) {
        queue?.resume(now: now)
        (failingSinceMs, failingForMs) = (0, 0)
        rejectedUsers = []
        wasAway = false
        isDirty = isHeld
    }

    /// Lets the server take it at once, since an administrator has changed it.
    func waitsForNothing() {
        nextTakeMs = 0
        givesRoom = false
    }
}
