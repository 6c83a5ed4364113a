public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/consent.proto, where every field is explained.

/// The state of one permission of one user for one client app.
public struct UserPermission: Message {
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

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        name: String = "", status: PermissionStatus = .unspecified,
        kind: PermissionKind = .unspecified, access: PermissionAccess = .unspecified,
        grantTimeMs: Int64 = 0, expireTimeMs: Int64 = 0, changeTimeMs: Int64 = 0
    ) {
        self.name = name
        self.status = status
        self.kind = kind
        self.access = access
        self.grantTimeMs = grantTimeMs
        self.expireTimeMs = expireTimeMs
        self.changeTimeMs = changeTimeMs
    }
}

extension UserPermission: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.UserPermission", UserPermission.self)

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
public struct PermissionResult: Message {
    /// The permission, as the request named it; at most the first 256 bytes of a malformed one.
    public var name = ""
    /// The outcome, always set.
    public var code: ProfileStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""
    /// Whether the state of the permission changed, or its lifetime began anew.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var changed = false
    /// The state of the permission after the call or, if the call writes nothing, the state that it
    /// would have.
    ///
    /// Only if `code` is 0; absent if the user never granted or declined the permission.
    public var state: UserPermission?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        name: String = "", code: ProfileStatus? = nil, reason: Reason = .none, info: String = "",
        changed: Bool = false, state: UserPermission? = nil
    ) {
        self.name = name
        self.code = code
        self.reason = reason
        self.info = info
        self.changed = changed
        self.state = state
    }
}

extension PermissionResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.PermissionResult", PermissionResult.self)

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
public struct GrantPermissionsRequest: Message {
    /// The acting user, which grants.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The client app that gets the permissions.
    public var clientAppID = ""
    /// The names of the permissions: 1 to 100, all to read or all to publish.
    public var names: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil, clientAppID: String = "",
        names: [String] = []
    ) {
        self.userID = userID
        self.options = options
        self.clientAppID = clientAppID
        self.names = names
    }
}

extension GrantPermissionsRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GrantPermissionsRequest", GrantPermissionsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "names", &names)
    }
}

/// The response of GrantPermissions.
public struct GrantPermissionsResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each name of the request, in its order.
    public var results: [PermissionResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [PermissionResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension GrantPermissionsResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GrantPermissionsResponse", GrantPermissionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of DeclinePermissions.
public struct DeclinePermissionsRequest: Message {
    /// The acting user, who declines.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The client app that asked.
    public var clientAppID = ""
    /// The names of the permissions: 1 to 100.
    public var names: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil, clientAppID: String = "",
        names: [String] = []
    ) {
        self.userID = userID
        self.options = options
        self.clientAppID = clientAppID
        self.names = names
    }
}

extension DeclinePermissionsRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeclinePermissionsRequest", DeclinePermissionsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "names", &names)
    }
}

/// The response of DeclinePermissions.
public struct DeclinePermissionsResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each name of the request, in its order.
    public var results: [PermissionResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [PermissionResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension DeclinePermissionsResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeclinePermissionsResponse", DeclinePermissionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of RevokePermissions.
public struct RevokePermissionsRequest: Message {
    /// The acting user, who revokes.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The client app that loses the permissions.
    public var clientAppID = ""
    /// The names of the permissions: 1 to 100.
    public var names: [String] = []
    /// Takes back everything that is granted, including `public_profile`.
    ///
    /// Permissions that the user declined stay declined.
    public var all = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil, clientAppID: String = "",
        names: [String] = [], all: Bool = false
    ) {
        self.userID = userID
        self.options = options
        self.clientAppID = clientAppID
        self.names = names
        self.all = all
    }
}

extension RevokePermissionsRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokePermissionsRequest", RevokePermissionsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "names", &names)
        visitor.field(5, "all", &all)
    }
}

/// The response of RevokePermissions.
public struct RevokePermissionsResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each name of the request, in its order.
    ///
    /// For `all`, one outcome for each permission that was revoked, in the order of the bytes of
    /// the names.
    public var results: [PermissionResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [PermissionResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension RevokePermissionsResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokePermissionsResponse", RevokePermissionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of ListPermissions.
public struct ListPermissionsRequest: Message {
    /// The acting user, whose permissions are listed.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most permissions to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another user or client app is INVALID_ARGUMENT.
    public var pageToken = ""
    /// The client app whose permissions are listed.
    public var clientAppID = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, pageSize: Int32 = 0,
        pageToken: String = "", clientAppID: String = ""
    ) {
        self.userID = userID
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.clientAppID = clientAppID
    }
}

extension ListPermissionsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListPermissionsRequest", ListPermissionsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "client_app_id", &clientAppID)
    }
}

extension ListPermissionsRequest: PagedRequest {}

/// The response of ListPermissions.
public struct ListPermissionsResponse: Message {
    /// The permissions of this page.
    public var permissions: [UserPermission] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many permissions all pages together have.
    public var totalSize: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        permissions: [UserPermission] = [], nextPageToken: String = "", totalSize: Int32 = 0
    ) {
        self.permissions = permissions
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
    }
}

extension ListPermissionsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListPermissionsResponse", ListPermissionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "permissions", &permissions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

extension ListPermissionsResponse: PagedList {
    public var pageItems: [UserPermission] { permissions }
}
