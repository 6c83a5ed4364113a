/// The keys of callers and followers, of which each has one at a time.
///
/// A key that was revoked opens nothing that begins after the answer. Its holder takes the next one
/// when it is refused.
final class Holders {
    private struct Key {
        /// When the first call to revoke it began; nil if there was none.
        var asked: UInt64?
        /// When a caller had the answer that it is revoked.
        var revoked: UInt64?
    }

    private var keys = Array(
        repeating: Array(repeating: Key(), count: WorldLimits.keys), count: WorldLimits.holders)
    /// The key that each holder shows.
    private var present = Array(repeating: 0, count: WorldLimits.holders)

    static func id(_ holder: Int, _ key: Int) -> String { "h\(holder)k\(key)" }

    /// The text of a key.
    static func secret(_ id: String) -> String { "\(SimulatedServer.app).\(id).secret" }

    /// The text of the key that a holder shows, with its number.
    func shown(by holder: Int) -> (number: Int, secret: String) {
        let number = present[holder]
        return (number, Self.secret(Self.id(holder, number)))
    }

    /// The key that a call to revoke is about; nil if the holder has only its last one left.
    func begin(of holder: Int, at now: UInt64) -> Int? {
        let number = present[holder]
        guard number < WorldLimits.keys - 1 else { return nil }
        if keys[holder][number].asked == nil { keys[holder][number].asked = now }
        return number
    }

    func revoked(_ number: Int, of holder: Int, at now: UInt64) {
        if keys[holder][number].revoked == nil { keys[holder][number].revoked = now }
    }

    /// Whether a key was surely revoked before `time`.
    func isRevoked(_ number: Int, of holder: Int, before time: UInt64) -> Bool {
        guard let revoked = keys[holder][number].revoked else { return false }
        return revoked < time
    }

    /// Whether a call to revoke a key has begun.
    func isAsked(_ number: Int, of holder: Int) -> Bool { keys[holder][number].asked != nil }

    /// A key was refused.
    ///
    /// - Returns: Whether a call to revoke it explains that.
    func refused(_ number: Int, of holder: Int) -> Bool {
        guard keys[holder][number].asked != nil else { return false }
        present[holder] = max(present[holder], number + 1)
        return true
    }
}
