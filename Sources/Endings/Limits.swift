/// The bounds of how a process ends.
package enum Limits {
    /// How long a process that is being ended by a signal may write where it stood.
    ///
    /// Seen: 2 ms. It takes longer only where nobody reads what it writes, or where the thread was
    /// stopped inside the loader, whose lock the walk along the stack needs.
    package static let traceSeconds: UInt32 = 2

    /// Calls of the stack that are written.
    package static let traceCalls: Int32 = 128

    /// Descriptors that are looked at for sockets when a signal ends the process.
    ///
    /// More than a server has connections and files; what is beyond it is closed when the process
    /// is gone.
    package static let descriptors: Int32 = 20_000
}
