/// The bounds of the memory that calls work in.
package enum MemoryLimits {
    /// The memory that an arena keeps when it is reset; the rest goes back to the system.
    package static let arenaKeptBytes = 1 << 20
}
