package import Protobuf

/// How many users have a user as a friend without being its friends, in an app that reports them.
package struct ReverseCountRecord: CodedMessage, Equatable {
    /// The app's ``AppSettings/reverseEpoch`` under which it is kept; under another one it says
    /// nothing.
    package var epoch: Int64 = 0
    /// Whether `count` is known: there were not too many rows when it was begun.
    package var isKnown = false
    package var count: Int64 = 0

    package init() {}

    package init(epoch: Int64) {
        self.epoch = epoch
    }

    package static let schema = Schema("relation.store.ReverseCount", ReverseCountRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "epoch", &epoch)
        visitor.field(2, "is_known", &isKnown)
        visitor.field(3, "count", &count)
    }
}
