import Protobuf

/// A contract as lines of text, one for each message, field, enum, value and call: two contracts
/// are equal if their lines are equal.
struct Contract: Equatable {
    private(set) var lines: Set<String> = []

    /// Lines that only this contract has, and lines that only `other` has.
    func differences(from other: Contract) -> [String] {
        let mine = lines.subtracting(other.lines).map { "- \($0)" }
        let theirs = other.lines.subtracting(lines).map { "+ \($0)" }
        return mine.sorted() + theirs.sorted()
    }

    mutating func add(message: String) {
        lines.insert("message \(message)")
    }

    mutating func add(field: ContractField, of message: String) {
        lines.insert(
            "field \(message).\(field.name) = \(field.number) \(field.type) \(field.presence)"
                + " oneof:\(field.oneof ?? "none") json:\(field.jsonName)")
    }

    mutating func add(enumeration: String) {
        lines.insert("enum \(enumeration)")
    }

    mutating func add(value: String, _ number: Int32, of enumeration: String) {
        lines.insert("value \(enumeration).\(value) = \(number)")
    }

    mutating func add(
        call path: String, _ request: String, _ response: String, _ shape: CallShape
    ) {
        lines.insert("call \(path) \(request) -> \(response) \(shape)")
    }
}

/// The description of a field in one line.
struct ContractField {
    var name: String
    var number: Int
    var type: String
    var presence: FieldSchema.Presence
    var oneof: String?
    var jsonName: String
}

extension Contract {
    /// The contract that Swift's table of calls describes, with `enums` that no message contains.
    init(calls: [AnyMethod], enums: [EnumSchema]) {
        for call in calls {
            add(call: call.path, call.request.fullName, call.response.fullName, call.shape)
            for root in [call.request, call.response] {
                let reached = root.reachable()
                reached.messages.forEach { add($0) }
                reached.enums.forEach { add($0) }
            }
        }
        enums.forEach { add($0) }
    }

    private mutating func add(_ schema: Schema) {
        add(message: schema.fullName)
        for field in schema.fields {
            add(
                field: ContractField(
                    name: field.name, number: Int(field.number), type: field.type.description,
                    presence: field.presence, oneof: field.oneof, jsonName: field.jsonName),
                of: schema.fullName)
        }
    }

    private mutating func add(_ schema: EnumSchema) {
        add(enumeration: schema.fullName)
        for value in schema.values {
            add(value: value.name, value.number, of: schema.fullName)
        }
    }
}

extension Contract {
    /// The contract that the files of a descriptor set declare, imported ones included.
    init(_ set: FileDescriptorSet) {
        for file in set.files {
            for message in file.messages { add(message, in: file.package) }
            for enumeration in file.enums { add(enumeration, in: file.package) }
            for service in file.services {
                for call in service.methods {
                    add(
                        call: "/\(file.package).\(service.name)/\(call.name)",
                        String(call.inputType.dropFirst()), String(call.outputType.dropFirst()),
                        call.shape)
                }
            }
        }
    }

    private mutating func add(_ message: DescriptorProto, in scope: String) {
        let name = "\(scope).\(message.name)"
        add(message: name)
        // The contract declares nothing inside a message except the entries of maps, which are the
        // types of their fields here. If it declared more, the lines would differ.
        var maps: [String: String] = [:]
        for nested in message.nested {
            let nestedName = "\(name).\(nested.name)"
            maps[nestedName] = nested.mapText
            if nested.mapText == nil { add(message: nestedName) }
        }
        for enumeration in message.enums { add(enumeration, in: name) }
        for field in message.fields {
            add(
                field: ContractField(
                    name: field.name, number: Int(field.number),
                    type: maps[field.typeText] ?? field.typeText, presence: field.presence,
                    oneof: field.isInOneof ? message.oneofs[Int(field.oneofIndex ?? 0)].name : nil,
                    jsonName: field.jsonName),
                of: name)
        }
    }

    private mutating func add(_ enumeration: EnumDescriptorProto, in scope: String) {
        let name = "\(scope).\(enumeration.name)"
        add(enumeration: name)
        for value in enumeration.values { add(value: value.name, value.number, of: name) }
    }
}
