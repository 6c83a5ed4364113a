import Protobuf

/// The files of a `FileDescriptorSet` and what each of them declares.
///
/// Of all the fields in `descriptor.proto` only names are needed here, so they are read directly
/// from the encoded bytes.
struct DescriptorIndex {
    struct File {
        var name = ""
        var bytes: [UInt8] = []
        var dependencies: [String] = []
    }

    private(set) var files: [String: File] = [:]

    /// The file that declares each message, enum, service, method, field or value.
    private(set) var fileOfSymbol: [String: String] = [:]
    private(set) var services: [String] = []

    /// For each message type, its extensions: number and file.
    private(set) var extensions: [String: [Int32: String]] = [:]
    private(set) var messages: Set<String> = []

    /// - Throws: ``CodecError`` with `malformed` if `set` is not a `FileDescriptorSet`.
    mutating func add(_ set: [UInt8]) throws(CodecError) {
        for file in try WireFields.read(set[...]) where file.number == 1 {
            try addFile(file.bytes)
        }
    }

    /// The file and all files that it depends on, the file first; nil if there is no such file.
    func closure(of name: String) -> [[UInt8]]? {
        guard files[name] != nil else { return nil }
        var found: Set = [name]
        var queue = [name]
        var next = 0
        while next < queue.count {
            for dependency in files[queue[next]]?.dependencies ?? []
            where files[dependency] != nil && found.insert(dependency).inserted {
                queue.append(dependency)
            }
            next += 1
        }
        return queue.compactMap { files[$0]?.bytes }
    }

    private mutating func addFile(_ bytes: ArraySlice<UInt8>) throws(CodecError) {
        let fields = try WireFields.read(bytes)
        var file = File()
        file.bytes = Array(bytes)
        var package = ""
        for field in fields {
            switch field.number {
            case 1: file.name = field.text
            case 2: package = field.text
            case 3: file.dependencies.append(field.text)
            default: break
            }
        }
        files[file.name] = file
        for field in fields {
            switch field.number {
            case 4: try addMessage(field.bytes, in: package, of: file.name)
            case 5: try addEnum(field.bytes, in: package, of: file.name)
            case 6: try addService(field.bytes, in: package, of: file.name)
            case 7: try addExtension(field.bytes, in: package, of: file.name)
            default: break
            }
        }
    }

    private mutating func addMessage(
        _ bytes: ArraySlice<UInt8>, in scope: String, of file: String
    ) throws(CodecError) {
        let fields = try WireFields.read(bytes)
        let name = join(scope, try nameField(bytes))
        fileOfSymbol[name] = file
        messages.insert(name)
        for field in fields {
            switch field.number {
            case 2, 8: fileOfSymbol[join(name, try nameField(field.bytes))] = file
            case 3: try addMessage(field.bytes, in: name, of: file)
            case 4: try addEnum(field.bytes, in: name, of: file)
            case 6: try addExtension(field.bytes, in: name, of: file)
            default: break
            }
        }
    }

    private mutating func addEnum(
        _ bytes: ArraySlice<UInt8>, in scope: String, of file: String
    ) throws(CodecError) {
        fileOfSymbol[join(scope, try nameField(bytes))] = file
        for field in try WireFields.read(bytes) where field.number == 2 {
            // The full name of a value has the scope of its enum, not the name of the enum.
            fileOfSymbol[join(scope, try nameField(field.bytes))] = file
        }
    }

    private mutating func addService(
        _ bytes: ArraySlice<UInt8>, in scope: String, of file: String
    ) throws(CodecError) {
        let name = join(scope, try nameField(bytes))
        fileOfSymbol[name] = file
        services.append(name)
        for field in try WireFields.read(bytes) where field.number == 2 {
            fileOfSymbol[join(name, try nameField(field.bytes))] = file
        }
    }

    private mutating func addExtension(
        _ bytes: ArraySlice<UInt8>, in scope: String, of file: String
    ) throws(CodecError) {
        fileOfSymbol[join(scope, try nameField(bytes))] = file
        var type = ""
        var number: Int32 = 0
        for field in try WireFields.read(bytes) {
            if field.number == 2 { type = field.text }
            if field.number == 3 { number = Int32(truncatingIfNeeded: field.value) }
        }
        if type.hasPrefix(".") { type.removeFirst() }
        extensions[type, default: [:]][number] = file
    }

    private func nameField(_ bytes: ArraySlice<UInt8>) throws(CodecError) -> String {
        try WireFields.read(bytes).first { $0.number == 1 }?.text ?? ""
    }

    private func join(_ scope: String, _ name: String) -> String {
        scope.isEmpty ? name : "\(scope).\(name)"
    }
}

/// One field of an encoded message, as it is on the wire.
private struct WireFields {
    var number: UInt64
    var value: UInt64 = 0
    var bytes: ArraySlice<UInt8> = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    static func read(_ bytes: ArraySlice<UInt8>) throws(CodecError) -> [WireFields] {
        var rest = bytes
        var fields: [WireFields] = []
        while !rest.isEmpty {
            let tag = try varint(&rest)
            var field = WireFields(number: tag >> 3)
            switch tag & 7 {
            case 0: field.value = try varint(&rest)
            case 1: try consume(8, &rest)
            case 2: field.bytes = try consume(try varint(&rest), &rest)
            case 5: try consume(4, &rest)
            default: throw CodecError(.malformed, "a descriptor set has a group")
            }
            fields.append(field)
        }
        return fields
    }

    @discardableResult
    private static func consume(
        _ count: UInt64, _ rest: inout ArraySlice<UInt8>
    ) throws(CodecError) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else {
            throw CodecError(.malformed, "a descriptor set is cut off")
        }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) throws(CodecError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { break }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw CodecError(.malformed, "a descriptor set is cut off")
    }
}
