/// Answered writes that are missing from the store.
package struct StoreLoss: Equatable, Sendable {
    /// No more writes than this are missing; 0 if the number is unknown.
    package var mostWrites: UInt64 = 0
    /// The missing writes were made after this time: every older write is still there.
    package var sinceMs: Int64 = 0
    /// The time of the newest write that is known to have been there.
    package var untilMs: Int64 = 0
    /// When the loss was found, which also distinguishes one loss from another.
    package var foundMs: Int64 = 0

    package init() {}
}
