public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/app.proto, where every field is explained.

/// The request of CreateApp.
public struct CreateAppRequest: Message, AppWriteRequest {
    public var options: WriteOptions?
    public var appID: UInt32 = 0
    public var name = ""
    public var preset = AppPreset.unspecified
    public var settings: AppSettingsMessage?

    public init() {}

    public static let schema = Schema("relation.v1.CreateAppRequest", CreateAppRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "app_id", &appID)
        visitor.field(4, "name", &name)
        visitor.field(5, "preset", &preset)
        visitor.field(6, "settings", &settings)
    }
}

/// The response of CreateApp.
public struct CreateAppResponse: Message, WriteResponse, Equatable {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var app: AppDescription?

    public init() {}

    public static let schema = Schema("relation.v1.CreateAppResponse", CreateAppResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "app", &app)
    }
}

/// The request of GetApp.
public struct GetAppRequest: Message, AppReadRequest {
    public var options: ReadOptions?
    public var appID: UInt32 = 0

    public init() {}

    public static let schema = Schema("relation.v1.GetAppRequest", GetAppRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "app_id", &appID)
    }
}

/// The response of GetApp.
public struct GetAppResponse: Message, Equatable {
    public var app: AppDescription?

    public init() {}

    public static let schema = Schema("relation.v1.GetAppResponse", GetAppResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app", &app)
    }
}

/// The request of UpdateApp.
public struct UpdateAppRequest: Message, AppWriteRequest {
    public var options: WriteOptions?
    public var name: String?
    public var settings: AppSettingsMessage?
    public var updateMask: FieldMask?
    public var expectedVersion: Int64?

    public init() {}

    public static let schema = Schema("relation.v1.UpdateAppRequest", UpdateAppRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "settings", &settings)
        visitor.field(5, "update_mask", &updateMask)
        visitor.field(6, "expected_version", &expectedVersion)
    }
}

/// The response of UpdateApp.
public struct UpdateAppResponse: Message, WriteResponse, Equatable {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var app: AppDescription?

    public init() {}

    public static let schema = Schema("relation.v1.UpdateAppResponse", UpdateAppResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "app", &app)
    }
}

/// The request of ListApps.
public struct ListAppsRequest: Message, AppReadRequest {
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    public static let schema = Schema("relation.v1.ListAppsRequest", ListAppsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

/// The response of ListApps.
public struct ListAppsResponse: Message, Equatable {
    public var apps: [AppDescription] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0

    public init() {}

    public static let schema = Schema("relation.v1.ListAppsResponse", ListAppsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "apps", &apps)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of DeleteApp.
public struct DeleteAppRequest: Message, AppWriteRequest {
    public var options: WriteOptions?
    public var appID: UInt32 = 0

    public init() {}

    public static let schema = Schema("relation.v1.DeleteAppRequest", DeleteAppRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "app_id", &appID)
    }
}

/// The response of DeleteApp.
public struct DeleteAppResponse: Message, WriteResponse, Equatable {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var app: AppDescription?

    public init() {}

    public static let schema = Schema("relation.v1.DeleteAppResponse", DeleteAppResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "app", &app)
    }
}

/// The request of CreateCredential.
public struct CreateCredentialRequest: Message, AppWriteRequest {
    public var options: WriteOptions?
    public var name = ""
    public var scopes: [Scope] = []
    public var expireTimeMs: Int64 = 0
    public var certificateSHA256: [UInt8] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.CreateCredentialRequest", CreateCredentialRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "scopes", &scopes)
        visitor.field(5, "expire_time_ms", &expireTimeMs)
        visitor.field(6, "certificate_sha256", &certificateSHA256)
    }
}

/// The response of CreateCredential.
public struct CreateCredentialResponse: Message, WriteResponse, Equatable {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var credential: Credential?
    public var key = ""

    public init() {}

    public static let schema = Schema(
        "relation.v1.CreateCredentialResponse", CreateCredentialResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "credential", &credential)
        visitor.field(5, "key", &key)
    }
}

/// The request of ListCredentials.
public struct ListCredentialsRequest: Message, AppReadRequest {
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListCredentialsRequest", ListCredentialsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

/// The response of ListCredentials.
public struct ListCredentialsResponse: Message, Equatable {
    public var credentials: [Credential] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListCredentialsResponse", ListCredentialsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "credentials", &credentials)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of RevokeCredential.
public struct RevokeCredentialRequest: Message, AppWriteRequest {
    public var options: WriteOptions?
    public var credentialID = ""

    public init() {}

    public static let schema = Schema(
        "relation.v1.RevokeCredentialRequest", RevokeCredentialRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "credential_id", &credentialID)
    }
}

/// The response of RevokeCredential.
public struct RevokeCredentialResponse: Message, WriteResponse, Equatable {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false

    public init() {}

    public static let schema = Schema(
        "relation.v1.RevokeCredentialResponse", RevokeCredentialResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
    }
}

/// The request of RotateAppSecret.
public struct RotateAppSecretRequest: Message, AppWriteRequest {
    public var options: WriteOptions?
    public var oldExpireTimeMs: Int64?

    public init() {}

    public static let schema = Schema(
        "relation.v1.RotateAppSecretRequest", RotateAppSecretRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "old_expire_time_ms", &oldExpireTimeMs)
    }
}

/// The response of RotateAppSecret.
public struct RotateAppSecretResponse: Message, WriteResponse, Equatable {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var secret = ""
    public var secrets: [AppSecretDescription] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.RotateAppSecretResponse", RotateAppSecretResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "secret", &secret)
        visitor.field(5, "secrets", &secrets)
    }
}

/// The request of DefineCustomFields.
public struct DefineCustomFieldsRequest: Message, AppWriteRequest {
    public var options: WriteOptions?
    public var items: [CustomFieldMessage] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DefineCustomFieldsRequest", DefineCustomFieldsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of DefineCustomFields.
public struct DefineCustomFieldsResponse: Message, WriteResponse, Equatable {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [CustomFieldResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DefineCustomFieldsResponse", DefineCustomFieldsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of ListCustomFields.
public struct ListCustomFieldsRequest: Message, AppReadRequest {
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""
    public var owner = CustomFieldOwner.unspecified
    public var withRetired = false

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListCustomFieldsRequest", ListCustomFieldsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "owner", &owner)
        visitor.field(6, "with_retired", &withRetired)
    }
}

/// The response of ListCustomFields.
public struct ListCustomFieldsResponse: Message, Equatable {
    public var fields: [CustomFieldMessage] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListCustomFieldsResponse", ListCustomFieldsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "fields", &fields)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of RetireCustomField.
public struct RetireCustomFieldRequest: Message, AppWriteRequest {
    public var options: WriteOptions?
    public var owner = CustomFieldOwner.unspecified
    public var key = ""

    public init() {}

    public static let schema = Schema(
        "relation.v1.RetireCustomFieldRequest", RetireCustomFieldRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "owner", &owner)
        visitor.field(4, "key", &key)
    }
}

/// The response of RetireCustomField.
public struct RetireCustomFieldResponse: Message, WriteResponse, Equatable {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var result: CustomFieldResult?

    public init() {}

    public static let schema = Schema(
        "relation.v1.RetireCustomFieldResponse", RetireCustomFieldResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "result", &result)
    }
}

/// The request of GetLimits.
public struct GetLimitsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?

    public init() {}

    public static let schema = Schema("relation.v1.GetLimitsRequest", GetLimitsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
    }
}

/// The response of GetLimits.
public struct GetLimitsResponse: Message, Equatable {
    public var limits: [LimitMessage] = []

    public init() {}

    public static let schema = Schema("relation.v1.GetLimitsResponse", GetLimitsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "limits", &limits)
    }
}
