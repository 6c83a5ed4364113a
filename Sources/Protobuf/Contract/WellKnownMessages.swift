package import Memory

// Messages of `google.protobuf` and `google.rpc` that calls and their errors hold. Their Swift
// names avoid those of the standard library.

/// `google.protobuf.Any`: an encoded message and its name.
///
/// Its JSON has the fields of the message inside, so a ``JSONForm`` has to know the messages that
/// it may hold.
package struct AnyMessage: CodedMessage, Hashable {
    /// "type.googleapis.com/" and the full name of the message.
    package var typeURL = ""
    package var value: [UInt8] = []

    package init() {}

    /// - Throws: ``CodecError`` if the message does not fit in the arena.
    package init<M: CodedMessage>(packing message: M, _ arena: Arena) throws(CodecError) {
        typeURL = "type.googleapis.com/\(M.schema.fullName)"
        value = try Coder(M.self).bytes(message, arena)
    }

    package static let schema = Schema("google.protobuf.Any", AnyMessage.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "type_url", &typeURL)
        visitor.field(2, "value", &value)
    }
}

/// `google.rpc.Status`: the contents of `grpc-status-details-bin`.
package struct StatusMessage: CodedMessage, Hashable {
    package var code: Int32 = 0
    package var message = ""
    package var details: [AnyMessage] = []

    package init() {}

    package init(code: Int32, message: String, details: [AnyMessage]) {
        self.code = code
        self.message = message
        self.details = details
    }

    package static let schema = Schema("google.rpc.Status", StatusMessage.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "message", &message)
        visitor.field(3, "details", &details)
    }
}

/// `google.rpc.ErrorInfo`: the reason of an error, for programs.
package struct ErrorInfo: CodedMessage, Hashable {
    /// In UPPER_SNAKE_CASE.
    package var reason = ""
    package var domain = ""
    package var metadata: [String: String] = [:]

    package init() {}

    package init(reason: String, domain: String, metadata: [String: String] = [:]) {
        self.reason = reason
        self.domain = domain
        self.metadata = metadata
    }

    package static let schema = Schema("google.rpc.ErrorInfo", ErrorInfo.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "reason", &reason)
        visitor.field(2, "domain", &domain)
        visitor.field(3, "metadata", &metadata)
    }
}

/// `google.rpc.BadRequest`: which fields are wrong.
package struct BadRequest: CodedMessage, Hashable {
    /// `google.rpc.BadRequest.FieldViolation`.
    package struct FieldViolation: CodedMessage, Hashable {
        /// The path of the field: "friends[2].user_id".
        package var field = ""
        package var description = ""

        package init() {}

        package init(field: String, description: String) {
            self.field = field
            self.description = description
        }

        package static let schema = Schema(
            "google.rpc.BadRequest.FieldViolation", FieldViolation.self)

        package mutating func visit(_ visitor: inout some FieldVisitor) {
            visitor.field(1, "field", &field)
            visitor.field(2, "description", &description)
        }
    }

    package var fieldViolations: [FieldViolation] = []

    package init() {}

    package init(_ violations: [FieldViolation]) {
        fieldViolations = violations
    }

    package static let schema = Schema("google.rpc.BadRequest", BadRequest.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "field_violations", &fieldViolations)
    }
}

/// `google.rpc.RetryInfo`: when to try again.
package struct RetryInfo: CodedMessage, Hashable {
    package var retryDelay: DurationMessage?

    package init() {}

    package init(retryDelay: DurationMessage) {
        self.retryDelay = retryDelay
    }

    package static let schema = Schema("google.rpc.RetryInfo", RetryInfo.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "retry_delay", &retryDelay)
    }
}
