public import Protobuf
import RelationModel

/// The apps of a server.
public enum AppMethods {
    private static let service: StaticString = "relation.v1.AppService"

    /// Makes an app.
    public static let createApp = Method<CreateAppRequest, CreateAppResponse>(
        service, "CreateApp", .write, for: .operators,
        answers: codes(ErrorReason.self, .appExists, .appBeingDeleted, .tooManyApps),
        limits: [RequestLimit("name", Int64(Limits.appNameBytes), .bytes)])

    /// Reads an app with its settings.
    public static let getApp = Method<GetAppRequest, GetAppResponse>(
        service, "GetApp", .read, for: .administrators)

    /// Changes the name and settings of an app.
    public static let updateApp = Method<UpdateAppRequest, UpdateAppResponse>(
        service, "UpdateApp", .write, for: .administrators,
        answers: codes(ErrorReason.self, .versionStale),
        limits: [RequestLimit("name", Int64(Limits.appNameBytes), .bytes)])

    /// Lists all apps by pages, in the order of their numbers, including those that are being
    /// deleted.
    public static let listApps = Method<ListAppsRequest, ListAppsResponse>(
        service, "ListApps", .read, for: .operators,
        answers: codes(ErrorReason.self, .invalidPageToken))

    /// Deletes an app and everything in it.
    public static let deleteApp = Method<DeleteAppRequest, DeleteAppResponse>(
        service, "DeleteApp", .write, for: .operators)

    /// Makes an API key of the app, or registers a client certificate as a key: the credential of a
    /// backend.
    public static let createCredential = Method<CreateCredentialRequest, CreateCredentialResponse>(
        service, "CreateCredential", .write, for: .administrators,
        answers: codes(ErrorReason.self, .credentialExists, .tooManyCredentials),
        limits: [RequestLimit("name", Int64(Limits.appNameBytes), .bytes)])

    /// Lists the app's credentials by pages, in the order of their ids, without their secrets.
    public static let listCredentials = Method<ListCredentialsRequest, ListCredentialsResponse>(
        service, "ListCredentials", .read, for: .administrators,
        answers: codes(ErrorReason.self, .invalidPageToken))

    /// Ends a credential at once.
    public static let revokeCredential = Method<RevokeCredentialRequest, RevokeCredentialResponse>(
        service, "RevokeCredential", .write, for: .administrators,
        answers: codes(ErrorReason.self, .credentialNotFound))

    /// Makes a new secret for the signatures of the app's users (UserSig).
    public static let rotateAppSecret = Method<RotateAppSecretRequest, RotateAppSecretResponse>(
        service, "RotateAppSecret", .write, for: .administrators,
        limits: [RequestLimit("secret", Int64(Limits.appSecretBytes.upperBound), .bytes)])

    /// Adds fields to the profiles or the friends of the app, or changes who may read and write
    /// them.
    public static let defineCustomFields = Method<
        DefineCustomFieldsRequest, DefineCustomFieldsResponse
    >(
        service, "DefineCustomFields", .write, for: .administrators,
        answers: codes(FriendStatus.self, .success, .invalidParameter),
        limits: [RequestLimit("items", Int64(Limits.defineCustomFieldsItems), .items)])

    /// Lists the app's custom fields by pages, in the order in which they were defined.
    public static let listCustomFields = Method<ListCustomFieldsRequest, ListCustomFieldsResponse>(
        service, "ListCustomFields", .read, for: .administrators,
        answers: codes(ErrorReason.self, .invalidPageToken))

    /// Retires a custom field: no call knows it from then on, and its stored values stay, unseen.
    public static let retireCustomField = Method<
        RetireCustomFieldRequest, RetireCustomFieldResponse
    >(
        service, "RetireCustomField", .write, for: .administrators,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .tagNotFound))

    /// Reads the limits that calls of the app meet, and how much of them is used.
    public static let getLimits = Method<GetLimitsRequest, GetLimitsResponse>(
        service, "GetLimits", .read)

    /// Registers a client app, or gives a registered one another name.
    public static let registerClientApp = Method<
        RegisterClientAppRequest, RegisterClientAppResponse
    >(
        service, "RegisterClientApp", .write, for: .administrators,
        answers: codes(ErrorReason.self, .tooManyClientApps),
        limits: [RequestLimit("name", Int64(Limits.clientAppNameBytes), .bytes)])

    /// Lists the client apps by pages, in the order of the bytes of their ids.
    public static let listClientApps = Method<ListClientAppsRequest, ListClientAppsResponse>(
        service, "ListClientApps", .read, for: .administrators,
        answers: codes(ErrorReason.self, .invalidPageToken))

    /// Defines permissions that client apps may ask users for.
    public static let definePermissions = Method<
        DefinePermissionsRequest, DefinePermissionsResponse
    >(
        service, "DefinePermissions", .write, for: .administrators,
        answers: codes(
            ProfileStatus.self, .success, .invalidParameter, .readPermissionRequired, .tagNotFound,
            .valueError),
        limits: [
            RequestLimit("items", Int64(Limits.permissionItems), .items),
            RequestLimit("items.fields", Int64(Limits.permissionFields), .items),
        ])

    /// Lists by pages, in the order of the bytes of their names, the permissions that client apps
    /// may ask users for.
    public static let listPermissionDefinitions = Method<
        ListPermissionDefinitionsRequest, ListPermissionDefinitionsResponse
    >(
        service, "ListPermissionDefinitions", .read, for: .administrators,
        answers: codes(ErrorReason.self, .invalidPageToken))

    /// Makes a key of an operator, beside those that there are.
    public static let createOperatorKey = Method<
        CreateOperatorKeyRequest, CreateOperatorKeyResponse
    >(
        service, "CreateOperatorKey", .write, for: .operators,
        answers: codes(ErrorReason.self, .tooManyCredentials),
        limits: [RequestLimit("name", Int64(Limits.appNameBytes), .bytes)])

    /// Lists the operators' keys by pages, in the order of their ids, without their secrets.
    public static let listOperatorKeys = Method<ListOperatorKeysRequest, ListOperatorKeysResponse>(
        service, "ListOperatorKeys", .read, for: .operators,
        answers: codes(ErrorReason.self, .invalidPageToken))

    /// Ends a key of an operator at once.
    public static let revokeOperatorKey = Method<
        RevokeOperatorKeyRequest, RevokeOperatorKeyResponse
    >(
        service, "RevokeOperatorKey", .write, for: .operators,
        answers: codes(ErrorReason.self, .credentialNotFound, .lastOperatorKey))

    /// Gives an app the secret that it has at another system.
    public static let importAppSecret = Method<ImportAppSecretRequest, ImportAppSecretResponse>(
        service, "ImportAppSecret", .write, for: .operators,
        limits: [RequestLimit("secret", Int64(Limits.appSecretBytes.upperBound), .bytes)])
}
