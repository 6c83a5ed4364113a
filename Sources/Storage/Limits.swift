/// The sizes that this room fixes.
package enum Limits {
    /// The address space, not memory, for the records that one transaction decodes.
    ///
    /// The system gives pages when they are touched. A record that does not fit is refused, as if
    /// it were broken.
    package static let transactionArenaBytes = 64 << 20
}
