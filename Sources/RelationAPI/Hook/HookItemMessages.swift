public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/hook.proto, where every field is explained.

/// A webhook of an app.
public struct Hook: CodedMessage {
    /// The hook's id, which the server chose: 16 letters and digits.
    public var hookID = ""
    /// The name of the hook, for people: at most 128 bytes; may be empty.
    public var name = ""
    /// The URL to which its events go.
    public var url = ""
    /// The kinds of events that it gets; none means all kinds.
    public var kinds: [ChangeKind] = []
    /// The form of its requests.
    public var form = HookForm.unspecified
    /// The most events of one request.
    public var batchSize: Int32 = 0
    /// Whether it gets only events that have an `actor_user_id`: none that calls for the app have
    /// made, such as imports, and none that no call has made.
    public var usersOnly = false
    /// Whether it gets events.
    public var state = HookState.unspecified
    /// When it was made.
    public var createTimeMs: Int64 = 0
    /// The secrets that sign its requests, the newest first, without the secret texts.
    public var secrets: [AppSecretDescription] = []
    /// The position up to which all events were delivered, as far as it is stored: a token that
    /// Watch and ReplayHook take.
    public var resumeToken = ""
    /// How many events of the app are after that position, including those of kinds that the hook
    /// does not get.
    public var behind: Int64 = 0
    /// When a request was confirmed last; 0 if none was.
    public var deliveryTimeMs: Int64 = 0
    /// Since when no request was confirmed and some have failed; 0 if the last request was
    /// confirmed.
    public var failingSinceMs: Int64 = 0
    /// When the server stopped it; 0 if it has not.
    public var stopTimeMs: Int64 = 0
    /// The kinds of calls that it is asked about, in the order of their numbers.
    public var asks: [HookQuestion] = []
    /// The meaning of no answer.
    public var silence = HookSilence.unspecified
    /// How long the server waits for an answer.
    public var askTimeoutMs: Int64 = 0
    /// Whether it is only asked, and gets no events.
    public var asksOnly = false
    /// When TestHook tested it last; 0 if it never did.
    public var testTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Hook", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "hook_id", &hookID)
        visitor.field(2, "name", &name)
        visitor.field(3, "url", &url)
        visitor.field(4, "kinds", &kinds)
        visitor.field(5, "form", &form)
        visitor.field(6, "batch_size", &batchSize)
        visitor.field(7, "users_only", &usersOnly)
        visitor.field(8, "state", &state)
        visitor.field(9, "create_time_ms", &createTimeMs)
        visitor.field(10, "secrets", &secrets)
        visitor.field(11, "resume_token", &resumeToken)
        visitor.field(12, "behind", &behind)
        visitor.field(13, "delivery_time_ms", &deliveryTimeMs)
        visitor.field(14, "failing_since_ms", &failingSinceMs)
        visitor.field(15, "stop_time_ms", &stopTimeMs)
        visitor.field(20, "asks", &asks)
        visitor.field(21, "silence", &silence)
        visitor.field(22, "ask_timeout_ms", &askTimeoutMs)
        visitor.field(23, "asks_only", &asksOnly)
        visitor.field(28, "test_time_ms", &testTimeMs)
    }
}

/// A failed request of a hook.
public struct HookFailure: CodedMessage {
    /// The number of the failure: later ones have higher numbers.
    public var number: Int64 = 0
    /// When it failed.
    public var timeMs: Int64 = 0
    /// The user in whose log the events are; empty if the request had events of several users.
    public var userID = ""
    /// How many events the request had; 0 if it was a question.
    public var events: Int32 = 0
    /// The id of its first event, or of the question.
    public var eventID = ""
    /// How often these events had been sent, this time included.
    public var attempt: Int32 = 0
    /// The status of the answer, such as 500, or of gRPC, such as 14; 0 if there was none.
    public var status: Int32 = 0
    /// Why it failed, in a few words of the server.
    public var cause = ""
    /// Whether the first event was given up: it is not sent again, unless ReplayHook goes back to
    /// it.
    public var givenUp = false
    /// The position before its events: a token with which ReplayHook sends them again, and all that
    /// come after them.
    public var resumeToken = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.HookFailure", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "number", &number)
        visitor.field(2, "time_ms", &timeMs)
        visitor.field(3, "user_id", &userID)
        visitor.field(4, "events", &events)
        visitor.field(5, "event_id", &eventID)
        visitor.field(6, "attempt", &attempt)
        visitor.field(7, "status", &status)
        visitor.field(8, "cause", &cause)
        visitor.field(9, "given_up", &givenUp)
        visitor.field(10, "resume_token", &resumeToken)
    }
}

/// Kinds of calls that a hook is asked about.
public struct HookQuestions: CodedMessage {
    /// The kinds.
    public var values: [HookQuestion] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.HookQuestions", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "values", &values)
    }
}

/// Kinds of events.
public struct ChangeKinds: CodedMessage {
    /// The kinds.
    public var values: [ChangeKind] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ChangeKinds", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "values", &values)
    }
}
