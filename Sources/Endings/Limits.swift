/// The bounds for the end of a process.
package enum Limits {
    /// How long a process that is ended by a signal may take to write where it stood.
    ///
    /// Seen: 2 ms. It takes longer only if its output is not read, or if the thread was stopped
    /// inside the loader, because the walk along the stack needs the loader's lock.
    package static let traceSeconds: UInt32 = 2

    /// The most calls of the stack that are written.
    package static let traceCalls: Int32 = 128

    /// The bytes of a line that a crash writes.
    ///
    /// It has room for a path of the system, the name of a function, and two addresses. More of a
    /// line is left out.
    package static let crashLineBytes = 8_192

    /// Descriptors that are searched for sockets when a signal ends the process.
    ///
    /// This is more than the connections and files of a server; the system closes the rest when the
    /// process is gone.
    package static let descriptors: Int32 = 20_000
}
