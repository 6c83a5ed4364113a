import GRPCWire
package import Protobuf
import RPC

/// Server reflection, `v1` and `v1alpha`: tools learn the contract from the server itself.
package final class Reflection: Dispatcher {
    private let index: DescriptorIndex

    /// Serves the files of encoded `FileDescriptorSet`s; each set must hold the imports of its
    /// files.
    ///
    /// - Throws: ``CodecError`` with `malformed` if one of them is not a `FileDescriptorSet`.
    package init(descriptorSets: [[UInt8]]) throws(CodecError) {
        var index = DescriptorIndex()
        for set in descriptorSets { try index.add(set) }
        self.index = index
    }

    package var methods: [ServedMethod] {
        ownMethods.map { $0.taking(atMost: CallLimits.reflectionRequestBytes) }
    }

    private var ownMethods: [ServedMethod] {
        ["v1", "v1alpha"].map { version in
            .streaming(
                "/grpc.reflection.\(version).ServerReflection/ServerReflectionInfo",
                shape: .bidirectional
            ) { [self] _ in Conversation(reflection: self) }
        }
    }

    private static let requests = Coder(ServerReflectionRequest.self)
    private static let responses = Coder(ServerReflectionResponse.self)

    private func answer(_ request: ServerReflectionRequest) -> ServerReflectionResponse.Answer {
        switch request.question {
        case .fileByFilename(let name):
            return files(name, "there is no file \(name)")
        case .fileContainingSymbol(let symbol):
            return files(index.fileOfSymbol[symbol], "there is no symbol \(symbol)")
        case .fileContainingExtension(let request):
            let file = index.extensions[request.containingType]?[request.number]
            return files(
                file, "\(request.containingType) has no extension \(request.number)")
        case .allExtensionNumbersOfType(let type):
            guard index.messages.contains(type) else {
                return error(.notFound, "there is no message type \(type)")
            }
            var response = ExtensionNumberResponse()
            response.baseTypeName = type
            response.numbers = index.extensions[type].map { $0.keys.sorted() } ?? []
            return .extensionNumbers(response)
        case .listServices:
            var response = ListServiceResponse()
            response.services = index.services.sorted().map { name in
                var service = ServiceResponse()
                service.name = name
                return service
            }
            return .services(response)
        case nil:
            return error(.invalidArgument, "the request asks nothing")
        }
    }

    private func files(_ name: String?, _ problem: String) -> ServerReflectionResponse.Answer {
        guard let name, let files = index.closure(of: name) else {
            return error(.notFound, problem)
        }
        var response = FileDescriptorResponse()
        response.files = files
        return .files(response)
    }

    private func error(
        _ code: Status.Code, _ message: String
    ) -> ServerReflectionResponse.Answer {
        var response = ReflectionErrorResponse()
        response.code = Int32(code.rawValue)
        response.message = message
        return .error(response)
    }

    /// One client's requests, each answered before the next is read.
    private final class Conversation: StreamHandler {
        let reflection: Reflection

        init(reflection: Reflection) {
            self.reflection = reflection
        }

        func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
            let mayGoOn = call.send { (output) throws(RPCError) in
                let request = try Reflection.requests.request(message, call)
                var response = ServerReflectionResponse()
                response.validHost = request.host
                response.answer = reflection.answer(request)
                response.originalRequest = request
                try Reflection.responses.append(response, call, output)
            }
            if !mayGoOn { call.pauseRequests() }
        }

        func writable(_ call: ServerCall) {
            call.resumeRequests()
        }

        func endOfRequests(_ call: ServerCall) {
            call.finish(.ok)
        }

        /// Ends the call, because tools keep it open while they have no request.
        func stopping(_ call: ServerCall) {
            call.finish(Status(.unavailable, call.stopMessage))
        }
    }
}
