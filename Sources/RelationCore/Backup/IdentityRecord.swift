package import Protobuf

/// The identity of a store.
package struct IdentityRecord: CodedMessage, Equatable {
    /// A random number in hexadecimal digits; a backup and what is restored from it have the same.
    package var id = ""
    /// The ``History/floor`` of apps that are made: above 0 once the store has gone back.
    package var floor: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Identity", IdentityRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "id", &id)
        visitor.field(2, "floor", &floor)
    }
}

extension IdentityRecord {
    /// The history of the store: it changes with the floor, and is another one in each new store.
    var history: History {
        var history = History()
        history.id = (UInt64(id, radix: 16) ?? 0) ^ UInt64(bitPattern: floor)
        history.floor = floor
        return history
    }
}
