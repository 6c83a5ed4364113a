package import Protobuf

/// The ends of users' sessions in one app, as a whole.
package struct SessionsRecord: CodedMessage, Equatable {
    /// The number of the newest end.
    package var last: Int64 = 0
    /// How many users have a row of their own.
    package var count: Int64 = 0
    /// Signatures of any user made before it are refused: the latest moment of the rows that were
    /// dropped to make room; 0 while none was.
    package var floorMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Sessions", SessionsRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "last", &last)
        visitor.field(2, "count", &count)
        visitor.field(3, "floor_ms", &floorMs)
    }
}

/// The end of one user's sessions.
package struct SessionEndRecord: CodedMessage, Equatable {
    /// Signatures of the user made before it are refused.
    package var beforeMs: Int64 = 0
    /// Its position among the ends of the app: a later one has a higher number.
    package var number: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.SessionEnd", SessionEndRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "before_ms", &beforeMs)
        visitor.field(2, "number", &number)
    }
}
