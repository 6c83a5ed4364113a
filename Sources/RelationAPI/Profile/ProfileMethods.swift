public import Protobuf
import RelationModel

/// The profiles.
public enum ProfileMethods {
    private static let service: StaticString = "relation.v1.ProfileService"

    /// Reads the caller's own profile.
    public static let getSelfProfile = Method<GetSelfProfileRequest, GetSelfProfileResponse>(
        service, "GetSelfProfile", .read)

    /// Reads the profiles of users, friends or not.
    public static let getProfiles = Method<GetProfilesRequest, GetProfilesResponse>(
        service, "GetProfiles", .read,
        answers: codes(ProfileStatus.self, .success, .invalidParameter, .accountNotFound)
            + codes(ErrorReason.self, .historyNotKept, .tooManyChanges),
        limits: [
            RequestLimit("user_ids", .max, .items),
            RequestLimit("known_versions", .max, .items),
        ])

    /// ``getProfiles`` as the service answers it: with its rows as bytes.
    package static let getProfilesView = Method<GetProfilesRequest, GetProfilesResponseView>(
        like: getProfiles)

    /// Changes the caller's profile: all the given fields, or none.
    public static let updateProfile = Method<UpdateProfileRequest, UpdateProfileResponse>(
        service, "UpdateProfile", .write,
        answers: codes(
            ProfileStatus.self, .success, .invalidParameter, .sensitiveText,
            .writePermissionRequired, .tagNotFound, .sizeLimit, .valueError, .invalidValueFormat,
            .keyNotAllowed, .keyNotExist, .customKeyNotExist, .customCountLimit, .lengthLimit,
            .onlyNumbers, .valueRange, .auditFailed, .refusedByHook)
            + codes(ErrorReason.self, .versionStale, .hookSilent, .tooManyQuestions),
        limits: [
            RequestLimit("tags", Int64(Limits.tagValues), .items),
            RequestLimit("profile.custom", Int64(Limits.tagValues), .items),
        ])

    /// Finds the one user that has a unique id.
    public static let findProfileByUniqueID = Method<
        FindProfileByUniqueIdRequest, FindProfileByUniqueIdResponse
    >(
        service, "FindProfileByUniqueId", .read,
        answers: codes(ProfileStatus.self, .success, .uniqueIDNotExist, .uniqueIDMalformed))

    /// Chooses who may read the caller's profile.
    public static let setVisibility = Method<SetVisibilityRequest, SetVisibilityResponse>(
        service, "SetVisibility", .write,
        answers: codes(ProfileStatus.self, .success, .invalidParameter, .sizeLimit)
            + codes(ErrorReason.self, .versionStale),
        limits: [
            RequestLimit("fields", Int64(Limits.fieldVisibilities), .items),
            RequestLimit("fields.group_names", Int64(Limits.groupsOfField), .items),
        ])

    /// Says who may read the caller's profile.
    public static let getVisibility = Method<GetVisibilityRequest, GetVisibilityResponse>(
        service, "GetVisibility", .read)

    /// Finds users of the whole app by a keyword, by pages (ours).
    public static let findUsers = Method<FindUsersRequest, FindUsersResponse>(
        service, "FindUsers", .scan,
        answers: codes(ErrorReason.self, .invalidPageToken),
        limits: [
            RequestLimit("keyword", Int64(Limits.keywordCharacters), .characters),
            RequestLimit("page_size", Int64(Limits.foundUsersPerPage), .items),
        ])

    /// Chooses how the caller may be found by FindUsers, FindProfileByUniqueId and FindContacts
    /// (ours).
    public static let setFindSettings = Method<SetFindSettingsRequest, SetFindSettingsResponse>(
        service, "SetFindSettings", .write)

    /// Says how the caller may be found: the user's choices, and what is in effect (ours).
    public static let getFindSettings = Method<GetFindSettingsRequest, GetFindSettingsResponse>(
        service, "GetFindSettings", .read)

    /// Sets the digests of a user's phone numbers or mail addresses, in place of those that were
    /// set before (ours).
    public static let setContactDigests = Method<
        SetContactDigestsRequest, SetContactDigestsResponse
    >(
        service, "SetContactDigests", .write,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .adminRequired),
        limits: [RequestLimit("digests", Int64(Limits.contactDigests), .items)])

    /// Reads the digests of the caller's phone numbers and mail addresses (ours).
    public static let getContactDigests = Method<
        GetContactDigestsRequest, GetContactDigestsResponse
    >(service, "GetContactDigests", .read)

    /// Finds users by digests of the phone numbers or mail addresses that the caller knows (ours).
    public static let findContacts = Method<FindContactsRequest, FindContactsResponse>(
        service, "FindContacts", .write,
        answers: codes(FriendStatus.self, .success, .invalidParameter),
        limits: [RequestLimit("digests", Int64(Limits.contactItems), .items)])
}
