/// The latest commit that touched each key, by a hash of the key.
///
/// It is an array of fixed size, so nothing is ever forgotten. Keys of one slot share its version:
/// then a value may not be inserted, without need, and nothing else follows.
struct InvalidationVersions: Sendable {
    private var versions: [UInt64]

    /// - Parameter slots: A power of two.
    init(slots: Int) {
        precondition(slots > 0 && slots & (slots - 1) == 0, "the slots are a power of two")
        versions = Array(repeating: 0, count: slots)
    }

    private func slot(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash) & (versions.count - 1)
    }

    /// Notes that the commit of that version touches a key.
    ///
    /// - Parameter version: No earlier one than was noted before.
    mutating func note(_ hash: UInt64, in version: UInt64) {
        versions[slot(hash)] = version
    }

    /// Whether a commit after `readVersion` may have touched a key; it may be under way.
    func mayHave(_ hash: UInt64, after readVersion: ReadVersion) -> Bool {
        versions[slot(hash)] > readVersion.commit
    }
}
