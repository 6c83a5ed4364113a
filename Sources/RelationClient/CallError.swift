internal import GRPC
internal import Protobuf

/// Why a call as a whole failed.
public struct CallError: Error, CustomStringConvertible, Sendable {
    /// The name of the gRPC status, such as `INVALID_ARGUMENT`.
    public let code: String
    /// The message of the server, in words: it tells what the caller can change.
    public let message: String
    /// The reason that programs read, such as `USER_NOT_FOUND`; empty if the server gave none.
    public let reason: String
    /// The values beside the reason, such as `resume_token`.
    public let metadata: [String: String]
    /// Each bad field of the request and the rule that it breaks.
    public let violations: [(field: String, rule: String)]

    /// The code, the reason if there is one, and the message.
    public var description: String {
        reason.isEmpty ? "\(code): \(message)" : "\(code) (\(reason)): \(message)"
    }

    /// A message that cannot be written or read: it is too long, or the answer is of no contract
    /// that this client knows.
    init(_ error: CodecError, of what: String) {
        code = [.tooLarge, .outOfMemory].contains(error.code) ? "RESOURCE_EXHAUSTED" : "INTERNAL"
        message = "\(what): \(error.message)"
        reason = ""
        metadata = [:]
        violations = []
    }

    init(_ error: RPCError) {
        code = error.code.description
        message = error.message
        let details = Self.details(of: error)
        reason = details.info.reason
        metadata = details.info.metadata
        violations = details.violations
    }

    private static func details(
        of error: RPCError
    ) -> (info: ErrorInfo, violations: [(field: String, rule: String)]) {
        var info = ErrorInfo()
        var violations: [(field: String, rule: String)] = []
        guard !error.details.isEmpty else { return (info, violations) }
        let arena = Arena()
        defer { arena.free() }
        do throws(CodecError) {
            let status = try Coder(StatusMessage.self).message(error.details, arena)
            for detail in status.details {
                switch detail.typeURL {
                case "type.googleapis.com/google.rpc.ErrorInfo":
                    info = try Coder(ErrorInfo.self).message(detail.value, arena)
                case "type.googleapis.com/google.rpc.BadRequest":
                    let request = try Coder(BadRequest.self).message(detail.value, arena)
                    violations = request.fieldViolations.map { ($0.field, $0.description) }
                default: break
                }
            }
        } catch {
            // Details that cannot be read take nothing away from the status that came with them.
            return (info, violations)
        }
        return (info, violations)
    }
}
