public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/app.proto about client apps, where every field is explained.

/// A program, made by others, that users of the app let read their fields.
public struct ClientAppDescription: CodedMessage {
    /// The client app's id: 1 to 64 letters, digits, dots, hyphens and underscores of ASCII.
    public var clientAppID = ""
    /// The name that users see.
    public var name = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ClientApp", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "client_app_id", &clientAppID)
        visitor.field(2, "name", &name)
    }
}

/// A permission that client apps may ask users for, and the fields that it opens.
public struct PermissionDefinition: CodedMessage {
    /// The permission's name: 1 to 64 letters, digits, dots, colons and underscores of ASCII.
    public var name = ""
    /// The permission's group.
    public var kind = PermissionKind.unspecified
    /// Whether the permission is to read or to publish.
    public var access = PermissionAccess.unspecified
    /// The fields of Profile that the permission opens to ReadUser, by their names; one custom
    /// field is `custom.KEY`.
    public var fields: [String] = []
    /// How long a grant of the permission holds: 0 to 315360000000, which is ten years; 0 means for
    /// ever.
    public var lifetimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.PermissionDefinition", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "kind", &kind)
        visitor.field(3, "access", &access)
        visitor.field(4, "fields", &fields)
        visitor.field(5, "lifetime_ms", &lifetimeMs)
    }
}

/// The outcome for one permission of DefinePermissions.
public struct DefinePermissionResult: ResultMessage {
    /// The permission, as the request named it; at most the first 256 bytes of a malformed one.
    public var name = ""
    public var code: ProfileStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether the item changed at least one row.
    public var changed = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DefinePermissionResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// The request of RegisterClientApp.
public struct RegisterClientAppRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The client app's id, as in ClientApp.
    public var clientAppID = ""
    /// The name that users see: 1 to 128 bytes.
    public var name = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RegisterClientAppRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "name", &name)
    }
}

/// The response of RegisterClientApp, whose `applied` says whether the client app was registered,
/// or has got another name.
public struct RegisterClientAppResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The client app.
    public var clientApp: ClientAppDescription?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RegisterClientAppResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "client_app", &clientApp)
        write.visitLast(&visitor)
    }
}

/// The request of ListClientApps.
public struct ListClientAppsRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most client apps to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListClientAppsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListClientApps.
public struct ListClientAppsResponse: CodedMessage, PagedList {
    /// The client apps of this page.
    public var clientApps: [ClientAppDescription] = []
    public var nextPageToken = ""
    /// How many client apps the app has: at most 100.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [ClientAppDescription] { clientApps }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListClientAppsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "client_apps", &clientApps)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of DefinePermissions.
public struct DefinePermissionsRequest: AppWriteRequest, ItemsRequest {
    public var options: WriteOptions?
    /// The permissions: 1 to 100.
    public var items: [PermissionDefinition] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DefinePermissionsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.DefinePermissionsResponse", DefinePermissionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of DefinePermissions.
public typealias DefinePermissionsResponse = ItemsAnswer<
    DefinePermissionsRequest, DefinePermissionResult
>

/// The request of ListPermissionDefinitions.
public struct ListPermissionDefinitionsRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most permissions to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListPermissionDefinitionsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListPermissionDefinitions.
public struct ListPermissionDefinitionsResponse: CodedMessage, PagedList {
    /// The permissions of this page.
    public var permissions: [PermissionDefinition] = []
    public var nextPageToken = ""
    /// How many permissions there are: those that the app defined, and the built-in ones.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [PermissionDefinition] { permissions }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListPermissionDefinitionsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "permissions", &permissions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}
