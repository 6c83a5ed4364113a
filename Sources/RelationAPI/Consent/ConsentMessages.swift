public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/consent.proto, where every field is explained.

/// The state of one permission of one user for one client app.
public struct UserPermission: Message, Equatable {
    public var name = ""
    public var status = PermissionStatus.unspecified
    public var kind = PermissionKind.unspecified
    public var access = PermissionAccess.unspecified
    public var grantTimeMs: Int64 = 0
    public var expireTimeMs: Int64 = 0
    public var changeTimeMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.UserPermission", UserPermission.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "status", &status)
        visitor.field(3, "kind", &kind)
        visitor.field(4, "access", &access)
        visitor.field(5, "grant_time_ms", &grantTimeMs)
        visitor.field(6, "expire_time_ms", &expireTimeMs)
        visitor.field(7, "change_time_ms", &changeTimeMs)
    }
}

/// The outcome for one permission of a call that names several.
public struct PermissionResult: Message, Equatable {
    public var name = ""
    public var code: ProfileStatus?
    public var reason = Reason.none
    public var info = ""
    public var changed = false
    public var state: UserPermission?

    public init() {}

    public static let schema = Schema("relation.v1.PermissionResult", PermissionResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
        visitor.field(6, "state", &state)
    }
}

/// The request of GrantPermissions.
public struct GrantPermissionsRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var clientAppID = ""
    public var names: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.GrantPermissionsRequest", GrantPermissionsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "names", &names)
    }
}

/// The response of GrantPermissions.
public struct GrantPermissionsResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [PermissionResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.GrantPermissionsResponse", GrantPermissionsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of DeclinePermissions.
public struct DeclinePermissionsRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var clientAppID = ""
    public var names: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DeclinePermissionsRequest", DeclinePermissionsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "names", &names)
    }
}

/// The response of DeclinePermissions.
public struct DeclinePermissionsResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [PermissionResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DeclinePermissionsResponse", DeclinePermissionsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of RevokePermissions.
public struct RevokePermissionsRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var clientAppID = ""
    public var names: [String] = []
    public var all = false

    public init() {}

    public static let schema = Schema(
        "relation.v1.RevokePermissionsRequest", RevokePermissionsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "names", &names)
        visitor.field(5, "all", &all)
    }
}

/// The response of RevokePermissions.
public struct RevokePermissionsResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [PermissionResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.RevokePermissionsResponse", RevokePermissionsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of ListPermissions.
public struct ListPermissionsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""
    public var clientAppID = ""

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListPermissionsRequest", ListPermissionsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "client_app_id", &clientAppID)
    }
}

/// The response of ListPermissions.
public struct ListPermissionsResponse: Message {
    public var permissions: [UserPermission] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListPermissionsResponse", ListPermissionsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "permissions", &permissions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of ReadUser.
public struct ReadUserRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var clientAppID = ""
    public var readMask: FieldMask?
    public var withUnsetFields = false

    public init() {}

    public static let schema = Schema("relation.v1.ReadUserRequest", ReadUserRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "read_mask", &readMask)
        visitor.field(5, "with_unset_fields", &withUnsetFields)
    }
}

/// The response of ReadUser.
public struct ReadUserResponse: Message {
    public var profile: Profile?
    public var fieldAccess: [FieldAccess] = []

    public init() {}

    public static let schema = Schema("relation.v1.ReadUserResponse", ReadUserResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "profile", &profile)
        visitor.field(2, "field_access", &fieldAccess)
    }
}

/// The request of ListAppFriends.
public struct ListAppFriendsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""
    public var clientAppID = ""
    public var readMask: FieldMask?

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListAppFriendsRequest", ListAppFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "client_app_id", &clientAppID)
        visitor.field(6, "read_mask", &readMask)
    }
}

/// The response of ListAppFriends.
public struct ListAppFriendsResponse: Message {
    public var friends: [Encoded<AppFriend>] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0
    public var visibleSize: Int32 = 0
    public var access = FieldAccessState.unspecified

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListAppFriendsResponse", ListAppFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "friends", &friends)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "visible_size", &visibleSize)
        visitor.field(5, "access", &access)
    }
}

/// A friend that uses the same client app.
public struct AppFriend: Message, Equatable {
    public var userID = ""
    public var profile: Profile?

    public init() {}

    public static let schema = Schema("relation.v1.AppFriend", AppFriend.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "profile", &profile)
    }
}
