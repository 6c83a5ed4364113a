public import Protobuf
public import RelationModel

// The messages with which client apps read, in proto/relation/v1/consent.proto, where every
// field is explained.

/// The request of ReadUser.
public struct ReadUserRequest: Message {
    /// The acting user, whose profile is read.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The client app that reads.
    public var clientAppID = ""
    /// The fields of Profile to answer; empty means all that are granted.
    ///
    /// `user_id` is always answered. One custom field is `custom.KEY`. Another path is
    /// INVALID_ARGUMENT. Facebook's `fields`.
    public var readMask: FieldMask?
    /// Whether `field_access` also names the fields that are not set, as NOT_SET.
    public var withUnsetFields = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, clientAppID: String = "",
        readMask: FieldMask? = nil, withUnsetFields: Bool = false
    ) {
        self.userID = userID
        self.options = options
        self.clientAppID = clientAppID
        self.readMask = readMask
        self.withUnsetFields = withUnsetFields
    }
}

extension ReadUserRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ReadUserRequest", ReadUserRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "read_mask", &readMask)
        visitor.field(5, "with_unset_fields", &withUnsetFields)
    }
}

/// The response of ReadUser.
public struct ReadUserResponse: Message {
    /// The fields that the user granted.
    ///
    /// `version` is never among them, because it would tell of changes that the client app may not
    /// see.
    public var profile: Profile?
    /// The fields that the request asks for and that are absent, each with the reason: NOT_GRANTED,
    /// DECLINED, REVOKED or EXPIRED, and NOT_SET with `with_unset_fields`.
    ///
    /// The order is that of Profile, and then of the keys of custom fields. If several permissions
    /// open a field, a permission that was once granted decides.
    public var fieldAccess: [FieldAccess] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(profile: Profile? = nil, fieldAccess: [FieldAccess] = []) {
        self.profile = profile
        self.fieldAccess = fieldAccess
    }
}

extension ReadUserResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ReadUserResponse", ReadUserResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "profile", &profile)
        visitor.field(2, "field_access", &fieldAccess)
    }
}

/// The request of ListAppFriends.
public struct ListAppFriendsRequest: Message {
    /// The acting user, whose friends are listed.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most friends to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another user or client app is INVALID_ARGUMENT.
    public var pageToken = ""
    /// The client app that reads.
    public var clientAppID = ""
    /// The fields of Profile to answer for each friend; empty means all of the friend's public
    /// profile.
    ///
    /// Fields outside the public profile are absent, because friends open no more than that (as in
    /// Facebook's version 2). A path that is none of Profile is INVALID_ARGUMENT.
    public var readMask: FieldMask?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, pageSize: Int32 = 0,
        pageToken: String = "", clientAppID: String = "", readMask: FieldMask? = nil
    ) {
        self.userID = userID
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.clientAppID = clientAppID
        self.readMask = readMask
    }
}

extension ListAppFriendsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListAppFriendsRequest", ListAppFriendsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "client_app_id", &clientAppID)
        visitor.field(6, "read_mask", &readMask)
    }
}

extension ListAppFriendsRequest: PagedRequest {}

/// The response of ListAppFriends.
public typealias ListAppFriendsResponse = ListAppFriendsResponseForm<AppFriend>

/// ``ListAppFriendsResponse`` as the service has it: its rows are kept as their bytes.
package typealias ListAppFriendsResponseView = ListAppFriendsResponseForm<Encoded<AppFriend>>

/// The response of ListAppFriends.
///
/// A client has ``ListAppFriendsResponse``, whose rows are of type ``AppFriend``.
public struct ListAppFriendsResponseForm<Row: Message>: Message {
    /// The friends of this page.
    public var friends: [Row] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many friends the user has, whether they use the client app or not; 0 if `access` is set.
    ///
    /// Facebook's `summary.total_count`.
    public var totalSize: Int32 = 0
    /// How many of these friends all pages show together: those that granted `user_friends` to the
    /// client app.
    public var visibleSize: Int32 = 0
    /// The reason why the list is empty although the user may have friends: NOT_GRANTED, DECLINED,
    /// REVOKED or EXPIRED, as the user's own `user_friends` stands.
    ///
    /// Unspecified if it is granted.
    public var access = FieldAccessState.unspecified

    @inlinable public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    @inlinable public init(
        friends: [Row] = [], nextPageToken: String = "", totalSize: Int32 = 0,
        visibleSize: Int32 = 0, access: FieldAccessState = .unspecified
    ) {
        self.friends = friends
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
        self.visibleSize = visibleSize
        self.access = access
    }
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

extension ListAppFriendsResponseForm: PagedList {
    public var pageItems: [Row] { friends }
}

private let listAppFriendsResponse = FormSchemas(
    "relation.v1.ListAppFriendsResponse", ListAppFriendsResponse.self,
    ListAppFriendsResponseView.self)

/// A friend that uses the same client app.
public struct AppFriend: Message {
    /// The friend.
    public var userID = ""
    /// The friend's public profile.
    public var profile: Profile?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", profile: Profile? = nil) {
        self.userID = userID
        self.profile = profile
    }
}

extension AppFriend: CodedMessage, CodedRow {
    @usableFromInline package static let schema = Schema("relation.v1.AppFriend", AppFriend.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "profile", &profile)
    }
}
