// Messages of `google.protobuf` and `google.rpc` that calls and their errors hold. Their Swift
// names avoid those of the standard library.

/// `google.protobuf.FieldMask`: the fields that a call means.
public struct FieldMask: Message, Hashable, JSONStringMessage {
    /// Names as the contract has them, dots between levels.
    public var paths: [String] = []

    public init() {}

    public init(_ paths: [String]) {
        self.paths = paths
    }

    public static let schema = Schema("google.protobuf.FieldMask", FieldMask.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "paths", &paths)
    }

    /// Reads "remark,userId" as the paths `remark` and `user_id`.
    init?(jsonString: String) {
        guard !jsonString.contains("_") else { return nil }
        paths = jsonString.split(separator: ",").map { JSONName.snake(String($0)) }
    }

    var jsonString: String {
        paths.map { JSONName.lowerCamel($0) }.joined(separator: ",")
    }
}

/// `google.protobuf.Duration`.
public struct DurationMessage: Message, Hashable, JSONStringMessage {
    public var seconds: Int64 = 0
    /// Of the same sign as the seconds, below a second.
    public var nanos: Int32 = 0

    public init() {}

    public init(seconds: Int64, nanos: Int32 = 0) {
        self.seconds = seconds
        self.nanos = nanos
    }

    public static let schema = Schema("google.protobuf.Duration", DurationMessage.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "seconds", &seconds)
        visitor.field(2, "nanos", &nanos)
    }

    /// Reads seconds with up to nine digits after the point, "1.5s".
    init?(jsonString: String) {
        guard jsonString.hasSuffix("s") else { return nil }
        let isNegative = jsonString.hasPrefix("-")
        let digits = jsonString.dropLast().dropFirst(isNegative ? 1 : 0)
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = Int64(parts[0]), whole >= 0,
            parts[0].allSatisfy(\.isNumber)
        else { return nil }
        var fraction: Int32 = 0
        if parts.count == 2 {
            guard (1...9).contains(parts[1].count), parts[1].allSatisfy(\.isNumber),
                let value = Int32(parts[1] + String(repeating: "0", count: 9 - parts[1].count))
            else { return nil }
            fraction = value
        }
        seconds = isNegative ? -whole : whole
        nanos = isNegative ? -fraction : fraction
    }

    var jsonString: String {
        let sign = seconds < 0 || nanos < 0 ? "-" : ""
        let whole = "\(sign)\(seconds.magnitude)"
        guard nanos != 0 else { return whole + "s" }
        let digits = String(nanos.magnitude)
        var fraction = String(repeating: "0", count: max(0, 9 - digits.count)) + digits
        while fraction.hasSuffix("000") { fraction.removeLast(3) }
        return "\(whole).\(fraction)s"
    }
}

/// `google.protobuf.Any`: an encoded message and its name.
///
/// In JSON its two fields stand as they are: what is inside needs a registry, which we have not.
public struct AnyMessage: Message, Hashable {
    /// "type.googleapis.com/" and the full name of the message.
    public var typeURL = ""
    public var value: [UInt8] = []

    public init() {}

    /// - Throws: ``CodecError`` if the message does not fit in the arena.
    public init<M: Message>(packing message: M, _ arena: Arena) throws(CodecError) {
        typeURL = "type.googleapis.com/\(M.schema.fullName)"
        value = try Coder(M.self).bytes(message, arena)
    }

    public static let schema = Schema("google.protobuf.Any", AnyMessage.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "type_url", &typeURL)
        visitor.field(2, "value", &value)
    }
}

/// `google.rpc.Status`: what `grpc-status-details-bin` holds.
public struct StatusMessage: Message, Hashable {
    public var code: Int32 = 0
    public var message = ""
    public var details: [AnyMessage] = []

    public init() {}

    public init(code: Int32, message: String, details: [AnyMessage]) {
        self.code = code
        self.message = message
        self.details = details
    }

    public static let schema = Schema("google.rpc.Status", StatusMessage.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "message", &message)
        visitor.field(3, "details", &details)
    }
}

/// `google.rpc.ErrorInfo`: why, for programs.
public struct ErrorInfo: Message, Hashable {
    /// In UPPER_SNAKE_CASE.
    public var reason = ""
    public var domain = ""
    public var metadata: [String: String] = [:]

    public init() {}

    public init(reason: String, domain: String, metadata: [String: String] = [:]) {
        self.reason = reason
        self.domain = domain
        self.metadata = metadata
    }

    public static let schema = Schema("google.rpc.ErrorInfo", ErrorInfo.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "reason", &reason)
        visitor.field(2, "domain", &domain)
        visitor.field(3, "metadata", &metadata)
    }
}

/// `google.rpc.BadRequest`: which fields are wrong.
public struct BadRequest: Message, Hashable {
    /// `google.rpc.BadRequest.FieldViolation`.
    public struct FieldViolation: Message, Hashable {
        /// The path of the field: "friends[2].user_id".
        public var field = ""
        public var description = ""

        public init() {}

        public init(field: String, description: String) {
            self.field = field
            self.description = description
        }

        public static let schema = Schema(
            "google.rpc.BadRequest.FieldViolation", FieldViolation.self)

        public mutating func visit(_ visitor: inout some FieldVisitor) {
            visitor.field(1, "field", &field)
            visitor.field(2, "description", &description)
        }
    }

    public var fieldViolations: [FieldViolation] = []

    public init() {}

    public init(_ violations: [FieldViolation]) {
        fieldViolations = violations
    }

    public static let schema = Schema("google.rpc.BadRequest", BadRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "field_violations", &fieldViolations)
    }
}

/// `google.rpc.RetryInfo`: when to try again.
public struct RetryInfo: Message, Hashable {
    public var retryDelay: DurationMessage?

    public init() {}

    public init(retryDelay: DurationMessage) {
        self.retryDelay = retryDelay
    }

    public static let schema = Schema("google.rpc.RetryInfo", RetryInfo.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "retry_delay", &retryDelay)
    }
}
