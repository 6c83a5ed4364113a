/// The sizes that this room fixes.
package enum Limits {
    /// Collators kept for the next use; the surplus is closed.
    package static let idleCollators = 8
}
