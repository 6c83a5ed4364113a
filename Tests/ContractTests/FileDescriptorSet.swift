import Protobuf

// The parts of google/protobuf/descriptor.proto that the test needs, read by our own codec. The
// schemas of that file contain themselves, which ours may not; a nested message is read by name
// only.

struct FileDescriptorSet: CodedMessage {
    var files: [FileDescriptorProto] = []

    static let schema = Schema("google.protobuf.FileDescriptorSet", FileDescriptorSet.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "file", &files)
    }
}

struct FileDescriptorProto: CodedMessage {
    var name = ""
    var package = ""
    var messages: [DescriptorProto] = []
    var enums: [EnumDescriptorProto] = []
    var services: [ServiceDescriptorProto] = []
    var options: FileOptionsProto?

    static let schema = Schema("google.protobuf.FileDescriptorProto", FileDescriptorProto.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "package", &package)
        visitor.field(4, "message_type", &messages)
        visitor.field(5, "enum_type", &enums)
        visitor.field(6, "service", &services)
        visitor.field(8, "options", &options)
    }
}

/// The options of a file that give generated code its names.
struct FileOptionsProto: CodedMessage {
    var javaPackage = ""
    var javaOuterClassname = ""
    var javaMultipleFiles = false
    var goPackage = ""
    var objcClassPrefix = ""
    var csharpNamespace = ""
    var swiftPrefix = ""
    var phpNamespace = ""
    var rubyPackage = ""

    static let schema = Schema("google.protobuf.FileOptions", FileOptionsProto.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "java_package", &javaPackage)
        visitor.field(8, "java_outer_classname", &javaOuterClassname)
        visitor.field(10, "java_multiple_files", &javaMultipleFiles)
        visitor.field(11, "go_package", &goPackage)
        visitor.field(36, "objc_class_prefix", &objcClassPrefix)
        visitor.field(37, "csharp_namespace", &csharpNamespace)
        visitor.field(39, "swift_prefix", &swiftPrefix)
        visitor.field(41, "php_namespace", &phpNamespace)
        visitor.field(45, "ruby_package", &rubyPackage)
    }
}

struct DescriptorProto: CodedMessage {
    var name = ""
    var fields: [FieldDescriptorProto] = []
    var nested: [NestedProto] = []
    var enums: [EnumDescriptorProto] = []
    var oneofs: [Named] = []

    static let schema = Schema("google.protobuf.DescriptorProto", DescriptorProto.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "field", &fields)
        visitor.field(3, "nested_type", &nested)
        visitor.field(4, "enum_type", &enums)
        visitor.field(8, "oneof_decl", &oneofs)
    }
}

/// A message inside another one: in the contract, only the entries of its maps.
struct NestedProto: CodedMessage {
    var name = ""
    var fields: [FieldDescriptorProto] = []
    var options: NestedOptions?

    static let schema = Schema("google.protobuf.NestedProto", NestedProto.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "field", &fields)
        visitor.field(7, "options", &options)
    }

    /// The map whose entry this is, as a .proto file writes it; nil if it is not a map's entry.
    var mapText: String? {
        guard options?.isMapEntry == true, fields.map(\.number) == [1, 2] else { return nil }
        return "map<\(fields[0].typeText), \(fields[1].typeText)>"
    }
}

struct NestedOptions: CodedMessage {
    var isMapEntry = false

    static let schema = Schema("google.protobuf.NestedOptions", NestedOptions.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(7, "map_entry", &isMapEntry)
    }
}

/// A descriptor of which only the name matters.
struct Named: CodedMessage {
    var name = ""

    static let schema = Schema("google.protobuf.Named", Named.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
    }
}

struct FieldDescriptorProto: CodedMessage {
    var name = ""
    var number: Int32 = 0
    var label: Int32 = 0
    var type: Int32 = 0
    var typeName = ""
    var oneofIndex: Int32?
    var jsonName = ""
    var isOptional = false

    static let schema = Schema("google.protobuf.FieldDescriptorProto", FieldDescriptorProto.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(3, "number", &number)
        visitor.field(4, "label", &label)
        visitor.field(5, "type", &type)
        visitor.field(6, "type_name", &typeName)
        visitor.field(9, "oneof_index", &oneofIndex)
        visitor.field(10, "json_name", &jsonName)
        visitor.field(17, "proto3_optional", &isOptional)
    }

    /// Whether the field is a case of a `oneof` of the file: protoc also gives every `optional`
    /// field a `oneof` of its own.
    var isInOneof: Bool { oneofIndex != nil && !isOptional }

    private var isMessage: Bool { type == 11 }

    var presence: FieldSchema.Presence {
        if label == 3 { return .repeated }
        return isMessage || oneofIndex != nil ? .explicit : .implicit
    }

    /// The type as a .proto file writes it; a type that this project does not use is shown as its
    /// number.
    var typeText: String {
        switch type {
        case 1: "double"
        case 2: "float"
        case 3: "int64"
        case 4: "uint64"
        case 5: "int32"
        case 6: "fixed64"
        case 7: "fixed32"
        case 8: "bool"
        case 9: "string"
        case 11, 14: String(typeName.dropFirst())
        case 12: "bytes"
        case 13: "uint32"
        case 15: "sfixed32"
        case 16: "sfixed64"
        case 17: "sint32"
        case 18: "sint64"
        default: "type \(type)"
        }
    }
}

struct EnumDescriptorProto: CodedMessage {
    var name = ""
    var values: [EnumValueDescriptorProto] = []

    static let schema = Schema("google.protobuf.EnumDescriptorProto", EnumDescriptorProto.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "value", &values)
    }
}

struct EnumValueDescriptorProto: CodedMessage {
    var name = ""
    var number: Int32 = 0

    static let schema = Schema(
        "google.protobuf.EnumValueDescriptorProto", EnumValueDescriptorProto.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "number", &number)
    }
}

struct ServiceDescriptorProto: CodedMessage {
    var name = ""
    var methods: [MethodDescriptorProto] = []

    static let schema = Schema(
        "google.protobuf.ServiceDescriptorProto", ServiceDescriptorProto.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "method", &methods)
    }
}

struct MethodDescriptorProto: CodedMessage {
    var name = ""
    var inputType = ""
    var outputType = ""
    var clientStreams = false
    var serverStreams = false
    var options: MethodOptionsProto?

    static let schema = Schema("google.protobuf.MethodDescriptorProto", MethodDescriptorProto.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "input_type", &inputType)
        visitor.field(3, "output_type", &outputType)
        visitor.field(4, "options", &options)
        visitor.field(5, "client_streaming", &clientStreams)
        visitor.field(6, "server_streaming", &serverStreams)
    }

    var shape: CallShape {
        switch (clientStreams, serverStreams) {
        case (false, false): .unary
        case (false, true): .serverStreaming
        case (true, false): .clientStreaming
        case (true, true): .bidirectional
        }
    }
}

struct MethodOptionsProto: CodedMessage {
    /// 1 is NO_SIDE_EFFECTS.
    var idempotencyLevel: Int32 = 0

    static let schema = Schema("google.protobuf.MethodOptions", MethodOptionsProto.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(34, "idempotency_level", &idempotencyLevel)
    }
}
