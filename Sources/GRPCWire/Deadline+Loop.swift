import NIOCore
import RPC

extension Deadline {
    /// The moment as event loops have it.
    var time: NIODeadline { .uptimeNanoseconds(nanoseconds) }

    init(_ time: NIODeadline) {
        self.init(nanoseconds: time.uptimeNanoseconds)
    }
}
