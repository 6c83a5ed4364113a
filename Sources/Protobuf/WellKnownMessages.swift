// Messages of `google.protobuf` and `google.rpc` that calls and their errors hold. Their Swift
// names avoid those of the standard library.

/// `google.protobuf.FieldMask`: the fields that a call is about.
public struct FieldMask: Message, Hashable, JSONStringMessage {
    /// Names as in the contract, with dots between levels.
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
    ///
    /// It refuses a text that would be written in another way, for example with empty names or an
    /// underscore.
    init?(jsonString: String) {
        guard !jsonString.isEmpty else { return }
        for name in jsonString.split(separator: ",", omittingEmptySubsequences: false) {
            let path = JSONName.snake(String(name))
            guard !name.isEmpty, JSONName.lowerCamel(path) == name else { return nil }
            paths.append(path)
        }
    }

    /// Nil if a path would not come back: `user__id` and `userID` would come back as `user_id`.
    var jsonString: String? {
        let text = paths.map { JSONName.lowerCamel($0) }.joined(separator: ",")
        return FieldMask(jsonString: text)?.paths == paths ? text : nil
    }
}

/// `google.protobuf.Any`: an encoded message and its name.
///
/// In JSON its two fields are written as they are: to read the message inside would need a
/// registry, which this room does not have.
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

/// `google.rpc.Status`: the contents of `grpc-status-details-bin`.
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

/// `google.rpc.ErrorInfo`: the reason of an error, for programs.
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
