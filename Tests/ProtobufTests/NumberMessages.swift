import Protobuf

/// Every way to write a number, in every kind of field.
struct Numbers: CodedMessage {
    var s32: ZigZag<Int32> = 0
    var s64: ZigZag<Int64> = 0
    var f32: Fixed<UInt32> = 0
    var f64: Fixed<UInt64> = 0
    var sf32: Fixed<Int32> = 0
    var sf64: Fixed<Int64> = 0
    var real: Float = 0

    var optS32: ZigZag<Int32>?
    var optS64: ZigZag<Int64>?
    var optF32: Fixed<UInt32>?
    var optF64: Fixed<UInt64>?
    var optSf32: Fixed<Int32>?
    var optSf64: Fixed<Int64>?
    var optReal: Float?

    var s32s: [ZigZag<Int32>] = []
    var s64s: [ZigZag<Int64>] = []
    var f32s: [Fixed<UInt32>] = []
    var f64s: [Fixed<UInt64>] = []
    var sf32s: [Fixed<Int32>] = []
    var sf64s: [Fixed<Int64>] = []
    var reals: [Float] = []

    var looseFlags: [Bool] = []
    var looseI32s: [Int32] = []
    var looseU64s: [UInt64] = []
    var looseS32s: [ZigZag<Int32>] = []
    var looseF32s: [Fixed<UInt32>] = []
    var looseSf64s: [Fixed<Int64>] = []
    var looseReals: [Float] = []
    var looseDoubles: [Double] = []
    var looseColours: [Colour] = []

    var choice: Choice?

    enum Choice: OneOf {
        case s32(ZigZag<Int32>), s64(ZigZag<Int64>), f32(Fixed<UInt32>)
        case f64(Fixed<UInt64>), sf32(Fixed<Int32>), sf64(Fixed<Int64>), real(Float)

        static func visit(_ value: inout Choice?, _ cases: inout some OneOfVisitor) {
            cases.field(
                41, "one_s32", &value, { if case .s32(let x) = $0 { x } else { nil } },
                Choice.s32)
            cases.field(
                42, "one_s64", &value, { if case .s64(let x) = $0 { x } else { nil } },
                Choice.s64)
            cases.field(
                43, "one_f32", &value, { if case .f32(let x) = $0 { x } else { nil } },
                Choice.f32)
            cases.field(
                44, "one_f64", &value, { if case .f64(let x) = $0 { x } else { nil } },
                Choice.f64)
            cases.field(
                45, "one_sf32", &value, { if case .sf32(let x) = $0 { x } else { nil } },
                Choice.sf32)
            cases.field(
                46, "one_sf64", &value, { if case .sf64(let x) = $0 { x } else { nil } },
                Choice.sf64)
            cases.field(
                47, "one_real", &value, { if case .real(let x) = $0 { x } else { nil } },
                Choice.real)
        }
    }

    static let schema = Schema("relation.test.v1.Numbers", Numbers.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "s32", &s32)
        visitor.field(2, "s64", &s64)
        visitor.field(3, "f32", &f32)
        visitor.field(4, "f64", &f64)
        visitor.field(5, "sf32", &sf32)
        visitor.field(6, "sf64", &sf64)
        visitor.field(7, "real", &real)
        visitor.field(11, "opt_s32", &optS32)
        visitor.field(12, "opt_s64", &optS64)
        visitor.field(13, "opt_f32", &optF32)
        visitor.field(14, "opt_f64", &optF64)
        visitor.field(15, "opt_sf32", &optSf32)
        visitor.field(16, "opt_sf64", &optSf64)
        visitor.field(17, "opt_real", &optReal)
        visitor.field(21, "s32s", &s32s)
        visitor.field(22, "s64s", &s64s)
        visitor.field(23, "f32s", &f32s)
        visitor.field(24, "f64s", &f64s)
        visitor.field(25, "sf32s", &sf32s)
        visitor.field(26, "sf64s", &sf64s)
        visitor.field(27, "reals", &reals)
        visitor.unpacked(31, "loose_flags", &looseFlags)
        visitor.unpacked(32, "loose_i32s", &looseI32s)
        visitor.unpacked(33, "loose_u64s", &looseU64s)
        visitor.unpacked(34, "loose_s32s", &looseS32s)
        visitor.unpacked(35, "loose_f32s", &looseF32s)
        visitor.unpacked(36, "loose_sf64s", &looseSf64s)
        visitor.unpacked(37, "loose_reals", &looseReals)
        visitor.unpacked(38, "loose_doubles", &looseDoubles)
        visitor.unpacked(39, "loose_colours", &looseColours)
        visitor.oneof("choice", &choice)
    }
}

/// Every kind of key.
struct Maps: CodedMessage {
    var byFlag: [Bool: String] = [:]
    var byI32: [Int32: Int32] = [:]
    var byI64: [Int64: Leaf] = [:]
    var byU32: [UInt32: [UInt8]] = [:]
    var byU64: [UInt64: Colour] = [:]
    var byS32: [ZigZag<Int32>: ZigZag<Int32>] = [:]
    var byS64: [ZigZag<Int64>: ZigZag<Int64>] = [:]
    var byF32: [Fixed<UInt32>: Fixed<UInt32>] = [:]
    var byF64: [Fixed<UInt64>: Fixed<UInt64>] = [:]
    var bySf32: [Fixed<Int32>: Fixed<Int32>] = [:]
    var bySf64: [Fixed<Int64>: Float] = [:]
    var reals: [String: Float] = [:]

    static let schema = Schema("relation.test.v1.Maps", Maps.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "by_flag", &byFlag)
        visitor.field(2, "by_i32", &byI32)
        visitor.field(3, "by_i64", &byI64)
        visitor.field(4, "by_u32", &byU32)
        visitor.field(5, "by_u64", &byU64)
        visitor.field(6, "by_s32", &byS32)
        visitor.field(7, "by_s64", &byS64)
        visitor.field(8, "by_f32", &byF32)
        visitor.field(9, "by_f64", &byF64)
        visitor.field(10, "by_sf32", &bySf32)
        visitor.field(11, "by_sf64", &bySf64)
        visitor.field(12, "reals", &reals)
    }
}
