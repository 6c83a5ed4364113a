/// The sizes that this room fixes.
package enum Limits {
    /// Collators that are kept for the next use; any more are closed.
    package static let idleCollators = 8
}
