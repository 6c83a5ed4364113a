/// Compiles schemas to plans.
struct JSONPlanner {
    /// All memory of the plans, which the form frees.
    private(set) var blocks: [UnsafeMutableRawPointer] = []
    private var plans: [String: UnsafeMutablePointer<JSONPlan>] = [:]
    /// The messages whose plans have memory, but are not made.
    private var open: [(Schema, UnsafeMutablePointer<JSONPlan>)] = []

    /// The plan of a message, with those of all messages below it.
    mutating func plan(_ schema: Schema) -> UnsafePointer<JSONPlan> {
        let root = memory(of: schema)
        while let (schema, plan) = open.popLast() { plan.initialize(to: make(schema)) }
        return root
    }

    mutating func anys(_ schemas: [Schema]) -> JSONAnys {
        let plans = schemas.map { plan($0) }
        let names = schemas.enumerated().map { (bytes($1.fullName), $0) }
        return JSONAnys(names: table(names), plans: UnsafePointer(copy(plans)))
    }

    private mutating func memory(of schema: Schema) -> UnsafePointer<JSONPlan> {
        if let plan = plans[schema.fullName] { return UnsafePointer(plan) }
        let plan = UnsafeMutablePointer<JSONPlan>.allocate(capacity: 1)
        blocks.append(UnsafeMutableRawPointer(plan))
        plans[schema.fullName] = plan
        open.append((schema, plan))
        return UnsafePointer(plan)
    }

    private mutating func copy<T: BitwiseCopyable>(_ values: [T]) -> UnsafeMutablePointer<T> {
        let memory = UnsafeMutablePointer<T>.allocate(capacity: max(values.count, 1))
        memory.initialize(from: values, count: values.count)
        blocks.append(UnsafeMutableRawPointer(memory))
        return memory
    }

    private mutating func bytes(_ text: String) -> JSONBytes {
        let bytes = [UInt8](text.utf8)
        return JSONBytes(start: UnsafePointer(copy(bytes)), count: bytes.count)
    }

    private mutating func table(_ names: [(JSONBytes, Int)]) -> JSONNames {
        let slots = JSONNames.slots(names)
        return JSONNames(entries: UnsafePointer(copy(slots)), mask: slots.count - 1)
    }

    private mutating func make(_ schema: Schema) -> JSONPlan {
        let fields = schema.fields
        // The first case of each oneof stands for its others.
        var firstNumbers: [String: UInt32] = [:]
        var oneofs: [String: Int] = [:]
        for field in fields {
            guard let oneof = field.oneof else { continue }
            firstNumbers[oneof] = min(firstNumbers[oneof] ?? .max, field.number)
            oneofs[oneof] = oneofs[oneof] ?? oneofs.count + 1
        }
        func firstNumber(_ field: FieldSchema) -> UInt32 {
            field.oneof.flatMap { firstNumbers[$0] } ?? field.number
        }
        let sorted = fields.sorted {
            let (one, other) = (firstNumber($0), firstNumber($1))
            return one == other ? $0.number < $1.number : one < other
        }
        return make(
            schema.fullName, JSONPlan.Form(of: schema.fullName),
            sorted.map { make($0, oneof: $0.oneof.flatMap { oneofs[$0] } ?? 0) })
    }

    private mutating func make(
        _ name: String, _ form: JSONPlan.Form, _ fields: [JSONField]
    ) -> JSONPlan {
        var directory = [UInt8](
            repeating: 0, count: Int(min(fields.map(\.number).max() ?? 0, 127)) + 1)
        var names: [(JSONBytes, Int)] = []
        for (index, field) in fields.enumerated() {
            if field.number < directory.count {
                directory[Int(field.number)] = UInt8(index + 1)
            }
            names.append((field.jsonName, index))
            if !field.name.equals(field.jsonName) { names.append((field.name, index)) }
        }
        return JSONPlan(
            name: bytes(name), form: form, fields: UnsafePointer(copy(fields)),
            count: fields.count, names: table(names), directory: UnsafePointer(copy(directory)),
            directoryCount: directory.count)
    }

    private mutating func make(_ field: FieldSchema, oneof: Int) -> JSONField {
        switch field.type {
        case .map(let key, let value):
            let key = make(1, "key", .scalar(key), .singular, isImplicit: false, 0, nil)
            let value = make(2, "value", value, .singular, isImplicit: false, 0, nil)
            let entry = copy([make(field.name, .object, [key, value])])
            return make(
                field.number, field.name, .scalar(.bytes), .map, isImplicit: false, 0,
                UnsafePointer(entry))
        default:
            let shape: JSONField.Shape =
                field.label == .singular ? .singular : field.isPacked ? .packed : .list
            return make(
                field.number, field.name, field.type, shape,
                isImplicit: field.presence == .implicit, oneof, nil)
        }
    }

    private mutating func make(
        _ number: UInt32, _ name: String, _ type: FieldType, _ shape: JSONField.Shape,
        isImplicit: Bool, _ oneof: Int, _ entry: UnsafePointer<JSONPlan>?
    ) -> JSONField {
        var kind = ScalarKind.bytes
        var child = entry
        var values: UnsafePointer<JSONEnum>?
        switch type {
        case .scalar(let scalar): kind = scalar
        case .enumeration(let names): (kind, values) = (.enumeration, make(names))
        case .message(let schema): child = memory(of: schema)
        case .map: preconditionFailure("no map holds maps")
        }
        let wireType = kind.wireType
        return JSONField(
            number: number, tag: number << 3 | (shape == .packed ? 2 : wireType),
            wireType: wireType, kind: kind, shape: shape, isImplicit: isImplicit, oneof: oneof,
            name: bytes(name), key: bytes(",\"\(JSONName.lowerCamel(name))\":"), child: child,
            values: values)
    }

    private mutating func make(_ names: EnumSchema) -> UnsafePointer<JSONEnum> {
        let values = names.values.sorted { $0.number < $1.number }.map {
            JSONEnum.Value(number: $0.number, quoted: bytes("\"\($0.name)\""))
        }
        let table = table(
            values.enumerated().map { index, value in
                let quoted = value.quoted
                return (JSONBytes(start: quoted.start + 1, count: quoted.count - 2), index)
            })
        return UnsafePointer(
            copy([
                JSONEnum(
                    name: bytes(names.fullName), values: UnsafePointer(copy(values)),
                    count: values.count, names: table)
            ]))
    }
}

extension JSONPlan.Form {
    /// Some well-known messages have their own form in JSON.
    fileprivate init(of name: String) {
        switch name {
        case "google.protobuf.Duration": self = .duration
        case "google.protobuf.Timestamp": self = .timestamp
        case "google.protobuf.FieldMask": self = .mask
        case "google.protobuf.Any": self = .any
        default: self = .object
        }
    }
}

extension ScalarKind {
    /// The wire type of one value.
    var wireType: UInt32 {
        switch self {
        case .bool, .int32, .int64, .uint32, .uint64, .sint32, .sint64, .enumeration: 0
        case .fixed64, .sfixed64, .double: 1
        case .string, .bytes: 2
        case .fixed32, .sfixed32, .float: 5
        }
    }
}
