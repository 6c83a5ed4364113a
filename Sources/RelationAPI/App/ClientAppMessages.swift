public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/app.proto about client apps, where every field is explained.

/// A program, made by others, that users of the app let read their fields.
public struct ClientAppDescription: Message, Equatable {
    public var clientAppID = ""
    public var name = ""

    public init() {}

    public static let schema = Schema("relation.v1.ClientApp", ClientAppDescription.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "client_app_id", &clientAppID)
        visitor.field(2, "name", &name)
    }
}

/// A permission that client apps may ask users for, and the fields that it opens.
public struct PermissionDefinition: Message, Equatable {
    public var name = ""
    public var kind = PermissionKind.unspecified
    public var access = PermissionAccess.unspecified
    public var fields: [String] = []
    public var lifetimeMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.PermissionDefinition", PermissionDefinition.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "kind", &kind)
        visitor.field(3, "access", &access)
        visitor.field(4, "fields", &fields)
        visitor.field(5, "lifetime_ms", &lifetimeMs)
    }
}

/// The outcome for one permission of DefinePermissions.
public struct DefinePermissionResult: Message, Equatable {
    public var name = ""
    public var code: ProfileStatus?
    public var reason = Reason.none
    public var info = ""
    public var changed = false

    public init() {}

    public static let schema = Schema(
        "relation.v1.DefinePermissionResult", DefinePermissionResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// The request of RegisterClientApp.
public struct RegisterClientAppRequest: Message, AppWriteRequest {
    public var options: WriteOptions?
    public var clientAppID = ""
    public var name = ""

    public init() {}

    public static let schema = Schema(
        "relation.v1.RegisterClientAppRequest", RegisterClientAppRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "client_app_id", &clientAppID)
        visitor.field(4, "name", &name)
    }
}

/// The response of RegisterClientApp.
public struct RegisterClientAppResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var clientApp: ClientAppDescription?

    public init() {}

    public static let schema = Schema(
        "relation.v1.RegisterClientAppResponse", RegisterClientAppResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "client_app", &clientApp)
    }
}

/// The request of ListClientApps.
public struct ListClientAppsRequest: Message, AppReadRequest {
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListClientAppsRequest", ListClientAppsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

/// The response of ListClientApps.
public struct ListClientAppsResponse: Message {
    public var clientApps: [ClientAppDescription] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListClientAppsResponse", ListClientAppsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "client_apps", &clientApps)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of DefinePermissions.
public struct DefinePermissionsRequest: Message, AppWriteRequest {
    public var options: WriteOptions?
    public var items: [PermissionDefinition] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DefinePermissionsRequest", DefinePermissionsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of DefinePermissions.
public struct DefinePermissionsResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [DefinePermissionResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DefinePermissionsResponse", DefinePermissionsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of ListPermissionDefinitions.
public struct ListPermissionDefinitionsRequest: Message, AppReadRequest {
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListPermissionDefinitionsRequest", ListPermissionDefinitionsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

/// The response of ListPermissionDefinitions.
public struct ListPermissionDefinitionsResponse: Message {
    public var permissions: [PermissionDefinition] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListPermissionDefinitionsResponse", ListPermissionDefinitionsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "permissions", &permissions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}
