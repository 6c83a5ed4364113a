/// The sizes that this room fixes.
package enum Limits {
    /// Address space, not memory, for the records that one transaction decodes; pages are taken as
    /// they are touched.
    ///
    /// Beyond it a record is refused, as if it were broken.
    package static let transactionArenaBytes = 64 << 20
}
