public import Protobuf
public import RelationModel

// The messages with which client apps read, in proto/relation/v1/consent.proto, where every
// field is explained.

/// The request of ReadUser.
public struct ReadUserRequest: UserReadRequest, SizedReadRequest {
    /// The acting user, whose profile is read.
    public var userID = ""
    public var options: ReadOptions?
    /// The client app that reads.
    public var clientAppID = ""
    /// The fields of Profile to answer; empty means all that are granted.
    public var readMask: FieldMask?
    /// Whether `field_access` also names the fields that are not set, as NOT_SET.
    public var withUnsetFields = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ReadUserRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "read_mask", &readMask)
        visitor.field(5, "with_unset_fields", &withUnsetFields)
    }

    package var readSize: ReadSize { .items(1, rows: 4) }
}

/// The response of ReadUser.
public struct ReadUserResponse: CodedMessage {
    /// The fields that the user granted.
    public var profile: Profile?
    /// The fields that the request asks for and that are absent, each with the reason: NOT_GRANTED,
    /// DECLINED, REVOKED or EXPIRED, and NOT_SET with `with_unset_fields`.
    public var fieldAccess: [FieldAccess] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ReadUserResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "profile", &profile)
        visitor.field(2, "field_access", &fieldAccess)
    }
}

/// The request of ListAppFriends.
public struct ListAppFriendsRequest: UserReadRequest, SizedReadRequest, PagedRequest {
    /// The acting user, whose friends are listed.
    public var userID = ""
    public var options: ReadOptions?
    /// The most friends to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The client app that reads.
    public var clientAppID = ""
    /// The fields of Profile to answer for each friend; empty means all of the friend's public
    /// profile.
    public var readMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListAppFriendsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "client_app_id", &clientAppID)
        visitor.field(6, "read_mask", &readMask)
    }

    package var readSize: ReadSize { .scan }
}

/// The response of ListAppFriends.
public typealias ListAppFriendsResponse = ListAppFriendsResponseForm<AppFriend>

/// ``ListAppFriendsResponse`` as the service has it: its rows are kept as their bytes.
package typealias ListAppFriendsResponseView = ListAppFriendsResponseForm<Encoded<AppFriend>>

/// The response of ListAppFriends.
///
/// A client has ``ListAppFriendsResponse``, whose rows are of type ``AppFriend``.
public struct ListAppFriendsResponseForm<Row: Message>: PagedList {
    /// The friends of this page.
    public var friends: [Row] = []
    public var nextPageToken = ""
    /// How many friends the user has, whether they use the client app or not; 0 if `access` is set.
    public var totalSize: Int32 = 0
    /// How many of these friends all pages show together: those that granted `user_friends` to the
    /// client app.
    public var visibleSize: Int32 = 0
    /// The reason why the list is empty although the user may have friends: NOT_GRANTED, DECLINED,
    /// REVOKED or EXPIRED, as the user's own `user_friends` stands.
    public var access = FieldAccessState.unspecified

    @inlinable public init() {}

    public var pageItems: [Row] { friends }
}

extension ListAppFriendsResponseForm: CodedMessage where Row: CodedRow {
    @usableFromInline package static var schema: Schema { listAppFriendsResponse.schema(Row.self) }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.rows(1, "friends", &friends)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "visible_size", &visibleSize)
        visitor.field(5, "access", &access)
    }
}

private let listAppFriendsResponse = FormSchemas(
    "relation.v1.ListAppFriendsResponse", ListAppFriendsResponse.self,
    ListAppFriendsResponseView.self)

/// A friend that uses the same client app.
public struct AppFriend: CodedMessage, CodedRow {
    /// The friend.
    public var userID = ""
    /// The friend's public profile.
    public var profile: Profile?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.AppFriend", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "profile", &profile)
    }
}
