package import Memory
public import Protobuf
public import RelationModel

// The messages of CheckFriends in proto/relation/v1/friend.proto, where every
// field is explained.

/// The request of CheckFriends.
public typealias CheckFriendsRequest = CheckFriendsRequestForm<String>

/// ``CheckFriendsRequest`` as the service has it: its strings are views.
package typealias CheckFriendsRequestView = CheckFriendsRequestForm<Text>

/// The request of CheckFriends.
///
/// A client has ``CheckFriendsRequest``, whose strings are `String`.
public struct CheckFriendsRequestForm<Characters: TextForm>: Message {
    /// The acting user.
    public var userID = Characters()
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The users to check: 1 to 1000.
    public var userIDs: [Characters] = []
    /// The lists to look at.
    public var checkType = CheckType.unspecified

    @inlinable public init() {}
}

extension CheckFriendsRequestForm: CodedMessage where Characters: Scalar {
    @usableFromInline package static var schema: Schema { checkFriendsRequest }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "check_type", &checkType)
    }
}

extension CheckFriendsRequestForm: ReadRequest, SizedReadRequest, NamingReadRequest
where Characters == Text {
    package var actingUser: String { String(userID) }

    package static var users: NamedUsers { checkFriendsUsers }
}

private let checkFriendsUsers = NamedUsers(CheckFriendsRequestView.schema, rows: 3)

private let checkFriendsRequest = Schema(
    "relation.v1.CheckFriendsRequest", CheckFriendsRequest.self)

/// The response of CheckFriends.
public typealias CheckFriendsResponse = CheckFriendsResponseForm<String>

/// ``CheckFriendsResponse`` as the service has it: its strings are views.
package typealias CheckFriendsResponseView = CheckFriendsResponseForm<Text>

/// The response of CheckFriends.
///
/// A client has ``CheckFriendsResponse``, whose strings are `String`.
public struct CheckFriendsResponseForm<Characters: TextForm>: Message {
    /// One answer for each id of the request, in its order.
    public var results: [CheckFriendResultForm<Characters>] = []

    @inlinable public init() {}
}

extension CheckFriendsResponseForm: CodedMessage where Characters: Scalar {
    @usableFromInline package static var schema: Schema { checkFriendsResponse }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

private let checkFriendsResponse = Schema(
    "relation.v1.CheckFriendsResponse", CheckFriendsResponse.self)

/// How one user stands to the caller.
public typealias CheckFriendResult = CheckFriendResultForm<String>

/// ``CheckFriendResult`` as the service has it: its strings are views.
package typealias CheckFriendResultView = CheckFriendResultForm<Text>

/// How one user stands to the caller.
///
/// A client has ``CheckFriendResult``, whose strings are `String`.
public struct CheckFriendResultForm<Characters: TextForm>: Message {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = Characters()
    /// The outcome, always set.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = Characters()
    /// The relation; set if `code` is 0, also if it is NONE.
    public var relation: FriendRelation?

    @inlinable public init() {}
}

extension CheckFriendResultForm: CodedMessage where Characters: Scalar {
    @usableFromInline package static var schema: Schema { checkFriendResult }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "relation", &relation)
    }
}

private let checkFriendResult = Schema("relation.v1.CheckFriendResult", CheckFriendResult.self)
