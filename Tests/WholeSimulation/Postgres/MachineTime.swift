import Foundation
import Storage

/// The clock of the machine, for clients that have threads of their own.
///
/// `@unchecked Sendable`: the condition guards the count.
package final class MachineTime: ModelTime, @unchecked Sendable {
    private let condition = NSCondition()
    /// Counts the changes, so that none is missed between a look and a wait.
    private var changes = 0

    package init() {}

    package var now: UInt64 { Lease.nanoseconds }

    package var hasEnded: Bool { false }

    package func wait(until time: UInt64, or isOver: () -> Bool) {
        while true {
            let seen = condition.withLock { changes }
            let present = now
            guard !isOver(), present < time else { return }
            let left = Double(time - present) / 1_000_000_000
            condition.withLock {
                if changes == seen { _ = condition.wait(until: Date(timeIntervalSinceNow: left)) }
            }
        }
    }

    package func changed() {
        condition.withLock {
            changes += 1
            condition.broadcast()
        }
    }
}
