/// A point in the order of commits, taken before a read begins.
///
/// The read's view has all commits up to it, and may have later ones.
package struct ReadVersion: Sendable {
    let commit: UInt64

    /// A read version that no reader has: it shows whether there is an entry at all.
    static let latest = ReadVersion(commit: .max)

    /// The read version before any commit.
    package static let first = ReadVersion(commit: 0)
}
