package import GRPC
package import Protobuf
package import RelationModel
package import Storage

// How a call fails as a whole: each fault with the `google.rpc` details that a program reads.

extension RPCError {
    /// A fault with its stable reason, and what the reason's numbers are.
    package static func fault(
        _ code: Status.Code, _ reason: ErrorReason, _ message: String,
        metadata: [String: String] = [:],
        _ more: Detail? = nil
    ) -> RPCError {
        let prefix = "ERROR_REASON_"
        let name = (reason.name ?? prefix).dropFirst(prefix.count)
        // The details repeat the message, and clients compare: both keep to what the wire holds.
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
            return RPCError(code, message, details: details)
        } catch {
            // Details that do not fit never hide the fault itself.
            return RPCError(code, message, cause: error)
        }
    }

    /// What some faults say beside their reason.
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

    /// The server stops before the call has come to its end.
    package static let stopping = stopping(metadata: [:])

    package static func stopping(metadata: [String: String]) -> RPCError {
        fault(.unavailable, .stopping, "the server is stopping", metadata: metadata)
    }

    /// The server stops, or ends the call's connection.
    package static func goodbye(
        _ call: ServerCall, _ more: String = "", metadata: [String: String] = [:]
    ) -> RPCError {
        fault(.unavailable, .stopping, call.goodbye + more, metadata: metadata)
    }

    package static func unknownUser(_ user: UserID) -> RPCError {
        fault(.notFound, .userNotFound, "user_id: no account \"\(user)\" in this app")
    }

    /// A read that names an app, or one whose app has gone since it was let in.
    package static let unknownApp = fault(.notFound, .appNotFound, "there is no such app")

    package static func unknownApp(_ app: UInt32) -> RPCError {
        fault(.notFound, .appNotFound, "x-app-id: no app \(app)")
    }

    /// What the store's fault is to a client.
    ///
    /// Its message becomes the cause, which is for the log: it names files.
    package init(_ error: StorageError) {
        switch error.code {
        case .conflict:
            self = .fault(.aborted, .conflict, "another writer was faster; send the call again")
        case .diskLow:
            self = .fault(
                .resourceExhausted, .diskLow, "the server's disk is full; reads still work")
        case .outcomeUnknown:
            self = .outcomeUnknown(error)
        case .stopped:
            self = .stopping
            return
        case .unavailable, .locked, .foreign, .notInMemory:
            self = .fault(.unavailable, .storageUnavailable, "the store is away; try again later")
        case .corrupted, .failed, .exposed, .lostWrites:
            self = .fault(.internalError, .storageUnavailable, "the store failed")
        }
        cause = error
    }

    /// The engine has the write, and failed.
    package static func outcomeUnknown(
        _ error: StorageError, metadata: [String: String] = [:]
    ) -> RPCError {
        var fault = fault(
            .unknown, .outcomeUnknown,
            "the store failed while it wrote this; send it again with the same request_id when "
                + "the server is back", metadata: metadata)
        fault.cause = error
        return fault
    }

    /// The caller waits no longer; nothing was written.
    package static var tooLate: RPCError {
        RPCError(.deadlineExceeded, "the deadline passed before the call's turn came")
    }

    /// More calls wait than the server keeps, or than can be answered in time.
    ///
    /// Made once: who refuses much must do it cheaply.
    package static let overloaded = fault(
        .resourceExhausted, .overloaded, "too many calls wait; try again later",
        .retryAfter(milliseconds: AnswerLimits.retryAfterMilliseconds)
    ).prepared
}
