import GRPC
import Protobuf
import RelationAPI
import RelationModel
import RelationService
import Testing

@testable import RelationCalls
@testable import RelationService

/// One write call with its request, whatever its types: the same for every harness.
///
/// What only the write itself can tell, such as the number of what it began, is forgotten.
struct ServiceStep: CustomStringConvertible {
    let description: String
    private let send: (ServiceHarness, WriteOptions) throws -> Answer

    /// What a call answered, so that two answers can be compared.
    enum Answer: Equatable {
        /// The response with what differs between a dry run and the write left out.
        case response([UInt8], applied: Bool)
        case fault(String)
    }

    init<Request: WriteRequest, Response: WriteResponse>(
        _ method: Protobuf.Method<Request, Response>, _ request: Request,
        _ handler: @escaping (Request, Call, inout Violations) -> Work<Response>,
        forgetting: @escaping (inout Response) -> Void = { _ in }
    ) {
        description = "\(method.name) \(request)"
        send = { harness, options in
            var request = request
            request.options = options
            switch try harness.write(method, request, handler) {
            case .success(var response):
                let applied = response.applied
                response.applied = false
                response.sequence = 0
                forgetting(&response)
                let bytes = try Arena.temporary { (arena) throws(CodecError) in
                    try method.responseCoder.bytes(response, arena)
                }
                return .response(bytes, applied: applied)
            case .failure(let error):
                return .fault("\(error.code) \(error.message)")
            }
        }
    }

    func send(to harness: ServiceHarness, _ options: WriteOptions) throws -> Answer {
        try send(harness, options)
    }
}
