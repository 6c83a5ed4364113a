import Synchronization

/// How often clients violated the protocol, by the name of the protocol violation.
///
/// A connection counts once, so this is asked about as often as a connection is closed. The names
/// are the code's own, so they are few.
final class ViolationCounts: Sendable {
    private let counts = Mutex<[String: UInt64]>([:])

    func count(_ violation: StaticString) {
        counts.withLock { $0["\(violation)", default: 0] += 1 }
    }

    /// Each protocol violation that came, in the order of names.
    var all: [(name: String, count: UInt64)] {
        counts.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }
}
