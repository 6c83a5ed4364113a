public import NIOCore
public import RPC

extension Deadline {
    /// The moment as event loops have it.
    @inlinable package var time: NIODeadline { .uptimeNanoseconds(nanoseconds) }

    @inlinable package init(_ time: NIODeadline) {
        self.init(nanoseconds: time.uptimeNanoseconds)
    }
}
