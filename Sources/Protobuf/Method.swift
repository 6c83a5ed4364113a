/// How many messages each side of a call sends.
public enum CallShape: Sendable {
    case unary, serverStreaming, clientStreaming, bidirectional
}

/// The service that a call needs: it decides where the call runs and which callers may make it.
public enum Access: Sendable {
    /// Reads a few rows of a snapshot.
    case read
    /// Reads many rows of a snapshot.
    case scan
    /// Runs in a transaction.
    case write
    /// Follows changes.
    case watch
    /// Needs no caller: health, reflection.
    case open
}

/// The callers that a call is for.
public enum Audience: Sendable {
    /// A user of an app, or a backend that acts for one.
    case users
    /// The backends of one app: the call acts for no user, and no user may make it.
    case services
    /// The administrators of one app: the call acts for no user.
    case administrators
    /// The operators of the server, above all apps: the call acts for no app either.
    case operators
}

/// A code that a call may answer: a value of one of the contract's enums.
public struct AnswerCode: Sendable {
    public let schema: EnumSchema
    public let number: Int32

    public init<Code: OpenEnum>(_ code: Code) {
        schema = Code.schema
        number = code.rawValue
    }

    /// The name in the contract.
    public var name: String { schema.name(of: number) ?? "\(number)" }
}

/// A bound of one field of a call's request.
public struct RequestLimit: Sendable {
    /// The things that the number counts.
    public enum Unit: Sendable {
        case items, bytes, characters, milliseconds
    }

    /// The name of the field in the request, "friends"; a field of an item is "items.tags".
    public let field: String
    /// The largest count, length or time; `Int64.max` if only the settings of an app bound it.
    public let limit: Int64
    public let unit: Unit

    @inlinable public init(_ field: StaticString, _ limit: Int64, _ unit: Unit) {
        self.field = field.description
        self.limit = limit
        self.unit = unit
    }
}

/// A call of the contract, as a value: server, client and command line read the same line.
///
/// ```swift
/// public static let addFriends =
///     Method<AddFriendsRequest, AddFriendsResponse>(service, "AddFriends", .write)
/// ```
public struct Method<Request: Message, Response: Message>: Sendable {
    /// The name in the contract, "relation.v1.FriendService".
    public let service: String
    /// The name in the service, "AddFriends".
    public let name: String
    /// The path of the call, "/relation.v1.FriendService/AddFriends".
    public let path: String
    public let access: Access
    public let audience: Audience
    public let shape: CallShape
    /// The codes that it may answer, beside those of every call of its kind.
    public let answers: [AnswerCode]
    /// The bounds of its request that are its own.
    public let limits: [RequestLimit]
    public let requestCoder: Coder<Request>
    public let responseCoder: Coder<Response>

    /// It is inlinable, so that the coders are made where the types are known.
    @inlinable public init(
        _ service: StaticString, _ name: StaticString, _ access: Access,
        for audience: Audience = .users, shape: CallShape = .unary,
        answers: [AnswerCode] = [], limits: [RequestLimit] = [],
        request: Coder<Request> = Coder(Request.self),
        response: Coder<Response> = Coder(Response.self)
    ) {
        self.service = service.description
        self.name = name.description
        path = "/\(service)/\(name)"
        self.access = access
        self.audience = audience
        self.shape = shape
        self.answers = answers
        self.limits = limits
        requestCoder = request
        responseCoder = response
    }
}

/// A call of the contract without its types, as a list of methods holds it.
public struct AnyMethod: Sendable {
    public let service: String
    public let name: String
    public let path: String
    public let access: Access
    public let audience: Audience
    public let shape: CallShape
    public let answers: [AnswerCode]
    public let limits: [RequestLimit]
    public let request: Schema
    public let response: Schema
    /// Encodes a request from its JSON.
    public let encodeRequest: @Sendable (_ json: String) throws(CodecError) -> [UInt8]
    /// Decodes a response to its JSON.
    public let decodeResponse: @Sendable (_ bytes: [UInt8]) throws(CodecError) -> String

    public init<Request, Response>(_ method: Method<Request, Response>) {
        service = method.service
        name = method.name
        path = method.path
        access = method.access
        audience = method.audience
        shape = method.shape
        answers = method.answers
        limits = method.limits
        request = Request.schema
        response = Response.schema
        encodeRequest = { (json) throws(CodecError) in
            try Arena.temporary { (arena) throws(CodecError) in
                let message = try Request(json: json, arena)
                return try method.requestCoder.bytes(message, arena)
            }
        }
        decodeResponse = { (bytes) throws(CodecError) in
            try Arena.temporary { (arena) throws(CodecError) in
                try method.responseCoder.message(bytes, arena).json(arena)
            }
        }
    }
}
