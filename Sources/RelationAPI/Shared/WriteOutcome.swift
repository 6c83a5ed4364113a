import Protobuf

/// How a write went: the three fields that the answer to any write begins with.
public struct WriteOutcome: Hashable, Sendable {
    /// The acting user's sequence after the write; 0 if the call acts for no user.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results says which items did it.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// The rows and events that the write would make: only in a dry run whose options ask for them,
    /// and only for an administrator or an operator.
    public var effects: WriteEffects?

    /// Creates the outcome of a write that changed nothing.
    @inlinable public init() {}

    /// Visits the three fields that come first in each answer to a write.
    @inline(__always)
    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
    }

    /// Visits the field that comes last in each answer to a write.
    @inline(__always)
    mutating func visitLast(_ visitor: inout some FieldVisitor) {
        visitor.field(60, "effects", &effects)
    }
}
