public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/hook.proto, where every field is explained.

/// The request of CreateHook.
public struct CreateHookRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The name of the hook, for people: at most 128 bytes; may be empty.
    public var name = ""
    /// The URL to which the events go: at most 1,024 bytes of ASCII.
    public var url = ""
    /// The kinds of events that the hook gets: at most 64; none means all.
    public var kinds: [ChangeKind] = []
    /// The form of the requests; absent means HOOK_FORM_CLOUD_EVENTS.
    public var form = HookForm.unspecified
    /// The most events of one request: 1 to 100; 0 means 1.
    public var batchSize: Int32 = 0
    /// Whether the hook gets only events that have an `actor_user_id`.
    public var usersOnly = false
    /// Whether the hook is paused at first.
    public var paused = false
    /// The kinds of calls that the hook is asked about before they are carried out: at most 6, each
    /// once, and each asked by one hook of the app, also if that is paused.
    public var asks: [HookQuestion] = []
    /// The meaning of no answer; absent means HOOK_SILENCE_ALLOW.
    public var silence = HookSilence.unspecified
    /// How long the server waits for an answer: 100 to 10,000; 0 means 2,000.
    public var askTimeoutMs: Int64 = 0
    /// Whether the hook is only asked, and gets no events.
    public var asksOnly = false
    /// The secret to sign with; empty lets the server make one.
    public var secret = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.CreateHookRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "url", &url)
        visitor.field(5, "kinds", &kinds)
        visitor.field(6, "form", &form)
        visitor.field(7, "batch_size", &batchSize)
        visitor.field(8, "users_only", &usersOnly)
        visitor.field(9, "paused", &paused)
        visitor.field(20, "asks", &asks)
        visitor.field(21, "silence", &silence)
        visitor.field(22, "ask_timeout_ms", &askTimeoutMs)
        visitor.field(23, "asks_only", &asksOnly)
        visitor.secret(26, "secret", &secret)
    }
}

/// The response of CreateHook.
public struct CreateHookResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The new hook.
    public var hook: Hook?
    /// The hook's secret, `whsec_` with 32 bytes in base64.
    public var secret = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateHookResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "hook", &hook)
        visitor.secret(5, "secret", &secret)
        write.visitLast(&visitor)
    }
}

/// The request of UpdateHook.
public struct UpdateHookRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The id of the hook.
    public var hookID = ""
    /// The new name, as in CreateHook.
    public var name: String?
    /// The new URL, as in CreateHook.
    public var url: String?
    /// The new kinds, as in CreateHook; without values, all kinds.
    public var kinds: ChangeKinds?
    /// The new form, as in CreateHook.
    public var form: HookForm?
    /// The new number of events of one request, as in CreateHook.
    public var batchSize: Int32?
    /// Whether the hook gets only events that have an `actor_user_id`.
    public var usersOnly: Bool?
    /// True pauses the hook; false resumes it, also if the server has stopped it.
    public var paused: Bool?
    /// The new kinds of calls to ask about, as in CreateHook; without values, none.
    public var asks: HookQuestions?
    /// The new meaning of no answer, as in CreateHook.
    public var silence: HookSilence?
    /// The new time to wait for an answer, as in CreateHook.
    public var askTimeoutMs: Int64?
    /// Whether the hook is only asked.
    public var asksOnly: Bool?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.UpdateHookRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "hook_id", &hookID)
        visitor.field(4, "name", &name)
        visitor.field(5, "url", &url)
        visitor.field(6, "kinds", &kinds)
        visitor.field(7, "form", &form)
        visitor.field(8, "batch_size", &batchSize)
        visitor.field(9, "users_only", &usersOnly)
        visitor.field(10, "paused", &paused)
        visitor.field(20, "asks", &asks)
        visitor.field(21, "silence", &silence)
        visitor.field(22, "ask_timeout_ms", &askTimeoutMs)
        visitor.field(23, "asks_only", &asksOnly)
    }
}

/// The response of UpdateHook.
public struct UpdateHookResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The hook as it is now.
    public var hook: Hook?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.UpdateHookResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "hook", &hook)
        write.visitLast(&visitor)
    }
}

/// The request of DeleteHook.
public struct DeleteHookRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The id of the hook.
    public var hookID = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.DeleteHookRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "hook_id", &hookID)
    }
}

/// The response of DeleteHook.
public struct DeleteHookResponse: WriteResponse {
    public var write = WriteOutcome()

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteHookResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        write.visitLast(&visitor)
    }
}

/// The request of ListHooks.
public struct ListHooksRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most hooks to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ListHooksRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListHooks.
public struct ListHooksResponse: CodedMessage, PagedList {
    /// The hooks of this page.
    public var hooks: [Hook] = []
    public var nextPageToken = ""
    /// How many hooks the app has: at most 20.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [Hook] { hooks }

    @usableFromInline package static let schema = Schema("relation.v1.ListHooksResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "hooks", &hooks)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of RotateHookSecret.
public struct RotateHookSecretRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The id of the hook.
    public var hookID = ""
    /// Until when the secret before signs too: at most 30 days from now.
    public var oldExpireTimeMs: Int64?
    /// The secret to take, as in CreateHook, for the present form of the hook; empty lets the
    /// server make one.
    public var secret = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RotateHookSecretRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "hook_id", &hookID)
        visitor.field(4, "old_expire_time_ms", &oldExpireTimeMs)
        visitor.secret(26, "secret", &secret)
    }
}

/// The response of RotateHookSecret.
public struct RotateHookSecretResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The hook, with its secrets, the newest first.
    public var hook: Hook?
    /// The new secret.
    public var secret = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RotateHookSecretResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "hook", &hook)
        visitor.secret(5, "secret", &secret)
        write.visitLast(&visitor)
    }
}

/// The request of ReplayHook.
public struct ReplayHookRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The id of the hook.
    public var hookID = ""
    /// The position after which the events are delivered: a `resume_token` of a hook, of one of its
    /// failures, or of Watch.
    public var resumeToken = ""
    /// The time from which on the events are delivered: not before 1970, and not in the future.
    public var timeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ReplayHookRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "hook_id", &hookID)
        visitor.field(4, "resume_token", &resumeToken)
        visitor.field(5, "time_ms", &timeMs)
    }
}

/// The response of ReplayHook.
public struct ReplayHookResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The hook, with its new position.
    public var hook: Hook?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ReplayHookResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "hook", &hook)
        write.visitLast(&visitor)
    }
}

/// The request of ListHookFailures.
public struct ListHookFailuresRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most failures to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The id of the hook.
    public var hookID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListHookFailuresRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "hook_id", &hookID)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListHookFailures.
public struct ListHookFailuresResponse: CodedMessage, PagedList {
    /// The failures of this page.
    public var failures: [HookFailure] = []
    public var nextPageToken = ""
    /// How many failures the server keeps of the hook: at most 100.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [HookFailure] { failures }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListHookFailuresResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "failures", &failures)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of TestHook.
public struct TestHookRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The id of the hook.
    public var hookID = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.TestHookRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "hook_id", &hookID)
    }
}

/// The response of TestHook.
public struct TestHookResponse: WriteResponse {
    public var write = WriteOutcome()
    /// Whether the receiver confirmed the event, as the form of the hook wants it.
    public var confirmed = false
    /// The status of the receiver's answer, such as 204; 0 if there was none.
    public var status: Int32 = 0
    /// Why the event was not confirmed, in a few words of the server; empty if it was.
    public var cause = ""
    /// How long the receiver took, in milliseconds.
    public var durationMs: Int64 = 0
    /// The id of the event that was sent.
    public var eventID = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.TestHookResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "confirmed", &confirmed)
        visitor.field(5, "status", &status)
        visitor.field(6, "cause", &cause)
        visitor.field(7, "duration_ms", &durationMs)
        visitor.field(8, "event_id", &eventID)
        write.visitLast(&visitor)
    }
}
