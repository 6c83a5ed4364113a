/// The sizes that this room fixes.
@usableFromInline package enum Limits {
    /// The longest key of one row: the parts of any key are some hundred bytes.
    @usableFromInline package static let keyBytes = 1_024

    /// The address space, not memory, for the records that one transaction decodes.
    ///
    /// The system gives pages when they are touched. A record that does not fit is refused, as if
    /// it were broken.
    package static let transactionArenaBytes = 64 << 20
}
