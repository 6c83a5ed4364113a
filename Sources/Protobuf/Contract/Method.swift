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

extension Method: ContractMethod {
    /// The call itself.
    public var method: Method { self }
}

extension Method: TypedMethod where Request: CodedMessage, Response: CodedMessage {}
