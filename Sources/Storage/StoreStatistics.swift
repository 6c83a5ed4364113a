/// The size of a store.
package struct StoreStatistics: Equatable, Sendable {
    package var engine = ""
    /// An estimate if counting would read all rows.
    package var rows: Int64 = 0
    package var diskBytes: Int64 = 0
    package var memoryBytes: Int64 = 0

    package init() {}
}
