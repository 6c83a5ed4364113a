internal import GRPCClient
internal import Memory
internal import Protobuf
internal import RPC
public import RelationModel

/// Why a call as a whole failed.
///
/// A task that was cancelled gets `CancellationError` and not this error.
public struct CallError: Error, Equatable, Sendable, CustomStringConvertible {
    /// One field of the request that breaks a rule.
    public struct FieldViolation: Sendable, Hashable, CustomStringConvertible {
        /// The path of the field, such as `items[2].user_id`.
        public let field: String
        /// The rule that the field breaks, in words.
        public let rule: String

        /// Creates a violation, for tests of code that handles errors.
        public init(field: String, rule: String) {
            self.field = field
            self.rule = rule
        }

        /// The field and the rule.
        public var description: String { "\(field): \(rule)" }
    }

    /// The gRPC status, such as `.invalidArgument`.
    public let code: StatusCode
    /// The words of the server, or of this client: they say what the caller can change.
    public let message: String
    /// The reason that programs read, such as `USER_NOT_FOUND`; empty if the server gave none.
    public let reason: String
    /// The values beside the reason, such as `resume_token`.
    public let metadata: [String: String]
    /// Each bad field of the request and the rule that it breaks.
    public let violations: [FieldViolation]
    /// How long the server asks to wait before the call is made again; nil if it does not say.
    public let retryAfter: Duration?
    /// How many times the call was made; 0 if it was not sent.
    public let attempts: Int
    /// The party that says that the call failed; it decides whether another attempt may help.
    private(set) var origin = RPCError.Origin.status

    /// Creates an error, for tests of code that handles errors.
    public init(
        code: StatusCode, message: String, reason: String = "", metadata: [String: String] = [:],
        violations: [FieldViolation] = [], retryAfter: Duration? = nil, attempts: Int = 1
    ) {
        self.code = code
        self.message = message
        self.reason = reason
        self.metadata = metadata
        self.violations = violations
        self.retryAfter = retryAfter
        self.attempts = attempts
    }

    /// The reason as a value of the contract; nil if there is none or this version does not know
    /// it.
    public var knownReason: ErrorReason? {
        guard !reason.isEmpty else { return nil }
        return ErrorReason.schema.number(named: "ERROR_REASON_\(reason)").map {
            ErrorReason(rawValue: $0)
        }
    }

    /// The reason of a call of a client that was closed.
    public static let clientClosedReason = "CLIENT_CLOSED"

    /// Whether the call failed because ``Client/close()`` was called, so that every later call of
    /// the client fails too.
    ///
    /// Its code is CANCELLED.
    public var isClientClosed: Bool { reason == Self.clientClosedReason }

    /// Whether a later attempt may succeed: the server was away, or the way to it failed.
    ///
    /// The service gives a reason with each of its refusals. A status without one may be a proxy's.
    package var mayPass: Bool {
        switch origin {
        case .way: return true
        case .setup, .closed, .tooLong: return false
        case .status, .caller: break
        }
        switch code {
        // Another reader has the consumer: only AcquireConsumer helps.
        case .aborted where reason == "READER_FENCED": return false
        // Some are the words of proxies that end long streams.
        case .unavailable, .aborted, .cancelled, .deadlineExceeded, .resourceExhausted: return true
        case .unknown, .internalError: return origin == .status && reason.isEmpty
        default: return false
        }
    }

    /// Whether something before the server takes no request so long.
    package var isTooLongForTheWay: Bool { origin == .setup && code == .resourceExhausted }

    /// The error of every call of a client that was closed.
    static func clientClosed(attempts: Int = 0) -> CallError {
        CallError(.clientClosed, attempts: attempts)
    }

    /// The code, the reason if there is one, the message, and the number of attempts if there were
    /// several.
    public var description: String {
        let label = reason.isEmpty ? "\(code)" : "\(code) (\(reason))"
        return "\(label): \(message)" + (attempts > 1 ? " (after \(attempts) attempts)" : "")
    }

    /// A message that cannot be written or read: it is too long, or the answer is of no contract
    /// that this client knows.
    init(_ error: CodecError, of part: String, attempts: Int = 0) {
        self.init(
            code: [.tooLarge, .outOfMemory].contains(error.code)
                ? .resourceExhausted : .internalError,
            message: "\(part): \(error.message)", attempts: attempts)
        origin = code == .resourceExhausted ? .tooLong : .caller
    }

    /// An option of the client that breaks its rule.
    init(_ error: OptionsError) {
        self.init(
            code: .invalidArgument, message: "the client's options are wrong: \(error)",
            attempts: 0)
        origin = .caller
    }

    init(_ error: RPCError, attempts: Int = 1, after last: CallError? = nil) {
        let details = ErrorDetails(error)
        var message = error.message
        if error.code == .deadlineExceeded, let last {
            message += "; the attempt before failed with \(last.code): \(last.message)"
        }
        var retryAfter = details.retryAfter
        if retryAfter == nil, case .after(let wait)? = error.pushback { retryAfter = wait }
        let reason = error.origin == .closed ? Self.clientClosedReason : details.info.reason
        self.init(
            code: StatusCode(error.code), message: message, reason: reason,
            metadata: details.info.metadata, violations: details.violations,
            retryAfter: retryAfter, attempts: attempts)
        origin = error.origin
    }
}

/// The parts of `grpc-status-details-bin` that this client reads.
private struct ErrorDetails {
    private(set) var info = ErrorInfo()
    private(set) var violations: [CallError.FieldViolation] = []
    private(set) var retryAfter: Duration?

    init(_ error: RPCError) {
        guard !error.details.isEmpty else { return }
        do throws(CodecError) {
            try Arena.temporary { (arena) throws(CodecError) in
                try read(error.details, arena)
            }
        } catch {
            // Details that cannot be read take nothing away from the status that came with them.
        }
    }

    private mutating func read(_ details: [UInt8], _ arena: Arena) throws(CodecError) {
        for detail in try Coder(StatusMessage.self).message(details, arena).details {
            switch detail.typeURL {
            case "type.googleapis.com/google.rpc.ErrorInfo":
                info = try Coder(ErrorInfo.self).message(detail.value, arena)
            case "type.googleapis.com/google.rpc.BadRequest":
                let request = try Coder(BadRequest.self).message(detail.value, arena)
                violations = request.fieldViolations.map {
                    CallError.FieldViolation(field: $0.field, rule: $0.description)
                }
            case "type.googleapis.com/google.rpc.RetryInfo":
                let delay = try Coder(RetryInfo.self).message(detail.value, arena).retryDelay
                retryAfter = delay.map {
                    .seconds($0.seconds) + .nanoseconds(Int64($0.nanos))
                }
            default: break
            }
        }
    }
}
