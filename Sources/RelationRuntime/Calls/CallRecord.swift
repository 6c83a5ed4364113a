import GRPC
import GRPCWire
import Logging
import Memory
import Protobuf
import RPC
import RelationAdmission
import RelationCore

/// All that a line of the log needs of a call that has ended.
struct CallRecord: Sendable {
    /// Why the call is logged.
    enum Kind {
        /// By an internal error.
        case failed
        case slow
        /// By the access log.
        case picked
    }

    private let kind: Kind
    private let path: String
    private let status: Status
    private let cause: String?
    private let nanoseconds: Int64
    private let bytes: (received: Int, sent: Int)
    private let peer: String
    private let trace: TraceParent?
    private let caller: (any NotedCaller)?
    private let requestID: String

    var hasCaller: Bool { caller != nil }

    init(_ kind: Kind, _ notes: CallNotes) {
        self.kind = kind
        path = notes.path
        status = notes.status
        cause = notes.cause
        nanoseconds = notes.isUnary ? notes.ownNanoseconds : notes.nanoseconds
        bytes = (notes.receivedBytes, notes.sentBytes)
        peer = notes.peer
        trace = notes.trace
        caller = notes.caller
        requestID = notes.requestID
    }

    /// The line about the call.
    func line(
        namingUsers: Bool
    ) -> (level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata) {
        var metadata: Logger.Metadata = [
            "call": "\(path)", "code": "\(status.code)", "peer": "\(peer)",
            "microseconds": .stringConvertible(nanoseconds / 1_000),
            "received_bytes": .stringConvertible(bytes.received),
            "sent_bytes": .stringConvertible(bytes.sent),
        ]
        if let reason { metadata["reason"] = "\(reason)" }
        if let caller = caller as? Caller {
            metadata["app"] = .stringConvertible(caller.app.id)
            metadata["caller"] = "\(caller.label(namingUsers: namingUsers))"
        }
        if !requestID.isEmpty { metadata["request_id"] = "\(requestID)" }
        if let trace { metadata["trace_id"] = "\(trace.traceID)" }
        if let cause { metadata["cause"] = "\(cause)" }
        switch kind {
        case .failed: return (level, "call failed", metadata)
        case .slow: return (.warning, "slow call", metadata)
        case .picked: return (.info, "call", metadata)
        }
    }

    /// The level of an error: another attempt may succeed after some, and after others it may not.
    private var level: Logger.Level {
        switch status.code {
        case .internalError, .unknown, .dataLoss, .unavailable: .error
        case .aborted: .info
        default: .warning
        }
    }

    /// The stable reason that the status carries.
    private var reason: String? {
        guard !status.details.isEmpty else { return nil }
        do throws(CodecError) {
            return try Arena.temporary { (arena) throws(CodecError) in
                let details = try Coder(StatusMessage.self).message(status.details, arena).details
                for detail in details where detail.typeURL.hasSuffix("/google.rpc.ErrorInfo") {
                    return try Coder(ErrorInfo.self).message(detail.value, arena).reason
                }
                return nil
            }
        } catch {
            // The code says enough.
            return nil
        }
    }
}
