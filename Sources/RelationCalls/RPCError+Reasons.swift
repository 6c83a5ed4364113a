package import GRPC
import GRPCWire
import Memory
package import Protobuf
package import RPC
package import RelationCore
package import RelationModel

// The errors of a call as a whole, each with the `google.rpc` details that a program reads.

extension RPCError {
    /// An error with its stable reason, and with the numbers that belong to the reason.
    package init(
        _ code: Status.Code, _ reason: ErrorReason, _ message: String,
        metadata: [String: String] = [:],
        _ more: Detail? = nil
    ) {
        let prefix = "ERROR_REASON_"
        let name = (reason.name ?? prefix).dropFirst(prefix.count)
        // The details repeat the message, and clients compare the two: both end at the wire's
        // limit.
        let message = message.echoed(atMost: CallLimits.statusMessageBytes)
        let info = ErrorInfo(
            reason: String(name), domain: "relation.v1", metadata: metadata)
        do throws(CodecError) {
            let details = try Arena.temporary { (arena) throws(CodecError) in
                var packed = [try AnyMessage(packing: info, arena)]
                if let more { packed.append(try more.packed(arena)) }
                let status = StatusMessage(
                    code: Int32(code.rawValue), message: message, details: packed)
                return try Coder(StatusMessage.self).bytes(status, arena)
            }
            self.init(code, message, details: details)
        } catch {
            // The error itself is sent even if its details do not fit.
            self.init(code, message, cause: error)
        }
        self.reason = UInt16(clamping: reason.rawValue)
    }

    /// A detail that some errors carry beside their reason.
    package enum Detail {
        case badRequest([BadRequest.FieldViolation])
        case retryAfter(milliseconds: Int64)

        fileprivate func packed(_ arena: Arena) throws(CodecError) -> AnyMessage {
            switch self {
            case .badRequest(let violations):
                return try AnyMessage(packing: BadRequest(violations), arena)
            case .retryAfter(let milliseconds):
                let delay = DurationMessage(
                    seconds: milliseconds / 1_000,
                    nanos: Int32(milliseconds % 1_000) * 1_000_000)
                return try AnyMessage(packing: RetryInfo(retryDelay: delay), arena)
            }
        }
    }

    /// The server stops before the call has ended.
    package static let stopping = stopping(metadata: [:])

    package static func stopping(metadata: [String: String]) -> RPCError {
        RPCError(.unavailable, .stopping, "the server is stopping", metadata: metadata)
    }

    /// The server stops, or ends the call's connection.
    package static func serverStops(
        _ call: ServerCall, _ more: String = "", metadata: [String: String] = [:]
    ) -> RPCError {
        RPCError(.unavailable, .stopping, call.stopMessage + more, metadata: metadata)
    }

    package static func unknownUser(_ user: UserID) -> RPCError {
        RPCError(.notFound, .userNotFound, "user_id: this app has no account \"\(user)\"")
    }

    /// The app of a read does not exist, or has been deleted since the call was admitted.
    package static let unknownApp = RPCError(.notFound, .appNotFound, "there is no such app")

    package static func unknownApp(_ app: UInt32) -> RPCError {
        RPCError(.notFound, .appNotFound, "x-app-id: there is no app \(app)")
    }

    /// The app is on its way to another database, or lives there.
    package static func appMoving(
        _ app: UInt32, metadata: [String: String] = [:]
    ) -> RPCError {
        RPCError(
            .unavailable, .appMoving,
            "app \(app) is on its way to another database, or lives there; try again in a moment",
            metadata: metadata,
            .retryAfter(milliseconds: AnswerLimits.retryAfterMilliseconds))
    }

    /// The error of the store, as a client sees it.
    ///
    /// The store's own message names files. It becomes the cause, which only the log shows.
    package init(_ error: StorageError) {
        switch error.effect {
        case .conflict:
            self = RPCError(.aborted, .conflict, "another writer was faster; send the call again")
        case .diskLow:
            self = RPCError(
                .resourceExhausted, .diskLow, "the server's disk is full; reads still work")
        case .outcomeUnknown:
            self = .outcomeUnknown(error)
        case .stopped:
            self = .stopping
            return
        case .unavailable:
            self = RPCError(
                .unavailable, .storageUnavailable, "the store is not available; try again later")
        case .failed:
            self = RPCError(.internalError, .storageUnavailable, "the store failed")
        }
        cause = error
    }

    /// The engine took the write, and then failed.
    package static func outcomeUnknown(
        _ error: StorageError, metadata: [String: String] = [:]
    ) -> RPCError {
        var failure = RPCError(
            .unknown, .outcomeUnknown,
            "the store failed while it wrote this; send it again with the same request_id when "
                + "the server is back", metadata: metadata)
        failure.cause = error
        return failure
    }

    /// The caller no longer waits, and nothing was written.
    package static var tooLate: RPCError {
        RPCError(.deadlineExceeded, "the deadline passed before the server came to this call")
    }

    /// More calls wait than the server keeps, or than it can answer in time.
    ///
    /// It is made once, because a server under load must refuse at a low cost.
    package static let overloaded = RPCError(
        .resourceExhausted, .overloaded, "too many calls wait; try again later",
        .retryAfter(milliseconds: AnswerLimits.retryAfterMilliseconds)
    ).prepared
}
