import GRPC
import Memory
import Protobuf
import RPC
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
        /// The response in JSON without the fields that differ between a dry run and the write,
        /// and whether any of its results says that it changed something.
        ///
        /// The latter is nil for a response whose results do not say it.
        case response(String, applied: Bool, changed: Bool?)
        case callError(String)
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
                let json = try Arena.temporary { (arena) throws(CodecError) in
                    try response.json(arena)
                }
                let text = json.replacing(Self.change, with: "")
                let isTold = Response.schema.fields.contains(where: \.tellsChange)
                return .response(
                    text, applied: applied, changed: isTold ? text.count < json.count : nil)
            case .failure(let error):
                return .callError("\(error.code) \(error.message)")
            }
        }
    }

    /// A change in the JSON of a result; it never stands first in its message.
    private static let change = #","changed":true"#

    func send(to harness: ServiceHarness, _ options: WriteOptions) throws -> Answer {
        try send(harness, options)
    }
}

extension FieldSchema {
    /// Whether the field holds results that say whether they changed anything.
    fileprivate var tellsChange: Bool {
        guard case .message(let schema) = type else { return false }
        return schema.fields.contains { $0.name == "changed" }
    }
}
