/// A call of the contract, as a value: server, client and command line read the same line.
///
/// ```swift
/// public static let addFriends =
///     Method<AddFriendsRequest, AddFriendsResponse>(service, "AddFriends", .write)
/// ```
public struct Method<Request: Message, Response: Message>: Sendable {
    /// The parts without the types, and those with them.
    ///
    /// A copy of a value with many fields needs the metadata of its type, for which the compiler
    /// asks by a name. The runtime then looks through all conformances of the program, once for
    /// each message. Two references are copied without that, so a program with all calls starts
    /// sooner.
    private let facts: MethodFacts
    private let coders: MethodCoders<Request, Response>

    /// The name in the contract, "relation.v1.FriendService".
    public var service: String { facts.service }
    /// The name in the service, "AddFriends".
    public var name: String { facts.name }
    /// The path of the call, "/relation.v1.FriendService/AddFriends".
    public var path: String { facts.path }
    package var access: Access { facts.access }
    package var audience: Audience { facts.audience }
    package var shape: CallShape { facts.shape }
    /// The codes that it may answer, beside those of every call of its kind.
    package var answers: [AnswerCode] { facts.answers }
    /// The bounds of its request that are its own.
    package var limits: [RequestLimit] { facts.limits }
    package var requestCoder: Coder<Request> { coders.request }
    package var responseCoder: Coder<Response> { coders.response }

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
        facts = method.facts
        coders = MethodCoders(request, response)
    }

    @usableFromInline init(
        _ service: String, _ name: String, _ access: Access, _ audience: Audience,
        _ shape: CallShape, _ answers: [AnswerCode], _ limits: [RequestLimit],
        _ request: Coder<Request>, _ response: Coder<Response>
    ) {
        facts = MethodFacts(service, name, access, audience, shape, answers, limits)
        coders = MethodCoders(request, response)
    }
}

extension Method: ContractMethod {
    /// The call itself.
    public var method: Method { self }
}

extension Method: TypedMethod where Request: CodedMessage, Response: CodedMessage {}
