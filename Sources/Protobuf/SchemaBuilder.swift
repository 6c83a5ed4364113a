/// The facts that the descriptor needs about one field.
struct FieldPlan {
    /// The types of libprotobuf-c that we use; ``Scalar`` says why not all.
    enum CType {
        case int32, uint32, sint32, fixed32, int64, uint64, sint64, fixed64, bytes, message
    }

    enum Shape {
        case plain, optional, repeated
        /// A case of the `oneof` with this index.
        case oneof(Int)
    }

    let number: UInt32
    let name: StaticString
    let type: CType
    let shape: Shape
    /// Whether numbers are written in one record.
    let isPacked: Bool
    let isText: Bool
    /// Whether a singular field is merged if it comes twice.
    let merges: Bool
    /// Bytes of one element in Swift.
    let stride: Int
    /// The layout of the message in the field; it is looked up when the layout is tied.
    let child: (() -> UnsafePointer<Layout>)?
}

/// The visitor that records a schema.
///
/// It asks no other message for its schema, because that message may be asking for this one.
struct SchemaBuilder: FieldVisitor, OneOfVisitor {
    private let fullName: StaticString
    /// The fields, in the order of the visit, like the plans.
    private(set) var fields: [FieldSchema] = []
    private(set) var plans: [FieldPlan] = []
    private(set) var keepsUnknown = false
    /// The number of the last field, or of the last case inside a `oneof`.
    private var last: UInt32 = 0
    private var oneofs = 0
    private var oneof: StaticString?

    init(_ fullName: StaticString) {
        self.fullName = fullName
    }

    private mutating func add(
        _ plan: FieldPlan, _ label: FieldSchema.Label, _ presence: FieldSchema.Presence,
        _ type: @escaping @Sendable () -> FieldType
    ) {
        let (number, name) = (plan.number, plan.name)
        precondition(
            number > last && number < 536_870_911,
            "\(fullName).\(name): field numbers ascend from 1")
        last = number
        precondition(!keepsUnknown, "\(fullName).\(name): unknown fields are visited last")
        precondition(
            !fields.contains { $0.number == number },
            "\(fullName).\(name): the number comes twice")
        precondition(
            !fields.contains { $0.name == name.description },
            "\(fullName).\(name): the name comes twice")
        fields.append(
            FieldSchema(
                number: number, name: name.description, label: label, presence: presence,
                isPacked: plan.isPacked, oneof: oneof?.description, makeType: type))
        plans.append(plan)
    }

    private mutating func add<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ type: T.Type, _ shape: FieldPlan.Shape,
        _ label: FieldSchema.Label, _ presence: FieldSchema.Presence, isPacked: Bool = false
    ) {
        let plan = FieldPlan(
            number: number, name: name, type: T.kind.cType, shape: shape, isPacked: isPacked,
            isText: T.kind == .string, merges: false, stride: MemoryLayout<T>.stride, child: nil)
        add(plan, label, presence) { T.fieldType }
    }

    private mutating func add<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ type: M.Type, _ shape: FieldPlan.Shape,
        _ label: FieldSchema.Label, _ presence: FieldSchema.Presence
    ) {
        let plan = FieldPlan(
            number: number, name: name, type: .message, shape: shape, isPacked: false,
            isText: false, merges: presence == .explicit, stride: MemoryLayout<M>.stride,
            child: { M.schema.untied })
        add(plan, label, presence) { .message(M.schema) }
    }

    private mutating func addEncoded<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ type: M.Type, _ shape: FieldPlan.Shape,
        _ label: FieldSchema.Label, _ presence: FieldSchema.Presence
    ) {
        let plan = FieldPlan(
            number: number, name: name, type: .bytes, shape: shape, isPacked: false,
            isText: false, merges: presence == .explicit, stride: 16, child: nil)
        add(plan, label, presence) { .message(M.schema) }
    }

    /// Records a map as a list of entries with the fields `key` and `value`.
    ///
    /// Both are always written, so both have presence; other writers do this too.
    private mutating func addMap<K: MapKey>(
        _ number: UInt32, _ name: StaticString, _ key: K.Type, _ value: FieldPlan,
        _ type: @escaping @Sendable () -> FieldType
    ) {
        let key = FieldPlan(
            number: 1, name: "key", type: K.kind.cType, shape: .optional, isPacked: false,
            isText: K.kind == .string, merges: false, stride: MemoryLayout<K>.stride, child: nil)
        let entry = makeLayout(name, [key, value], keepsUnknown: false)
        let plan = FieldPlan(
            number: number, name: name, type: .message, shape: .repeated, isPacked: false,
            isText: false, merges: false, stride: 16 + key.stride + value.stride,
            child: { entry })
        add(plan, .map, .repeated) { .map(key: K.kind, value: type()) }
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T) {
        add(number, name, T.self, .plain, .singular, .implicit)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?) {
        add(number, name, T.self, .optional, .singular, .explicit)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        add(number, name, T.self, .repeated, .repeated, .repeated, isPacked: T.kind.isPackable)
    }

    mutating func unpacked<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        add(number, name, T.self, .repeated, .repeated, .repeated)
    }

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout M?)
    {
        add(number, name, M.self, .optional, .singular, .explicit)
    }

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout [M])
    {
        add(number, name, M.self, .repeated, .repeated, .repeated)
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        addEncoded(number, name, M.self, .optional, .singular, .explicit)
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        addEncoded(number, name, M.self, .repeated, .repeated, .repeated)
    }

    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        let plan = FieldPlan(
            number: 2, name: "value", type: T.kind.cType, shape: .optional, isPacked: false,
            isText: T.kind == .string, merges: false, stride: MemoryLayout<T>.stride, child: nil)
        addMap(number, name, K.self, plan) { T.fieldType }
    }

    mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        let plan = FieldPlan(
            number: 2, name: "value", type: .message, shape: .optional, isPacked: false,
            isText: false, merges: true, stride: MemoryLayout<M>.stride,
            child: { M.schema.untied })
        addMap(number, name, K.self, plan) { .message(M.schema) }
    }

    /// The fields after a `oneof` continue from its first case: the other cases may have any
    /// numbers.
    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        oneof = name
        let before = plans.count
        O.visit(&value, &self)
        precondition(plans.count > before, "\(fullName).\(name): a oneof has a case")
        last = plans[before].number
        oneof = nil
        oneofs += 1
    }

    mutating func unknown(_ fields: inout UnknownFields) {
        keepsUnknown = true
    }

    mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        add(number, name, T.self, .oneof(oneofs), .singular, .explicit)
    }

    mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        add(number, name, M.self, .oneof(oneofs), .singular, .explicit)
    }
}

extension ScalarKind {
    /// A number of fixed length is the same in C, whatever type it has.
    var cType: FieldPlan.CType {
        switch self {
        case .bool, .uint64: .uint64
        case .int32, .enumeration: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .sint32: .sint32
        case .sint64: .sint64
        case .fixed32, .sfixed32, .float: .fixed32
        case .fixed64, .sfixed64, .double: .fixed64
        case .string, .bytes: .bytes
        }
    }
}
