public import Protobuf
import RelationModel

/// The webhooks of an app.
public enum HookMethods {
    private static let service: StaticString = "relation.v1.HookService"

    private static let limits = [
        RequestLimit("name", Int64(Limits.appNameBytes), .bytes),
        RequestLimit("url", Int64(Limits.hookURLBytes), .bytes),
        RequestLimit("kinds", Int64(Limits.hookKinds), .items),
        RequestLimit("batch_size", Int64(Limits.hookBatch), .items),
    ]
    private static let secretLimit = RequestLimit(
        "secret", Int64(Limits.hookSecretTextBytes), .bytes)

    /// Makes a hook, which gets the events after the answer.
    public static let createHook = Method<CreateHookRequest, CreateHookResponse>(
        service, "CreateHook", .write, for: .administrators,
        answers: codes(ErrorReason.self, .hooksDisabled, .tooManyHooks, .hookQuestionTaken),
        limits: limits + [secretLimit])

    /// Changes a hook, pauses it, or resumes it.
    public static let updateHook = Method<UpdateHookRequest, UpdateHookResponse>(
        service, "UpdateHook", .write, for: .administrators,
        answers: codes(ErrorReason.self, .hooksDisabled, .hookNotFound, .hookQuestionTaken),
        limits: limits)

    /// Deletes a hook with its position and its failures.
    public static let deleteHook = Method<DeleteHookRequest, DeleteHookResponse>(
        service, "DeleteHook", .write, for: .administrators,
        answers: codes(ErrorReason.self, .hookNotFound))

    /// Lists the app's hooks by pages, in the order of their ids, with how far each has come.
    public static let listHooks = Method<ListHooksRequest, ListHooksResponse>(
        service, "ListHooks", .read, for: .administrators,
        answers: codes(ErrorReason.self, .invalidPageToken))

    /// Makes a new secret of a hook, or takes one; the one before stays good until a stated time.
    public static let rotateHookSecret = Method<RotateHookSecretRequest, RotateHookSecretResponse>(
        service, "RotateHookSecret", .write, for: .administrators,
        answers: codes(ErrorReason.self, .hookNotFound, .tooManyHookSecrets), limits: [secretLimit])

    /// Sends a hook to another position.
    public static let replayHook = Method<ReplayHookRequest, ReplayHookResponse>(
        service, "ReplayHook", .write, for: .administrators,
        answers: codes(ErrorReason.self, .hookNotFound, .invalidResumeToken))

    /// Lists the last failed requests of a hook by pages, the latest first.
    public static let listHookFailures = Method<ListHookFailuresRequest, ListHookFailuresResponse>(
        service, "ListHookFailures", .read, for: .administrators,
        answers: codes(ErrorReason.self, .invalidPageToken, .hookNotFound))

    /// Sends a test event to a hook at once, and answers how the receiver took it.
    public static let testHook = Method<TestHookRequest, TestHookResponse>(
        service, "TestHook", .write, for: .administrators,
        answers: codes(ErrorReason.self, .hooksDisabled, .hookNotFound, .tooManyHookTests))
}
