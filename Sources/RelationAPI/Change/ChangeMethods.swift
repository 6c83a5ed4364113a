public import Protobuf
import RelationModel

/// The calls that report changes: as events, and as sequences.
public enum ChangeMethods {
    private static let service: StaticString = "relation.v1.ChangeService"

    /// Follows changes as they happen.
    public static let watch = Method<WatchRequest, WatchResponse>(
        service, "Watch", .watch, shape: .serverStreaming,
        answers: codes(ErrorReason.self, .invalidResumeToken, .slowReader, .readerFenced),
        limits: [
            RequestLimit("user_ids", Int64(Limits.watchUsers), .items),
            RequestLimit("kinds", Int64(Limits.watchKinds), .items),
            RequestLimit("heartbeat_ms", Limits.watchHeartbeatMs.upperBound, .milliseconds),
            RequestLimit("consumer.consumer", Int64(Limits.consumerBytes), .bytes),
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

    /// Makes the caller the reader of a consumer, and makes the consumer if there is none of that
    /// name.
    public static let acquireConsumer = Method<AcquireConsumerRequest, AcquireConsumerResponse>(
        service, "AcquireConsumer", .write, for: .watchers,
        answers: codes(
            ErrorReason.self, .invalidResumeToken, .consumerBusy, .tooManyConsumers),
        limits: [
            RequestLimit("consumer", Int64(Limits.consumerBytes), .bytes),
            RequestLimit("lease_ms", Limits.consumerLeaseMs.upperBound, .milliseconds),
        ])

    /// Stores how far the reader of a consumer has come, and renews its lease.
    public static let acknowledgeChanges = Method<
        AcknowledgeChangesRequest, AcknowledgeChangesResponse
    >(
        service, "AcknowledgeChanges", .write, for: .watchers,
        answers: codes(ErrorReason.self, .invalidResumeToken, .readerFenced),
        limits: [RequestLimit("consumer", Int64(Limits.consumerBytes), .bytes)])

    /// Lists the consumers of the app by pages, in the order of the bytes of their names.
    public static let listConsumers = Method<ListConsumersRequest, ListConsumersResponse>(
        service, "ListConsumers", .read, for: .watchers,
        answers: codes(ErrorReason.self, .invalidPageToken))

    /// Deletes a consumer with its position; its reader is fenced, as by another one.
    public static let deleteConsumer = Method<DeleteConsumerRequest, DeleteConsumerResponse>(
        service, "DeleteConsumer", .write, for: .watchers,
        limits: [RequestLimit("consumer", Int64(Limits.consumerBytes), .bytes)])

    /// Explains what becomes of an event of one user on the way to a stream of Watch.
    public static let explainEvent = Method<ExplainEventRequest, ExplainEventResponse>(
        service, "ExplainEvent", .read, for: .administrators,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound))
}
