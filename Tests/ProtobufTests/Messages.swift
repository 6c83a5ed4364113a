import Memory
import Protobuf

// The messages of `proto/witness.proto`, written as a room would write its own.

struct Colour: OpenEnum, Scalar {
    let rawValue: Int32
    init(rawValue: Int32) { self.rawValue = rawValue }

    static let unspecified = Colour(rawValue: 0)
    static let red = Colour(rawValue: 1)
    static let green = Colour(rawValue: 7)
    static let below = Colour(rawValue: -3)

    static let schema = EnumSchema(
        "relation.test.v1.Colour",
        [
            (0, "COLOUR_UNSPECIFIED"), (1, "COLOUR_RED"), (7, "COLOUR_GREEN"),
            (-3, "COLOUR_BELOW"),
        ])
}

/// The names of ``Colour`` as an error lists them.
let colours = "COLOUR_BELOW, COLOUR_UNSPECIFIED, COLOUR_RED, COLOUR_GREEN"

struct Leaf: CodedMessage, Hashable {
    var a: Int32 = 0
    var s = ""
    var o: Int64?
    var r: [Int32] = []

    static let schema = Schema("relation.test.v1.Leaf", Leaf.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "a", &a)
        visitor.field(2, "s", &s)
        visitor.field(3, "o", &o)
        visitor.field(4, "r", &r)
    }
}

struct Branch: CodedMessage, Hashable {
    var leaf: Leaf?
    var leaves: [Leaf] = []
    var pick: Pick?

    enum Pick: OneOf, Hashable {
        case left(Leaf), right(Leaf), number(Int32)

        static func visit(_ value: inout Pick?, _ cases: inout some OneOfVisitor) {
            cases.field(
                3, "left", &value, { if case .left(let leaf) = $0 { leaf } else { nil } },
                Pick.left)
            cases.field(
                4, "right", &value, { if case .right(let leaf) = $0 { leaf } else { nil } },
                Pick.right)
            cases.field(
                5, "number", &value, { if case .number(let n) = $0 { n } else { nil } },
                Pick.number)
        }
    }

    static let schema = Schema("relation.test.v1.Branch", Branch.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "leaf", &leaf)
        visitor.field(2, "leaves", &leaves)
        visitor.oneof("pick", &pick)
    }
}

struct Empty: CodedMessage, Hashable {
    static let schema = Schema("relation.test.v1.Empty", Empty.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {}
}

struct Everything: CodedMessage {
    var flag = false
    var i32: Int32 = 0
    var i64: Int64 = 0
    var u32: UInt32 = 0
    var u64: UInt64 = 0
    var real = 0.0
    var name = ""
    var data: [UInt8] = []
    var view = Text()
    var colour = Colour.unspecified

    var optFlag: Bool?
    var optI32: Int32?
    var optI64: Int64?
    var optU32: UInt32?
    var optU64: UInt64?
    var optReal: Double?
    var optName: String?
    var optData: [UInt8]?
    var optView: Text?
    var optColour: Colour?

    var flags: [Bool] = []
    var i32s: [Int32] = []
    var i64s: [Int64] = []
    var u32s: [UInt32] = []
    var u64s: [UInt64] = []
    var reals: [Double] = []
    var names: [String] = []
    var datas: [[UInt8]] = []
    var views: [Text] = []
    var colours: [Colour] = []

    var leaf: Leaf?
    var leaves: [Leaf] = []
    var kept: Encoded<Leaf>?
    var page: [Encoded<Leaf>] = []
    var empty: Empty?

    var labels: [String: String] = [:]
    var blobs: [String: [UInt8]] = [:]
    var counts: [String: Int64] = [:]
    var children: [String: Leaf] = [:]
    var colourByName: [String: Colour] = [:]

    var choice: Choice?

    var farBranch: Branch?
    var lastNumber: Int64 = 0

    enum Choice: OneOf {
        case text(String), raw([UInt8]), amount(UInt64), tint(Colour), branch(Branch)
        case yes(Bool), ratio(Double)

        static func visit(_ value: inout Choice?, _ cases: inout some OneOfVisitor) {
            cases.field(
                50, "text", &value, { if case .text(let x) = $0 { x } else { nil } }, Choice.text)
            cases.field(
                51, "raw", &value, { if case .raw(let x) = $0 { x } else { nil } }, Choice.raw)
            cases.field(
                52, "amount", &value, { if case .amount(let x) = $0 { x } else { nil } },
                Choice.amount)
            cases.field(
                53, "tint", &value, { if case .tint(let x) = $0 { x } else { nil } }, Choice.tint)
            cases.field(
                54, "branch", &value, { if case .branch(let x) = $0 { x } else { nil } },
                Choice.branch)
            cases.field(
                55, "yes", &value, { if case .yes(let x) = $0 { x } else { nil } }, Choice.yes)
            cases.field(
                56, "ratio", &value, { if case .ratio(let x) = $0 { x } else { nil } },
                Choice.ratio)
        }
    }

    static let schema = Schema("relation.test.v1.Everything", Everything.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "flag", &flag)
        visitor.field(2, "i32", &i32)
        visitor.field(3, "i64", &i64)
        visitor.field(4, "u32", &u32)
        visitor.field(5, "u64", &u64)
        visitor.field(6, "real", &real)
        visitor.field(7, "name", &name)
        visitor.field(8, "data", &data)
        visitor.field(9, "view", &view)
        visitor.field(10, "colour", &colour)
        visitor.field(11, "opt_flag", &optFlag)
        visitor.field(12, "opt_i32", &optI32)
        visitor.field(13, "opt_i64", &optI64)
        visitor.field(14, "opt_u32", &optU32)
        visitor.field(15, "opt_u64", &optU64)
        visitor.field(16, "opt_real", &optReal)
        visitor.field(17, "opt_name", &optName)
        visitor.field(18, "opt_data", &optData)
        visitor.field(19, "opt_view", &optView)
        visitor.field(20, "opt_colour", &optColour)
        visitor.field(21, "flags", &flags)
        visitor.field(22, "i32s", &i32s)
        visitor.field(23, "i64s", &i64s)
        visitor.field(24, "u32s", &u32s)
        visitor.field(25, "u64s", &u64s)
        visitor.field(26, "reals", &reals)
        visitor.field(27, "names", &names)
        visitor.field(28, "datas", &datas)
        visitor.field(29, "views", &views)
        visitor.field(30, "colours", &colours)
        visitor.field(31, "leaf", &leaf)
        visitor.field(32, "leaves", &leaves)
        visitor.field(33, "kept", &kept)
        visitor.field(34, "page", &page)
        visitor.field(35, "empty", &empty)
        visitor.field(40, "labels", &labels)
        visitor.field(41, "blobs", &blobs)
        visitor.field(42, "counts", &counts)
        visitor.field(43, "children", &children)
        visitor.field(44, "colour_by_name", &colourByName)
        visitor.oneof("choice", &choice)
        visitor.field(200, "far_branch", &farBranch)
        visitor.field(536_870_910, "last_number", &lastNumber)
    }
}

/// A record that keeps the fields that newer writers added.
struct Keeper: CodedMessage {
    var a: Int32 = 0
    var leaf: Leaf?
    var rest = UnknownFields()

    static let schema = Schema("relation.test.v1.Keeper", Keeper.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "a", &a)
        visitor.field(6, "leaf", &leaf)
        visitor.unknown(&rest)
    }
}

struct NewKeeper: CodedMessage, Hashable {
    var a: Int32 = 0
    var added = ""
    var more: [Int64] = []
    var leaf: Leaf?
    var late = 0.0

    static let schema = Schema("relation.test.v1.NewKeeper", NewKeeper.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "a", &a)
        visitor.field(2, "added", &added)
        visitor.field(3, "more", &more)
        visitor.field(6, "leaf", &leaf)
        visitor.field(300, "late", &late)
    }
}
