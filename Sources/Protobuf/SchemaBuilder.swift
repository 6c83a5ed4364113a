/// What the descriptor needs of one field.
struct FieldPlan {
    /// The types that we use of libprotobuf-c's: see ``Scalar`` for why not all.
    enum CType {
        case int32, uint32, int64, uint64, fixed64, bytes, message
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
    let isText: Bool
    /// Whether a singular field merges when it comes twice.
    let merges: Bool
    /// Bytes of one element in Swift.
    let stride: Int
    let child: UnsafePointer<Layout>?
}

/// The visitor that writes a schema down.
struct SchemaBuilder: FieldVisitor, OneOfVisitor {
    /// The messages whose schemas are being made, outermost first: a message that meets itself here
    /// is recursive, and without this list its `static let` would wait for itself for ever.
    @TaskLocal static var underConstruction: [ObjectIdentifier] = []

    private let fullName: StaticString
    private(set) var fields: [FieldSchema] = []
    private(set) var plans: [FieldPlan] = []
    private(set) var keepsUnknown = false
    private var oneofs = 0
    private var oneof: StaticString?

    init(_ fullName: StaticString) {
        self.fullName = fullName
    }

    private func schema<M: Message>(of type: M.Type) -> Schema {
        precondition(
            !SchemaBuilder.underConstruction.contains(ObjectIdentifier(type)),
            "\(fullName): a message contains itself, which would bound no recursion")
        return M.schema
    }

    private mutating func add(
        _ number: UInt32, _ name: StaticString, _ type: FieldType, _ label: FieldSchema.Label,
        _ presence: FieldSchema.Presence, _ plan: FieldPlan
    ) {
        precondition(
            number > (fields.last?.number ?? 0) && number < 536_870_911,
            "\(fullName).\(name): field numbers ascend from 1")
        precondition(!keepsUnknown, "\(fullName).\(name): unknown fields are visited last")
        precondition(
            !fields.contains { $0.name == name.description },
            "\(fullName).\(name): the name comes twice")
        fields.append(
            FieldSchema(
                number: number, name: name.description, type: type, label: label,
                presence: presence, oneof: oneof?.description))
        plans.append(plan)
    }

    private mutating func add<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ type: T.Type, _ shape: FieldPlan.Shape,
        _ label: FieldSchema.Label, _ presence: FieldSchema.Presence
    ) {
        add(
            number, name, T.fieldType, label, presence,
            FieldPlan(
                number: number, name: name, type: T.kind.cType, shape: shape,
                isText: T.kind == .string, merges: false, stride: MemoryLayout<T>.stride,
                child: nil))
    }

    private mutating func add<M: Message>(
        _ number: UInt32, _ name: StaticString, _ type: M.Type, _ shape: FieldPlan.Shape,
        _ label: FieldSchema.Label, _ presence: FieldSchema.Presence
    ) {
        let schema = schema(of: type)
        add(
            number, name, .message(schema), label, presence,
            FieldPlan(
                number: number, name: name, type: .message, shape: shape, isText: false,
                merges: presence == .explicit, stride: MemoryLayout<M>.stride,
                child: schema.layout))
    }

    private mutating func addEncoded<M: Message>(
        _ number: UInt32, _ name: StaticString, _ type: M.Type, _ shape: FieldPlan.Shape,
        _ label: FieldSchema.Label, _ presence: FieldSchema.Presence
    ) {
        add(
            number, name, .message(schema(of: type)), label, presence,
            FieldPlan(
                number: number, name: name, type: .bytes, shape: shape, isText: false,
                merges: presence == .explicit, stride: 16, child: nil))
    }

    /// A map is a list of entries with the fields `key` and `value`, which are always written, so
    /// both have presence: other writers do that too.
    private mutating func addMap(
        _ number: UInt32, _ name: StaticString, _ value: FieldType, _ plan: FieldPlan
    ) {
        let key = FieldPlan(
            number: 1, name: "key", type: .bytes, shape: .optional, isText: true, merges: false,
            stride: 16, child: nil)
        let entry = makeLayout(name, [key, plan], keepsUnknown: false)
        add(
            number, name, .map(value: value), .map, .repeated,
            FieldPlan(
                number: number, name: name, type: .message, shape: .repeated, isText: false,
                merges: false, stride: 32 + plan.stride, child: entry))
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T) {
        add(number, name, T.self, .plain, .singular, .implicit)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?) {
        add(number, name, T.self, .optional, .singular, .explicit)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        add(number, name, T.self, .repeated, .repeated, .repeated)
    }

    mutating func field<M: Message>(_ number: UInt32, _ name: StaticString, _ value: inout M?) {
        add(number, name, M.self, .optional, .singular, .explicit)
    }

    mutating func field<M: Message>(_ number: UInt32, _ name: StaticString, _ value: inout [M]) {
        add(number, name, M.self, .repeated, .repeated, .repeated)
    }

    mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        addEncoded(number, name, M.self, .optional, .singular, .explicit)
    }

    mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        addEncoded(number, name, M.self, .repeated, .repeated, .repeated)
    }

    mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [String: T]
    ) {
        let plan = FieldPlan(
            number: 2, name: "value", type: T.kind.cType, shape: .optional,
            isText: T.kind == .string, merges: false, stride: MemoryLayout<T>.stride, child: nil)
        addMap(number, name, T.fieldType, plan)
    }

    mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout [String: M]
    ) {
        let schema = schema(of: M.self)
        let plan = FieldPlan(
            number: 2, name: "value", type: .message, shape: .optional, isText: false,
            merges: true, stride: MemoryLayout<M>.stride, child: schema.layout)
        addMap(number, name, .message(schema), plan)
    }

    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        oneof = name
        O.visit(&value, &self)
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

    mutating func field<O: OneOf, M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        add(number, name, M.self, .oneof(oneofs), .singular, .explicit)
    }
}

extension ScalarKind {
    var cType: FieldPlan.CType {
        switch self {
        case .bool, .uint64: .uint64
        case .int32, .enumeration: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .double: .fixed64
        case .string, .bytes: .bytes
        }
    }
}
