import Protobuf

// Messages for which no schema can be made, or which are just inside the limits.

/// A message that contains itself: its schema must not wait for itself.
struct Endless: CodedMessage {
    var children: [Endless] = []
    var kept: Encoded<Endless>?

    static let schema = Schema("test.Endless", Endless.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "children", &children)
        visitor.field(2, "kept", &kept)
    }
}

/// Two messages that contain each other.
struct Egg: CodedMessage {
    var chicken: [Chicken] = []

    static let schema = Schema("test.Egg", Egg.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "chicken", &chicken)
    }
}

struct Chicken: CodedMessage {
    var eggs: [Egg] = []

    static let schema = Schema("test.Chicken", Chicken.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "eggs", &eggs)
    }
}

/// A message whose numbers do not ascend.
struct Descending: CodedMessage {
    var a: Int32 = 0
    var b: Int32 = 0

    static let schema = Schema("relation.test.v1.Descending", Descending.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "b", &b)
        visitor.field(1, "a", &a)
    }
}

/// A message with one of two messages that contain each other.
struct Farm: CodedMessage {
    var chicken: [Chicken] = []

    static let schema = Schema("test.Farm", Farm.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "chicken", &chicken)
    }
}

/// The cases 2 and 4.
struct TwoAndFour<M: CodedMessage>: OneOf {
    static func visit(_ value: inout TwoAndFour?, _ cases: inout some OneOfVisitor) {
        cases.field(2, "two", &value, { _ in M?.none }, { _ in TwoAndFour() })
        cases.field(4, "four", &value, { _ in M?.none }, { _ in TwoAndFour() })
    }
}

/// A `oneof` that stands behind a field with a number above its first case.
struct OneofBehind<M: CodedMessage>: CodedMessage {
    static var schema: Schema { Schema("test.OneofBehind", Self.self) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        var number: Int32 = 0
        var pick: TwoAndFour<M>?
        visitor.field(3, "number", &number)
        visitor.oneof("pick", &pick)
    }
}

/// A `oneof` with a case that has the number of a field.
struct OneofOver<M: CodedMessage>: CodedMessage {
    static var schema: Schema { Schema("test.OneofOver", Self.self) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        var number: Int32 = 0
        var pick: TwoAndFour<M>?
        visitor.oneof("pick", &pick)
        visitor.field(4, "number", &number)
    }
}

private let names: [StaticString] = [
    "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b0", "b1", "b2", "b3", "b4",
    "b5", "b6", "b7", "b8", "b9", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9",
    "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "e0", "e1", "e2", "e3", "e4",
    "e5", "e6", "e7", "e8", "e9", "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9",
    "g0", "g1", "g2", "g3", "g4",
]

/// A message with as many message fields as there may be.
struct Crowd64: CodedMessage {
    static let schema = Schema("relation.test.v1.Crowd64", Crowd64.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        var empty: Empty?
        for number in 1...64 { visitor.field(UInt32(number), names[number - 1], &empty) }
    }
}

/// A message with one message field more.
struct Crowd65: CodedMessage {
    static let schema = Schema("relation.test.v1.Crowd65", Crowd65.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        var empty: Empty?
        for number in 1...65 { visitor.field(UInt32(number), names[number - 1], &empty) }
    }
}
