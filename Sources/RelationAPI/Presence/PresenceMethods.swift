public import Protobuf
import RelationModel

/// The calls that report and answer which users are online.
public enum PresenceMethods {
    private static let service: StaticString = "relation.v1.PresenceService"

    /// Reports which devices came online, are still online, or went offline.
    public static let reportPresence = Method<ReportPresenceRequest, ReportPresenceResponse>(
        service, "ReportPresence", .write, for: .services,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [
            RequestLimit("items", Int64(Limits.presenceItems), .items),
            RequestLimit("items.platform", Int64(Limits.platformBytes), .bytes),
            RequestLimit("items.lease_seconds", Limits.leaseSeconds.upperBound, .seconds),
        ])

    /// Says which users are online.
    public static let getPresence = Method<GetPresenceRequest, GetPresenceResponse>(
        service, "GetPresence", .read,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [RequestLimit("user_ids", Int64(Limits.presenceItems), .items)])

    /// Sets the custom status of a user.
    public static let setStatus = Method<SetStatusRequest, SetStatusResponse>(
        service, "SetStatus", .write,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .sensitiveText),
        limits: [RequestLimit("expiry_seconds", Limits.statusSeconds.upperBound, .seconds)])
}
