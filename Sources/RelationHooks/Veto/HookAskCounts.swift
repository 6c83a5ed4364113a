/// How many questions there were, by outcome.
package struct HookAskCounts: Sendable, Equatable {
    package var allowed: UInt64 = 0
    package var refused: UInt64 = 0
    package var changed: UInt64 = 0
    package var silent: UInt64 = 0
    /// Calls that were taken as without an answer, since the receiver was silent before.
    package var paused: UInt64 = 0
    /// Calls that found no room to wait.
    package var full: UInt64 = 0
    /// Calls that wait now.
    package var waiting = 0
    /// Receivers that are not asked now.
    package var pausedReceivers = 0

    package init() {}
}
