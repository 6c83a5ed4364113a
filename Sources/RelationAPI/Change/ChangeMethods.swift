public import Protobuf
import RelationModel

/// What changed, as logs and sequences tell it.
public enum ChangeMethods {
    private static let service: StaticString = "relation.v1.ChangeService"

    /// Follows changes as they happen.
    public static let watch = Method<WatchRequest, WatchResponse>(
        service, "Watch", .watch, shape: .serverStreaming,
        answers: codes(ErrorReason.self, .invalidResumeToken, .slowReader))

    /// Lists the events of the caller's log after a sequence, by pages.
    public static let listChanges = Method<ListChangesRequest, ListChangesResponse>(
        service, "ListChanges", .read, answers: codes(ErrorReason.self, .invalidPageToken))

    /// Tells how far the caller's sequence has come, and each of its lists.
    public static let getSequence = Method<GetSequenceRequest, GetSequenceResponse>(
        service, "GetSequence", .read)
}
