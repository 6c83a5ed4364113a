/// The sizes that this room fixes.
@usableFromInline package enum Limits {
    /// The longest key of one row: the parts of any key are some hundred bytes.
    @usableFromInline package static let keyBytes = 1_024

    /// The address space, not memory, for the records that one transaction decodes.
    ///
    /// The system gives pages when they are touched. A record that does not fit is refused, as if
    /// it were broken.
    package static let transactionArenaBytes = 64 << 20

    /// The memory to take at a time for the rows that a write transaction holds.
    static let slabChunkBytes = 256 << 10

    /// Slots in a write transaction's hash table that survive its end.
    ///
    /// A bigger table is freed, because clearing it would cost time in every small transaction
    /// after it.
    static let overlaySlotsKept = 8192
}
