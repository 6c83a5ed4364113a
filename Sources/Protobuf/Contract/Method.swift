/// How many messages each side of a call sends.
@usableFromInline package enum CallShape: Sendable {
    case unary, serverStreaming, clientStreaming, bidirectional
}

/// The service that a call needs: it decides where the call runs and which callers may make it.
@usableFromInline package enum Access: Sendable {
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
@usableFromInline package enum Audience: Sendable {
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
@usableFromInline package struct AnswerCode: Sendable {
    package let schema: EnumSchema
    package let number: Int32

    package init<Code: OpenEnum>(_ code: Code) {
        schema = Code.schema
        number = code.rawValue
    }

    /// The name in the contract.
    package var name: String { schema.name(of: number) ?? "\(number)" }
}

/// A bound of one field of a call's request.
@usableFromInline package struct RequestLimit: Sendable {
    /// The things that the number counts.
    package enum Unit: Sendable {
        case items, bytes, characters, milliseconds
    }

    /// The name of the field in the request, "friends"; a field of an item is "items.tags".
    package let field: String
    /// The largest count, length or time; `Int64.max` if only the settings of an app bound it.
    package let limit: Int64
    package let unit: Unit

    package init(_ field: StaticString, _ limit: Int64, _ unit: Unit) {
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
    package let access: Access
    package let audience: Audience
    package let shape: CallShape
    /// The codes that it may answer, beside those of every call of its kind.
    package let answers: [AnswerCode]
    /// The bounds of its request that are its own.
    package let limits: [RequestLimit]
    package let requestCoder: Coder<Request>
    package let responseCoder: Coder<Response>

    /// It is inlinable, so that the coders are made where the types are known.
    @inlinable package init(
        _ service: StaticString, _ name: StaticString, _ access: Access,
        for audience: Audience = .users, shape: CallShape = .unary,
        answers: [AnswerCode] = [], limits: [RequestLimit] = []
    ) where Request: CodedMessage, Response: CodedMessage {
        self.init(
            service.description, name.description, access, audience, shape, answers, limits,
            Coder(Request.self), Coder(Response.self))
    }

    /// The call with other forms of its messages: those that the service reads and writes.
    ///
    /// The forms have the same schemas, as a test checks.
    @inlinable package init<Plain, PlainAnswer>(like method: Method<Plain, PlainAnswer>)
    where Request: CodedMessage, Response: CodedMessage {
        self.init(method, Coder(Request.self), Coder(Response.self))
    }

    @usableFromInline init<Plain, PlainAnswer>(
        _ method: Method<Plain, PlainAnswer>, _ request: Coder<Request>,
        _ response: Coder<Response>
    ) {
        self.init(
            method.service, method.name, method.access, method.audience, method.shape,
            method.answers, method.limits, request, response)
    }

    @usableFromInline init(
        _ service: String, _ name: String, _ access: Access, _ audience: Audience,
        _ shape: CallShape, _ answers: [AnswerCode], _ limits: [RequestLimit],
        _ request: Coder<Request>, _ response: Coder<Response>
    ) {
        self.service = service
        self.name = name
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

/// Any call of the contract, for code that opens each with its types, such as a gateway.
public protocol ContractMethod<Request, Response>: Sendable {
    /// The request of the call.
    associatedtype Request: Message
    /// The answer of the call.
    associatedtype Response: Message

    /// The name in the contract, "relation.v1.FriendService".
    var service: String { get }
    /// The name in the service, "AddFriends".
    var name: String { get }
    /// The path of the call, "/relation.v1.FriendService/AddFriends".
    var path: String { get }
    /// The call with its types.
    var method: Method<Request, Response> { get }
}

extension Method: ContractMethod {
    /// The call itself.
    public var method: Method { self }
}

/// A call with its types, whose messages have codecs.
package protocol TypedMethod: ContractMethod
where Request: CodedMessage, Response: CodedMessage {}

extension Method: TypedMethod where Request: CodedMessage, Response: CodedMessage {}
