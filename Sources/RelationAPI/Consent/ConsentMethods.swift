public import Protobuf

/// What users let client apps do.
public enum ConsentMethods {
    private static let service: StaticString = "relation.v1.ConsentService"

    /// Grants a client app permissions of the caller.
    public static let grantPermissions = Method<
        GrantPermissionsRequest, GrantPermissionsResponse
    >(service, "GrantPermissions", .write)

    /// Says no to what a client app asks for.
    public static let declinePermissions = Method<
        DeclinePermissionsRequest, DeclinePermissionsResponse
    >(service, "DeclinePermissions", .write)

    /// Takes back one permission, several or all.
    public static let revokePermissions = Method<
        RevokePermissionsRequest, RevokePermissionsResponse
    >(service, "RevokePermissions", .write)

    /// Lists what the caller ever said to a client app.
    public static let listPermissions = Method<
        ListPermissionsRequest, ListPermissionsResponse
    >(service, "ListPermissions", .read)

    /// Reads the caller's profile as a client app may see it.
    public static let readUser = Method<
        ReadUserRequest, ReadUserResponse
    >(service, "ReadUser", .read)

    /// Lists the caller's friends that use the same client app.
    public static let listAppFriends = Method<
        ListAppFriendsRequest, ListAppFriendsResponse
    >(service, "ListAppFriends", .scan)
}
