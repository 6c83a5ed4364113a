import GRPC
import Protobuf
import RelationAPI
import RelationModel
import RelationService
import Testing

@testable import RelationCalls
@testable import RelationService

/// One write call with its request, of any types: the same for every harness.
///
/// Values that only the write itself can know are dropped, such as the number of a deletion.
struct ServiceStep: CustomStringConvertible {
    let description: String
    private let send: (ServiceHarness, WriteOptions) throws -> Answer

    /// The answer of a call, in a form that can be compared.
    enum Answer: Equatable {
        /// The response without the fields that differ between a dry run and the write.
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
