public import Protobuf

/// One list of a user's follows: the names that its two messages have in the contract.
@usableFromInline package protocol FollowListNames: Sendable {
    static var requestSchema: Schema { get }
    static var responseSchema: Schema { get }
}
