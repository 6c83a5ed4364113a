import RPC
package import Support

/// Where the parts of a server take their threads and their time from, and how one thread waits for
/// another.
///
/// A simulation has its own, and so chooses the order of all that runs.
package struct ThreadSource: Sendable {
    /// A clock in nanoseconds that never goes back, the same as for deadlines.
    package let clock: @Sendable () -> UInt64
    /// Makes a thread of that name.
    package let make: @Sendable (StaticString) -> WorkThread
    /// Waits until the count of a semaphore is above 0, and lowers it.
    package let wait: @Sendable (SteadySemaphore) -> Void

    package init(
        clock: @escaping @Sendable () -> UInt64,
        make: @escaping @Sendable (StaticString) -> WorkThread,
        wait: @escaping @Sendable (SteadySemaphore) -> Void
    ) {
        (self.clock, self.make, self.wait) = (clock, make, wait)
    }

    /// Threads of the system, by its clock.
    package static let system = ThreadSource(
        clock: { Deadline.clock }, make: { WorkThread($0) }, wait: { $0.wait() })
}
