public import Protobuf
import RelationModel

/// The permissions of users for client apps.
public enum ConsentMethods {
    private static let service: StaticString = "relation.v1.ConsentService"

    /// Grants a client app permissions of the caller.
    public static let grantPermissions = Method<GrantPermissionsRequest, GrantPermissionsResponse>(
        service, "GrantPermissions", .write,
        answers: codes(ProfileStatus.self, .success, .invalidParameter, .tagNotFound)
            + codes(ErrorReason.self, .clientAppNotFound, .permissionsMixed),
        limits: [RequestLimit("names", Int64(Limits.permissionItems), .items)])

    /// Declines permissions that a client app asks for.
    public static let declinePermissions = Method<
        DeclinePermissionsRequest, DeclinePermissionsResponse
    >(
        service, "DeclinePermissions", .write,
        answers: codes(ProfileStatus.self, .success, .invalidParameter, .tagNotFound, .valueError)
            + codes(ErrorReason.self, .clientAppNotFound),
        limits: [RequestLimit("names", Int64(Limits.permissionItems), .items)])

    /// Takes back one permission, several or all.
    public static let revokePermissions = Method<
        RevokePermissionsRequest, RevokePermissionsResponse
    >(
        service, "RevokePermissions", .write,
        answers: codes(ProfileStatus.self, .success, .invalidParameter, .tagNotFound, .valueError)
            + codes(ErrorReason.self, .clientAppNotFound),
        limits: [RequestLimit("names", Int64(Limits.permissionItems), .items)])

    /// Lists by pages every permission that the caller ever granted, declined or took back for a
    /// client app.
    public static let listPermissions = Method<ListPermissionsRequest, ListPermissionsResponse>(
        service, "ListPermissions", .read,
        answers: codes(ErrorReason.self, .invalidPageToken, .clientAppNotFound))

    /// Reads the caller's profile as a client app may see it.
    public static let readUser = Method<ReadUserRequest, ReadUserResponse>(
        service, "ReadUser", .read, answers: codes(ErrorReason.self, .clientAppNotFound))

    /// Lists the caller's friends that use the same client app.
    public static let listAppFriends = Method<ListAppFriendsRequest, ListAppFriendsResponse>(
        service, "ListAppFriends", .scan,
        answers: codes(ErrorReason.self, .invalidPageToken, .clientAppNotFound))

    /// ``listAppFriends`` as the service answers it: with its rows as bytes.
    package static let listAppFriendsView = Method<
        ListAppFriendsRequest, ListAppFriendsResponseView
    >(like: listAppFriends)
}
