package import Protobuf

/// The record of a removed friend, from which copies of the list learn of the removal.
package struct TombstoneRecord: CodedMessage, Equatable {
    /// The owner's sequence at the removal.
    package var sequence: Int64 = 0
    package var timeMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Tombstone", TombstoneRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "time_ms", &timeMs)
    }
}
