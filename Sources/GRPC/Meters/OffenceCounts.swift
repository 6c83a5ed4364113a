import Synchronization

/// How often clients offended, by the name of the offence.
///
/// A connection counts once, so this is asked about as often as a connection is closed. The names
/// are the code's own, so they are few.
final class OffenceCounts: Sendable {
    private let counts = Mutex<[String: UInt64]>([:])

    func count(_ offence: StaticString) {
        counts.withLock { $0["\(offence)", default: 0] += 1 }
    }

    /// Each offence that came, in the order of names.
    var all: [(name: String, count: UInt64)] {
        counts.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }
}
