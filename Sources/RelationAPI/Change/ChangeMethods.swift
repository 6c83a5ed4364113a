public import Protobuf
import RelationModel

/// The calls that report changes: as events, and as sequences.
public enum ChangeMethods {
    private static let service: StaticString = "relation.v1.ChangeService"

    /// Every call of the service, in the order of the contract.
    package static let all: [AnyMethod] = [
        AnyMethod(watch),
        AnyMethod(listChanges),
        AnyMethod(getSequence),
    ]

    /// Follows changes as they happen.
    public static let watch = Method<WatchRequest, WatchResponse>(
        service, "Watch", .watch, shape: .serverStreaming,
        answers: codes(ErrorReason.self, .invalidResumeToken, .slowReader),
        limits: [
            RequestLimit("user_ids", Int64(Limits.watchUsers), .items),
            RequestLimit("kinds", Int64(Limits.watchKinds), .items),
            RequestLimit("heartbeat_ms", Limits.watchHeartbeatMs.upperBound, .milliseconds),
        ])

    /// ``watch`` as the service answers it: with its rows as bytes.
    package static let watchView = Method<WatchRequest, WatchResponseView>(like: watch)

    /// Lists the events of the caller's log after a sequence, by pages.
    public static let listChanges = Method<ListChangesRequest, ListChangesResponse>(
        service, "ListChanges", .read, answers: codes(ErrorReason.self, .invalidPageToken),
        limits: [
            RequestLimit("kinds", Int64(Limits.changeKinds), .items),
            RequestLimit("page_size", Int64(Limits.maxChanges), .items),
        ])

    /// ``listChanges`` as the service answers it: with its rows as bytes.
    package static let listChangesView = Method<ListChangesRequest, ListChangesResponseView>(
        like: listChanges)

    /// Says how far the caller's sequence and those of its lists have come.
    public static let getSequence = Method<GetSequenceRequest, GetSequenceResponse>(
        service, "GetSequence", .read)
}
