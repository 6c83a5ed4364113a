/// Writes that were answered and are not in the store any more.
package struct StoreLoss: Equatable, Sendable {
    /// No more writes than this are missing; 0 if nobody can tell.
    package var mostWrites: UInt64 = 0
    /// Those that are missing were made after this: all that was there then still is.
    package var sinceMs: Int64 = 0
    /// When the newest write was made of which it is known that it was there.
    package var untilMs: Int64 = 0
    /// When it was found, which also tells one loss from another.
    package var foundMs: Int64 = 0

    package init() {}
}
