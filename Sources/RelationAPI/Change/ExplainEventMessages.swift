public import Protobuf
public import RelationModel

// The messages of the call of proto/relation/v1/change.proto that explains an event, where every
// field is explained.

/// The request of ExplainEvent.
public struct ExplainEventRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The user whom the stream follows.
    public var fromUserID = ""
    /// The user in whose log the event is; it may be the same.
    public var toUserID = ""
    /// The sequence of the event in that log, 1 or more; 0 to explain any event of `kind`.
    public var sequence: Int64 = 0
    /// The kind of event, without a look at fields.
    public var kind = ChangeKind.unspecified

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainEventRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "from_user_id", &fromUserID)
        visitor.field(4, "to_user_id", &toUserID)
        visitor.field(5, "sequence", &sequence)
        visitor.field(6, "kind", &kind)
    }

    /// Each field of the event may ask for rows of its own.
    package var readSize: ReadSize { .scan }
}

/// The response of ExplainEvent.
public struct ExplainEventResponse: ResultMessage {
    /// The outcome, always set.
    public var code: FriendStatus?
    /// The reason of the code; unspecified if there is nothing more to say.
    public var reason = Reason.none
    public var info = ""
    /// Whether the event comes to the stream, if that asks for its kind.
    public var comes = false
    /// The kind of the event.
    public var kind = ChangeKind.unspecified
    /// The rungs in the order in which the rules looked at them, up to the one that decides.
    public var rungs: [Rung] = []
    /// The fields that the event with `sequence` reports, with the rungs by which they are shown or
    /// hidden: fields of the profile and, of the stream's own user, custom fields of friends.
    public var fields: [ExplainedField] = []
    /// The version of the app whose settings counted, as GetApp has it; 0 if the server has none.
    public var appVersion: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainEventResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "comes", &comes)
        visitor.field(5, "kind", &kind)
        visitor.field(6, "rungs", &rungs)
        visitor.field(7, "fields", &fields)
        visitor.field(8, "app_version", &appVersion)
    }
}
