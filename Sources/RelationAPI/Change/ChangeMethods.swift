public import Protobuf
import RelationModel

/// The calls that tell changes: as events, and as sequences.
public enum ChangeMethods {
    private static let service: StaticString = "relation.v1.ChangeService"

    /// Follows changes as they happen.
    public static let watch = Method<WatchRequest, WatchResponse>(
        service, "Watch", .watch, shape: .serverStreaming,
        answers: codes(ErrorReason.self, .invalidResumeToken, .slowReader))

    /// Lists the events of the caller's log after a sequence, by pages.
    public static let listChanges = Method<ListChangesRequest, ListChangesResponse>(
        service, "ListChanges", .read, answers: codes(ErrorReason.self, .invalidPageToken))

    /// Tells how far the caller's sequence and those of its lists have come.
    public static let getSequence = Method<GetSequenceRequest, GetSequenceResponse>(
        service, "GetSequence", .read)
}
