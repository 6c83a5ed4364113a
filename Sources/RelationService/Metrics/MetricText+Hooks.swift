import Meters
import RelationHooks

// The delivery of hooks.
extension MetricText {
    mutating func addHooks(_ counts: HookCounts) {
        family(
            "relation_hook_requests_total", .counter,
            "Requests to receivers of hooks that have ended, by result.")
        sample(counts.delivered, ["result": "delivered"])
        sample(counts.failed, ["result": "failed"])
        family(
            "relation_hook_given_up_events_total", .counter,
            "Events that were abandoned, because their receiver accepts those of other users.")
        sample(counts.givenUp)
        family(
            "relation_hook_trimmed_total", .counter,
            "Markers of events that were trimmed before they were delivered.")
        sample(counts.trimmed)
        family(
            "relation_hook_dropped_states_total", .counter,
            "Logins and logouts that were dropped before a hook got them, because too many waited.")
        sample(counts.droppedStates)
        family(
            "relation_hook_stopped_total", .counter,
            "Hooks that this server has stopped, since their receivers took nothing.")
        sample(counts.stopped)
        family("relation_hooks", .gauge, "Hooks that this server delivers for.")
        sample(counts.held)
        family("relation_hooks_failing", .gauge, "Hooks of this server whose last request failed.")
        sample(counts.failing)
        family(
            "relation_hooks_stopped", .gauge,
            "Hooks that are stopped now, by any server; each server counts all of them.")
        sample(counts.stoppedNow)
        family("relation_hook_waiting_events", .gauge, "Events in memory that wait for receivers.")
        sample(counts.waitingEvents)
        family("relation_hook_waiting_bytes", .gauge, "The bytes of these events.")
        sample(counts.waitingBytes)
        family(
            "relation_hook_oldest_wait_seconds", .gauge,
            "How long ago the oldest of these events happened.")
        sample(Double(counts.oldestMs) / 1_000)
        family(
            "relation_hook_failed_passes_total", .counter,
            "Passes of the delivery that failed in the store.")
        sample(counts.failedPasses)
    }

    /// The questions to hooks before calls.
    mutating func addHooks(_ counts: HookAskCounts) {
        family(
            "relation_hook_questions_total", .counter,
            "Calls about which a hook was to be asked, by result.")
        sample(counts.allowed, ["result": "allowed"])
        sample(counts.refused, ["result": "refused"])
        sample(counts.changed, ["result": "changed"])
        sample(counts.silent, ["result": "silent"])
        sample(counts.paused, ["result": "paused"])
        sample(counts.full, ["result": "full"])
        family(
            "relation_hook_waiting_questions", .gauge, "Calls that wait for the answer of a hook.")
        sample(counts.waiting)
        family(
            "relation_hook_paused_receivers", .gauge,
            "Receivers that are not asked now, since they gave no answer.")
        sample(counts.pausedReceivers)
    }
}
