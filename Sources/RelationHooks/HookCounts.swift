import RelationCore
import Webhooks

/// How the delivery of hooks stands, and how it went so far.
package struct HookCounts: Sendable, Equatable {
    package var requests: UInt64 = 0
    package var delivered: UInt64 = 0
    package var failed: UInt64 = 0
    package var givenUp: UInt64 = 0
    /// Hooks that this server has taken so far.
    package var taken: UInt64 = 0
    /// Hooks that were stopped, since their receivers took nothing.
    package var stopped: UInt64 = 0
    /// Markers of events that were trimmed before they were delivered.
    package var trimmed: UInt64 = 0
    /// Logins and logouts that were not sent, since too many waited or the hook was released.
    package var droppedStates: UInt64 = 0
    /// Passes that failed in the store.
    package var failedPasses: UInt64 = 0
    /// Hooks that this server delivers for now.
    package var held = 0
    /// Hooks among them whose requests fail.
    package var failing = 0
    /// Hooks that are stopped now, by any server.
    package var stoppedNow = 0
    package var waitingEvents = 0
    package var waitingBytes = 0
    /// The age of the oldest event that waits, in milliseconds.
    package var oldestMs: Int64 = 0

    package init() {}

    mutating func note(_ result: HookResult) {
        if case .delivered = result.outcome { delivered += 1 } else { failed += 1 }
    }

    mutating func count(_ hooks: some Sequence<ServedHook>, at now: Int64) {
        (held, failing, stoppedNow, waitingEvents, waitingBytes, oldestMs) = (0, 0, 0, 0, 0, 0)
        for served in hooks {
            guard let counts = served.queue?.counts() else {
                if served.isStopped, !served.hook.isPaused { stoppedNow += 1 }
                continue
            }
            held += 1
            if served.failingSinceMs > 0 { failing += 1 }
            waitingEvents += counts.waitingEvents
            waitingBytes += counts.waitingBytes
            if let oldest = counts.oldestMilliseconds { oldestMs = max(oldestMs, now - oldest) }
        }
    }
}
