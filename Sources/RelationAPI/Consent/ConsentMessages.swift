public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/consent.proto, where every field is explained.

/// The state of one permission of one user for one client app.
public struct UserPermission: CodedMessage {
    /// The permission's name.
    public var name = ""
    /// The state at the moment of the call.
    public var status = PermissionStatus.unspecified
    /// The permission's group.
    public var kind = PermissionKind.unspecified
    /// The action that the permission allows.
    public var access = PermissionAccess.unspecified
    /// When the permission was last granted; 0 if never.
    public var grantTimeMs: Int64 = 0
    /// When the grant ends or ended; 0 if it has no end, or if the permission is not granted.
    public var expireTimeMs: Int64 = 0
    /// When the user last changed the state.
    public var changeTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.UserPermission", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
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
public struct PermissionResult: ResultMessage {
    /// The permission, as the request named it; at most the first 256 bytes of a malformed one.
    public var name = ""
    public var code: ProfileStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether the state of the permission changed, or its lifetime started over.
    public var changed = false
    /// The state of the permission after the call or, if the call writes nothing, the state that it
    /// would have.
    public var state: UserPermission?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.PermissionResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
        visitor.field(6, "state", &state)
    }
}

/// The request of GrantPermissions.
public struct GrantPermissionsRequest: WriteRequest, ItemsRequest {
    /// The acting user, which grants.
    public var userID = ""
    public var options: WriteOptions?
    /// The client app that gets the permissions.
    public var clientAppID = ""
    /// The names of the permissions: 1 to 100, all to read or all to publish.
    public var names: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GrantPermissionsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.GrantPermissionsResponse", GrantPermissionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "names", &names)
    }
}

/// The response of GrantPermissions.
public typealias GrantPermissionsResponse = ItemsAnswer<GrantPermissionsRequest, PermissionResult>

/// The request of DeclinePermissions.
public struct DeclinePermissionsRequest: WriteRequest, ItemsRequest {
    /// The acting user, who declines.
    public var userID = ""
    public var options: WriteOptions?
    /// The client app that asked.
    public var clientAppID = ""
    /// The names of the permissions: 1 to 100.
    public var names: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DeclinePermissionsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.DeclinePermissionsResponse", DeclinePermissionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "names", &names)
    }
}

/// The response of DeclinePermissions.
public typealias DeclinePermissionsResponse = ItemsAnswer<
    DeclinePermissionsRequest, PermissionResult
>

/// The request of RevokePermissions.
public struct RevokePermissionsRequest: WriteRequest, ItemsRequest {
    /// The acting user, who revokes.
    public var userID = ""
    public var options: WriteOptions?
    /// The client app that loses the permissions.
    public var clientAppID = ""
    /// The permissions that are taken back; without them the call is INVALID_ARGUMENT.
    public var permissions: Permissions?

    public init() {}

    /// The permissions that a call takes back.
    public enum Permissions: OneOf {
        /// Everything that is granted, including `public_profile`, if true; false is
        /// INVALID_ARGUMENT.
        case all(Bool)
        /// The permissions of these names: 1 to 100.
        case names(StringList)

        @usableFromInline package static func visit(
            _ value: inout Permissions?, _ cases: inout some OneOfVisitor
        ) {
            cases.field(
                5, "all", &value, { if case .all(let all) = $0 { all } else { nil } },
                Permissions.all)
            cases.field(
                6, "names", &value,
                { if case .names(let names) = $0 { names } else { nil } }, Permissions.names)
        }
    }

    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokePermissionsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.RevokePermissionsResponse", RevokePermissionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.oneof("permissions", &permissions)
    }
}

/// The response of RevokePermissions.
public typealias RevokePermissionsResponse = ItemsAnswer<RevokePermissionsRequest, PermissionResult>

/// The request of ListPermissions.
public struct ListPermissionsRequest: UserReadRequest, SizedReadRequest, PagedRequest {
    /// The acting user, whose permissions are listed.
    public var userID = ""
    public var options: ReadOptions?
    /// The most permissions to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The client app whose permissions are listed.
    public var clientAppID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListPermissionsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "client_app_id", &clientAppID)
    }

    package var readSize: ReadSize { .page(pageSize, atMost: Limits.permissions) }
}

/// The response of ListPermissions.
public struct ListPermissionsResponse: CodedMessage, PagedList {
    /// The permissions of this page.
    public var permissions: [UserPermission] = []
    public var nextPageToken = ""
    /// How many permissions all pages together have.
    public var totalSize: Int32 = 0
    /// The user's sequence when its permissions for any client app last changed.
    public var sequence: Int64 = 0

    public init() {}

    public var pageItems: [UserPermission] { permissions }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListPermissionsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "permissions", &permissions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}
