public import Protobuf
import RelationModel

/// The calls that report and tell which users are online.
public enum PresenceMethods {
    private static let service: StaticString = "relation.v1.PresenceService"

    /// Reports which devices came online, are still online, or went offline.
    public static let reportPresence = Method<
        ReportPresenceRequest, ReportPresenceResponse
    >(
        service, "ReportPresence", .write, for: .services,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound))

    /// Tells which users are online.
    public static let getPresence = Method<
        GetPresenceRequest, GetPresenceResponse
    >(
        service, "GetPresence", .read,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound))
}
