package import Protobuf

// The messages of `grpc/reflection/v1/reflection.proto`. The messages of `v1alpha` are the same on
// the wire.

package struct ServerReflectionRequest: CodedMessage {
    package enum Question: OneOf {
        case fileByFilename(String)
        case fileContainingSymbol(String)
        case fileContainingExtension(ExtensionRequest)
        case allExtensionNumbersOfType(String)
        case listServices(String)

        package static func visit(_ value: inout Question?, _ cases: inout some OneOfVisitor) {
            cases.field(
                3, "file_by_filename", &value,
                { if case .fileByFilename(let name) = $0 { name } else { nil } },
                Question.fileByFilename)
            cases.field(
                4, "file_containing_symbol", &value,
                { if case .fileContainingSymbol(let name) = $0 { name } else { nil } },
                Question.fileContainingSymbol)
            cases.field(
                5, "file_containing_extension", &value,
                { if case .fileContainingExtension(let request) = $0 { request } else { nil } },
                Question.fileContainingExtension)
            cases.field(
                6, "all_extension_numbers_of_type", &value,
                { if case .allExtensionNumbersOfType(let name) = $0 { name } else { nil } },
                Question.allExtensionNumbersOfType)
            cases.field(
                7, "list_services", &value,
                { if case .listServices(let text) = $0 { text } else { nil } },
                Question.listServices)
        }
    }

    package var host = ""
    package var question: Question?

    package init() {}
    package static let schema = Schema(
        "grpc.reflection.v1.ServerReflectionRequest", ServerReflectionRequest.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "host", &host)
        visitor.oneof("message_request", &question)
    }
}

package struct ExtensionRequest: CodedMessage {
    package var containingType = ""
    package var number: Int32 = 0

    package init() {}
    package static let schema = Schema(
        "grpc.reflection.v1.ExtensionRequest", ExtensionRequest.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "containing_type", &containingType)
        visitor.field(2, "extension_number", &number)
    }
}

package struct ServerReflectionResponse: CodedMessage {
    package enum Answer: OneOf {
        case files(FileDescriptorResponse)
        case extensionNumbers(ExtensionNumberResponse)
        case services(ListServiceResponse)
        case error(ReflectionErrorResponse)

        package static func visit(_ value: inout Answer?, _ cases: inout some OneOfVisitor) {
            cases.field(
                4, "file_descriptor_response", &value,
                { if case .files(let response) = $0 { response } else { nil } }, Answer.files)
            cases.field(
                5, "all_extension_numbers_response", &value,
                { if case .extensionNumbers(let response) = $0 { response } else { nil } },
                Answer.extensionNumbers)
            cases.field(
                6, "list_services_response", &value,
                { if case .services(let response) = $0 { response } else { nil } },
                Answer.services)
            cases.field(
                7, "error_response", &value,
                { if case .error(let response) = $0 { response } else { nil } }, Answer.error)
        }
    }

    package var validHost = ""
    package var originalRequest: ServerReflectionRequest?
    package var answer: Answer?

    package init() {}
    package static let schema = Schema(
        "grpc.reflection.v1.ServerReflectionResponse", ServerReflectionResponse.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "valid_host", &validHost)
        visitor.field(2, "original_request", &originalRequest)
        visitor.oneof("message_response", &answer)
    }
}

package struct FileDescriptorResponse: CodedMessage {
    package var files: [[UInt8]] = []

    package init() {}
    package static let schema = Schema(
        "grpc.reflection.v1.FileDescriptorResponse", FileDescriptorResponse.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "file_descriptor_proto", &files)
    }
}

package struct ExtensionNumberResponse: CodedMessage {
    package var baseTypeName = ""
    package var numbers: [Int32] = []

    package init() {}
    package static let schema = Schema(
        "grpc.reflection.v1.ExtensionNumberResponse", ExtensionNumberResponse.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "base_type_name", &baseTypeName)
        visitor.field(2, "extension_number", &numbers)
    }
}

package struct ListServiceResponse: CodedMessage {
    package var services: [ServiceResponse] = []

    package init() {}
    package static let schema = Schema(
        "grpc.reflection.v1.ListServiceResponse", ListServiceResponse.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "service", &services)
    }
}

package struct ServiceResponse: CodedMessage {
    package var name = ""

    package init() {}
    package static let schema = Schema("grpc.reflection.v1.ServiceResponse", ServiceResponse.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
    }
}

package struct ReflectionErrorResponse: CodedMessage {
    package var code: Int32 = 0
    package var message = ""

    package init() {}
    package static let schema = Schema(
        "grpc.reflection.v1.ErrorResponse", ReflectionErrorResponse.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "error_code", &code)
        visitor.field(2, "error_message", &message)
    }
}
