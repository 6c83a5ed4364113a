import Protobuf

/// A message with cases whose numbers lie among those of other fields, as they do once a contract
/// has grown.
struct Woven: CodedMessage, Hashable {
    var a: Int32 = 0
    var pick: Pick?
    var b = ""
    var other: Other?
    var c: Leaf?
    var d: [Int32] = []
    var e: Leaf?
    var last: Int32 = 0

    enum Pick: OneOf, Hashable {
        case text(String), leaf(Leaf), number(Int64)

        static func visit(_ value: inout Pick?, _ cases: inout some OneOfVisitor) {
            cases.field(
                2, "text", &value, { if case .text(let x) = $0 { x } else { nil } }, Pick.text)
            cases.field(
                6, "leaf", &value, { if case .leaf(let x) = $0 { x } else { nil } }, Pick.leaf)
            cases.field(
                300, "number", &value, { if case .number(let x) = $0 { x } else { nil } },
                Pick.number)
        }
    }

    enum Other: OneOf, Hashable {
        case yes(Bool), late(Fixed<UInt32>)

        static func visit(_ value: inout Other?, _ cases: inout some OneOfVisitor) {
            cases.field(
                4, "yes", &value, { if case .yes(let x) = $0 { x } else { nil } }, Other.yes)
            cases.field(
                9, "late", &value, { if case .late(let x) = $0 { x } else { nil } }, Other.late)
        }
    }

    static let schema = Schema("relation.test.v1.Woven", Woven.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "a", &a)
        visitor.oneof("pick", &pick)
        visitor.field(3, "b", &b)
        visitor.oneof("other", &other)
        visitor.field(5, "c", &c)
        visitor.field(7, "d", &d)
        visitor.field(8, "e", &e)
        visitor.field(301, "last", &last)
    }
}

/// A message that contains itself in every way, and through another message.
struct Tree: CodedMessage {
    var name = ""
    var first: Boxed<Tree>?
    var rest: [Tree] = []
    var byNumber: [Int32: Tree] = [:]
    var kind: Kind?
    var grove: Grove?
    var kept: Encoded<Leaf>?

    indirect enum Kind: OneOf {
        case grafted(Tree), bare(Bool)

        static func visit(_ value: inout Kind?, _ cases: inout some OneOfVisitor) {
            cases.field(
                5, "grafted", &value, { if case .grafted(let x) = $0 { x } else { nil } },
                Kind.grafted)
            cases.field(
                6, "bare", &value, { if case .bare(let x) = $0 { x } else { nil } }, Kind.bare)
        }
    }

    static let schema = Schema("relation.test.v1.Tree", Tree.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "first", &first)
        visitor.field(3, "rest", &rest)
        visitor.field(4, "by_number", &byNumber)
        visitor.oneof("kind", &kind)
        visitor.field(7, "grove", &grove)
        visitor.field(8, "kept", &kept)
    }
}

struct Grove: CodedMessage {
    var trees: [Tree] = []

    static let schema = Schema("relation.test.v1.Grove", Grove.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "trees", &trees)
    }
}

/// The well-known messages that are strings in JSON.
struct WellKnown: CodedMessage {
    var duration: DurationMessage?
    var timestamp: TimestampMessage?
    var mask: FieldMask?

    static let schema = Schema("relation.test.v1.WellKnown", WellKnown.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "duration", &duration)
        visitor.field(2, "timestamp", &timestamp)
        visitor.field(3, "mask", &mask)
    }
}
