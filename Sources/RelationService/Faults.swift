package import GRPC
package import Protobuf
package import RelationAccess
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

    static func stopping(metadata: [String: String]) -> RPCError {
        fault(.unavailable, .stopping, "the server is stopping", metadata: metadata)
    }

    /// The server stops, or ends the call's connection.
    static func goodbye(
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

    /// No credential came with the call.
    package static let credentialMissing = fault(
        .unauthenticated, .credentialMissing,
        "the call carries no credential: send the metadata authorization")

    package static let credentialUnknown = fault(
        .unauthenticated, .credentialInvalid,
        "authorization: must be \"Bearer KEY\" or \"UserSig TOKEN\"")

    /// Something on the way, as a proxy, may have meant one of them and let the other pass.
    package static let severalCredentials = fault(
        .unauthenticated, .credentialInvalid,
        "authorization: may be given once, and the call has it several times")

    /// A client certificate is no secret: any app may register it, so the call says for which.
    package static let appNotNamed = fault(
        .unauthenticated, .credentialMissing,
        "x-app-id: must name the app that the client certificate is registered with")

    /// The call names one app and its credential is of another.
    package static let foreignApp = fault(
        .unauthenticated, .credentialInvalid,
        "x-app-id: the credential is of another app")

    /// What is wrong with a credential is told as little as helps.
    package init(_ fault: CredentialFault) {
        switch fault {
        case .invalid:
            self = .fault(.unauthenticated, .credentialInvalid, "the credential is not valid")
        case .expired:
            self = .fault(.unauthenticated, .credentialExpired, "the credential has expired")
        }
    }

    /// The caller, or its app, calls more often than it may.
    package static func throttled(_ rate: Rate, nanoseconds wait: Int64) -> RPCError {
        .fault(
            .resourceExhausted, .throttled, "too many calls: send this one later",
            metadata: ["limit": "\(rate.perSecond)"],
            .retryAfter(milliseconds: (wait + 999_999) / 1_000_000))
    }

    /// The caller, or its app, has as many calls open as it may.
    package static func tooManyOpenCalls(_ bound: Footprint.Bound) -> RPCError {
        held(.tooManyOpenCalls, bound, "too many calls are open: end one, or come back later")
    }

    /// The caller, or its app, comes on as many connections as it may.
    package static func tooManyConnections(_ bound: Footprint.Bound) -> RPCError {
        held(.tooManyConnections, bound, "too many connections: use one for all calls")
    }

    private static func held(
        _ reason: ErrorReason, _ bound: Footprint.Bound, _ message: String
    ) -> RPCError {
        let limit =
            switch bound {
            case .own(let limit), .group(let limit): limit
            }
        return .fault(
            .resourceExhausted, reason, message, metadata: ["limit": "\(limit)"],
            .retryAfter(milliseconds: ServiceLimits.retryHeldMilliseconds))
    }

    /// The caller may not make a call that needs `scope`.
    package static func missing(_ scope: Scope) -> RPCError {
        fault(.permissionDenied, .scopeMissing, "this call needs the scope \(scope.word)")
    }

    /// A user's own credential was used for a call that services make.
    package static let forServices = fault(
        .permissionDenied, .scopeMissing,
        "this call is for the app's services: a user's own credential does not open it")

    /// A user's own credential was used for another user.
    package static func foreignUser(_ user: UserID) -> RPCError {
        fault(
            .permissionDenied, .foreignUser,
            "user_id: the credential may not act for \"\(user)\"",
            metadata: ["code": "\(FriendStatus.adminRequired.rawValue)"])
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
    static func outcomeUnknown(
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
        .retryAfter(milliseconds: ServiceLimits.retryAfterMilliseconds)
    ).prepared
}

/// The bad fields of one request: each is named, with the rule that it breaks.
package struct Violations {
    private var fields: [BadRequest.FieldViolation] = []
    private var reason = ErrorReason.invalidField
    /// The numbers that the reason tells, if it has any.
    private var metadata: [String: String] = [:]
    /// A fault that is not a field's, such as a missing scope: it goes before the fields'.
    private var refusal: RPCError?

    package init() {}

    package var isEmpty: Bool { fields.isEmpty && refusal == nil }

    package mutating func refuse(_ error: RPCError) {
        refusal = refusal ?? error
    }

    package mutating func add(
        _ field: String, _ rule: String, reason: ErrorReason = .invalidField,
        metadata: [String: String] = [:]
    ) {
        if fields.isEmpty { (self.reason, self.metadata) = (reason, metadata) }
        guard fields.count < ServiceLimits.violations else { return }
        fields.append(BadRequest.FieldViolation(field: field, description: rule))
    }

    /// The whole list as one fault.
    package var error: RPCError {
        if let refusal { return refusal }
        let text = fields.map { "\($0.field): \($0.description)" }.joined(separator: "; ")
        return .fault(
            .invalidArgument, reason, text, metadata: metadata, .badRequest(fields))
    }

    // MARK: The rules that many fields share

    /// The user of `text`, or nil with a violation.
    package mutating func user(_ text: String, _ field: String) -> UserID? {
        if let user = UserID(text) { return user }
        add(field, "must be 1 to 64 bytes of printable ASCII without a space at either end")
        return nil
    }

    /// The number of the app that the metadata names, or nil with a violation.
    mutating func app(_ text: UnsafeRawBufferPointer) -> UInt32? {
        if let number = AppNumberText.read(text) { return number }
        add("\(Gate.appHeader)", "must be a number from 0 to \(UInt32.max)")
        return nil
    }

    package mutating func count(_ count: Int, _ field: String, _ limits: ClosedRange<Int>) {
        guard !limits.contains(count) else { return }
        let rule = "has \(count) items; \(limits.lowerBound) to \(limits.upperBound) may be sent"
        guard count > limits.upperBound else { return add(field, rule) }
        add(
            field, rule, reason: .tooManyItems,
            metadata: ["limit": "\(limits.upperBound)", "actual": "\(count)"])
    }

    package mutating func length(_ text: String, _ field: String, atMost limit: Int) {
        guard text.utf8.count > limit else { return }
        add(field, "is \(text.utf8.count) bytes long; at most \(limit) are allowed")
    }

    package mutating func known<E: OpenEnum>(_ value: E, _ field: String) {
        guard !value.isKnown else { return }
        add(field, "\(value.rawValue) is no value of \(E.schema.fullName)")
    }
}
