public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/app.proto about client apps, where every field is explained.

/// A program, made by others, that users of the app let read their fields.
public struct ClientAppDescription: Message {
    /// The client app's id: 1 to 64 letters, digits, dots, hyphens and underscores of ASCII.
    public var clientAppID = ""
    /// The name that users see.
    public var name = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(clientAppID: String = "", name: String = "") {
        self.clientAppID = clientAppID
        self.name = name
    }
}

extension ClientAppDescription: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ClientApp", ClientAppDescription.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "client_app_id", &clientAppID)
        visitor.field(2, "name", &name)
    }
}

/// A permission that client apps may ask users for, and the fields that it opens.
public struct PermissionDefinition: Message {
    /// The permission's name: 1 to 64 letters, digits, dots, colons and underscores of ASCII.
    public var name = ""
    /// The permission's group.
    ///
    /// A definition without it is INVALID_ARGUMENT.
    public var kind = PermissionKind.unspecified
    /// Whether the permission is to read or to publish.
    public var access = PermissionAccess.unspecified
    /// The fields of Profile that the permission opens to ReadUser, by their names; one custom
    /// field is `custom.KEY`.
    ///
    /// At most 64, none twice.
    public var fields: [String] = []
    /// How long a grant of the permission holds: 0 to 315360000000, which is ten years; 0 means for
    /// ever.
    public var lifetimeMs: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        name: String = "", kind: PermissionKind = .unspecified,
        access: PermissionAccess = .unspecified, fields: [String] = [], lifetimeMs: Int64 = 0
    ) {
        self.name = name
        self.kind = kind
        self.access = access
        self.fields = fields
        self.lifetimeMs = lifetimeMs
    }
}

extension PermissionDefinition: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.PermissionDefinition", PermissionDefinition.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "kind", &kind)
        visitor.field(3, "access", &access)
        visitor.field(4, "fields", &fields)
        visitor.field(5, "lifetime_ms", &lifetimeMs)
    }
}

/// The outcome for one permission of DefinePermissions.
public struct DefinePermissionResult: Message {
    /// The permission, as the request named it; at most the first 256 bytes of a malformed one.
    public var name = ""
    /// The outcome, always set.
    public var code: ProfileStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""
    /// Whether the item changed at least one row.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var changed = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        name: String = "", code: ProfileStatus? = nil, reason: Reason = .none, info: String = "",
        changed: Bool = false
    ) {
        self.name = name
        self.code = code
        self.reason = reason
        self.info = info
        self.changed = changed
    }
}

extension DefinePermissionResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DefinePermissionResult", DefinePermissionResult.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// The request of RegisterClientApp.
public struct RegisterClientAppRequest: Message {
    /// How the write is carried out.
    ///
    /// `all_or_nothing` changes nothing here.
    public var options: WriteOptions?
    /// The client app's id, as in ClientApp.
    public var clientAppID = ""
    /// The name that users see: 1 to 128 bytes.
    public var name = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: WriteOptions? = nil, clientAppID: String = "", name: String = "") {
        self.options = options
        self.clientAppID = clientAppID
        self.name = name
    }
}

extension RegisterClientAppRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RegisterClientAppRequest", RegisterClientAppRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "name", &name)
    }
}

/// The response of RegisterClientApp.
public struct RegisterClientAppResponse: Message {
    /// 0: the call acts for no user.
    public var sequence: Int64 = 0
    /// Whether the client app was registered, or has got another name.
    ///
    /// False in a dry run, and if it had that name already.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// The client app.
    public var clientApp: ClientAppDescription?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        clientApp: ClientAppDescription? = nil
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.clientApp = clientApp
    }
}

extension RegisterClientAppResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RegisterClientAppResponse", RegisterClientAppResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "client_app", &clientApp)
    }
}

/// The request of ListClientApps.
public struct ListClientAppsRequest: Message {
    /// How the read is carried out.
    ///
    /// A `min_sequence` must name a user.
    public var options: ReadOptions?
    /// The most client apps to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another app or list is INVALID_ARGUMENT.
    public var pageToken = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: ReadOptions? = nil, pageSize: Int32 = 0, pageToken: String = "") {
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
    }
}

extension ListClientAppsRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListClientAppsRequest", ListClientAppsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

extension ListClientAppsRequest: PagedRequest {}

/// The response of ListClientApps.
public struct ListClientAppsResponse: Message {
    /// The client apps of this page.
    public var clientApps: [ClientAppDescription] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many client apps the app has: at most 100.
    public var totalSize: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        clientApps: [ClientAppDescription] = [], nextPageToken: String = "", totalSize: Int32 = 0
    ) {
        self.clientApps = clientApps
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
    }
}

extension ListClientAppsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListClientAppsResponse", ListClientAppsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "client_apps", &clientApps)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

extension ListClientAppsResponse: PagedList {
    public var pageItems: [ClientAppDescription] { clientApps }
}

/// The request of DefinePermissions.
public struct DefinePermissionsRequest: Message {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The permissions: 1 to 100.
    public var items: [PermissionDefinition] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: WriteOptions? = nil, items: [PermissionDefinition] = []) {
        self.options = options
        self.items = items
    }
}

extension DefinePermissionsRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DefinePermissionsRequest", DefinePermissionsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of DefinePermissions.
public struct DefinePermissionsResponse: Message {
    /// 0: the call acts for no user.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each permission of the request, in its order.
    public var results: [DefinePermissionResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [DefinePermissionResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension DefinePermissionsResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DefinePermissionsResponse", DefinePermissionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of ListPermissionDefinitions.
public struct ListPermissionDefinitionsRequest: Message {
    /// How the read is carried out.
    ///
    /// A `min_sequence` must name a user.
    public var options: ReadOptions?
    /// The most permissions to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another app or list is INVALID_ARGUMENT.
    public var pageToken = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: ReadOptions? = nil, pageSize: Int32 = 0, pageToken: String = "") {
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
    }
}

extension ListPermissionDefinitionsRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListPermissionDefinitionsRequest", ListPermissionDefinitionsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

extension ListPermissionDefinitionsRequest: PagedRequest {}

/// The response of ListPermissionDefinitions.
public struct ListPermissionDefinitionsResponse: Message {
    /// The permissions of this page.
    ///
    /// A built-in one whose lifetime the app chose has that lifetime.
    public var permissions: [PermissionDefinition] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many permissions there are: those that the app defined, and the built-in ones.
    public var totalSize: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        permissions: [PermissionDefinition] = [], nextPageToken: String = "", totalSize: Int32 = 0
    ) {
        self.permissions = permissions
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
    }
}

extension ListPermissionDefinitionsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListPermissionDefinitionsResponse", ListPermissionDefinitionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "permissions", &permissions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

extension ListPermissionDefinitionsResponse: PagedList {
    public var pageItems: [PermissionDefinition] { permissions }
}
