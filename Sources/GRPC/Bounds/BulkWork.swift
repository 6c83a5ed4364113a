import GRPCWire
import NIOCore

/// The work on the bytes of messages that a loop does before it looks at its sockets again: to
/// expand compressed ones, and to translate long ones from JSON.
///
/// A time slice bounds the work for one connection, and many connections may be readable at once.
/// So when ``CallLimits/largeExpansionBytes`` have been worked on, such messages of all connections
/// wait for a time slice of their own, and other calls go before them.
struct BulkWork {
    private var bytes = 0
    /// When sockets have been looked at since; nil if nothing has to wait.
    private var end: NIODeadline?

    /// Counts bytes that were worked on up to now.
    mutating func count(_ count: Int, at now: NIODeadline) {
        bytes += count
        guard bytes >= CallLimits.largeExpansionBytes else { return }
        bytes = 0
        end = now + .microseconds(CallLimits.sliceGapMicroseconds)
    }

    /// Whether a message may be worked on now.
    mutating func allows(at now: NIODeadline) -> Bool {
        guard let end else { return true }
        guard now >= end else { return false }
        self.end = nil
        return true
    }

    /// Takes note that the sockets have been looked at, and that one connection has its time slice.
    mutating func sliceBegins() {
        self = BulkWork()
    }
}
