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
