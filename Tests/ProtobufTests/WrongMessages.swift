import Protobuf

// Messages that no schema is made of, or only just.

/// A message that holds itself: its schema must trap and not hang.
struct Endless: Message {
    var children: [Endless] = []

    static let schema = Schema("relation.test.v1.Endless", Endless.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "children", &children)
    }
}

/// Two messages that hold each other.
struct Egg: Message {
    var chicken: [Chicken] = []

    static let schema = Schema("relation.test.v1.Egg", Egg.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "chicken", &chicken)
    }
}

struct Chicken: Message {
    var eggs: [Egg] = []

    static let schema = Schema("relation.test.v1.Chicken", Chicken.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "eggs", &eggs)
    }
}

/// A message whose numbers do not ascend.
struct Descending: Message {
    var a: Int32 = 0
    var b: Int32 = 0

    static let schema = Schema("relation.test.v1.Descending", Descending.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "b", &b)
        visitor.field(1, "a", &a)
    }
}

/// A message around another one.
///
/// Its schema is made at each use, because a generic type has no stored one.
struct Nest<M: Message>: Message {
    var inner: [M] = []

    static var schema: Schema { Schema("relation.test.v1.Nest", Nest<M>.self) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "inner", &inner)
    }
}

/// The schema of `type` in so many nests.
func nested<M: Message>(_ type: M.Type, _ levels: Int) -> Schema {
    levels == 0 ? M.schema : nested(Nest<M>.self, levels - 1)
}

private let names: [StaticString] = [
    "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b0", "b1", "b2", "b3", "b4",
    "b5", "b6", "b7", "b8", "b9", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9",
    "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "e0", "e1", "e2", "e3", "e4",
    "e5", "e6", "e7", "e8", "e9", "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9",
    "g0", "g1", "g2", "g3", "g4",
]

/// A message with as many message fields as there may be.
struct Crowd64: Message {
    static let schema = Schema("relation.test.v1.Crowd64", Crowd64.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        var empty: Empty?
        for number in 1...64 { visitor.field(UInt32(number), names[number - 1], &empty) }
    }
}

/// One more.
struct Crowd65: Message {
    static let schema = Schema("relation.test.v1.Crowd65", Crowd65.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        var empty: Empty?
        for number in 1...65 { visitor.field(UInt32(number), names[number - 1], &empty) }
    }
}
