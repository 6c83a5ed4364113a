import GRPCWire
import HTTP2
import Memory
import Protobuf
import RPC

/// How a client reads the header blocks and reset codes of a response.
enum ResponseHeaders {
    /// Returns why a response is not gRPC, or nil if it is.
    ///
    /// A response without messages that has a `grpc-status` counts as gRPC, whatever its other
    /// fields are.
    ///
    /// - Parameter isEnd: Whether nothing follows the header block.
    static func problem(_ head: HeaderBlock, isEnd: Bool) -> RPCError? {
        guard !isEnd || head.value(of: "grpc-status") == nil else { return nil }
        let status = head.value(of: ":status").map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard status == "200" else { return problem(httpStatus: status) }
        switch ContentKind(head.value(of: "content-type")) {
        case .grpc: return nil
        case .otherFormat:
            return error(.unknown, "the server's answer is in another format than protobuf")
        case .foreign: return error(.unknown, "the server's answer is not gRPC")
        }
    }

    private static func problem(httpStatus: String) -> RPCError {
        var words = "the server answered with HTTP \(httpStatus)"
        if httpStatus == "413" {
            words += ": something before it takes no request so long (nginx: client_max_body_size)"
        }
        return error(
            code(httpStatus: httpStatus), words, isLastingHTTP(httpStatus) ? .setup : .way)
    }

    private static func error(
        _ code: Status.Code, _ words: String, _ origin: RPCError.Origin = .way
    ) -> RPCError {
        var error = RPCError(code, words)
        error.origin = origin
        return error
    }

    /// Whether the same request would be answered in the same way again.
    private static func isLastingHTTP(_ status: String) -> Bool {
        status.count == 3 && status.hasPrefix("4") && !["408", "425", "429"].contains(status)
    }

    /// Whether a block says how the call ended.
    static func hasStatus(_ trailers: HeaderBlock) -> Bool {
        trailers.value(of: "grpc-status") != nil && !trailers.hasSeveral("grpc-status")
    }

    /// The status of a call by the block that ended it; `UNKNOWN` if the block has no status or
    /// several.
    static func status(_ trailers: HeaderBlock) -> Status {
        guard !trailers.hasSeveral("grpc-status") else {
            return Status(.unknown, "the server ended the call with several statuses")
        }
        guard let digits = trailers.value(of: "grpc-status") else {
            return Status(.unknown, "the server ended the call without a status")
        }
        let message = trailers.value(of: "grpc-message").map(PercentCoding.decode) ?? ""
        let details = trailers.value(of: "grpc-status-details-bin").flatMap {
            Base64.decode($0, .metadata)
        }
        return Status(Status.Code(digits: digits), message, details: details ?? [])
    }

    static func code(httpStatus: String) -> Status.Code {
        switch httpStatus {
        case "400": .internalError
        case "401": .unauthenticated
        case "403": .permissionDenied
        case "404": .unimplemented
        case "413": .resourceExhausted
        case "429", "502", "503", "504": .unavailable
        default: .unknown
        }
    }

    static func code(reset: ErrorCode) -> Status.Code {
        switch reset {
        case .refusedStream: .unavailable
        case .cancel: .cancelled
        case .enhanceYourCalm: .resourceExhausted
        case .inadequateSecurity: .permissionDenied
        case .noError, .protocolError, .internalError, .flowControlError, .settingsTimeout,
            .frameSizeError, .compressionError, .connectError:
            .internalError
        default: .unknown
        }
    }
}
