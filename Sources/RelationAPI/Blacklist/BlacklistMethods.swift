public import Protobuf

/// The blacklists.
public enum BlacklistMethods {
    private static let service: StaticString = "relation.v1.BlacklistService"

    /// Puts users on the caller's blacklist.
    public static let addToBlacklist = Method<
        AddToBlacklistRequest, AddToBlacklistResponse
    >(service, "AddToBlacklist", .write)

    /// Takes users off the caller's blacklist, and restores nothing.
    public static let removeFromBlacklist = Method<
        RemoveFromBlacklistRequest, RemoveFromBlacklistResponse
    >(service, "RemoveFromBlacklist", .write)

    /// Lists the caller's blacklist by pages, in order of `add_time_ms` and then of the bytes of
    /// the id (order ours).
    public static let listBlacklist = Method<
        ListBlacklistRequest, ListBlacklistResponse
    >(service, "ListBlacklist", .read)

    /// Tells who of the caller and others has whom on its blacklist.
    public static let checkBlacklist = Method<
        CheckBlacklistRequest, CheckBlacklistResponse
    >(service, "CheckBlacklist", .read)

    /// Tells to whom the caller may send a message.
    public static let canSend = Method<
        CanSendRequest, CanSendResponse
    >(service, "CanSend", .read)
}
