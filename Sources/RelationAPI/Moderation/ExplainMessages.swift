public import Protobuf
public import RelationModel

// The messages of the calls of proto/relation/v1/moderation.proto that explain answers, where every
// field is explained.

/// A row at which a rung looked.
public struct RungRow: CodedMessage {
    /// The user whose row it is.
    public var ownerUserID = ""
    /// The other user that the row is about; empty for a row about its owner alone.
    public var otherUserID = ""
    /// Whether there is such a row.
    public var present = false
    /// The version of the row: the owner's sequence when it changed last.
    public var sequence: Int64 = 0
    /// When the row was made; 0 if it is not present, or does not say.
    public var addTimeMs: Int64 = 0
    /// When a suspension ends or, in PEER_MARKS, when the muting does; 0 for no end, or no muting.
    public var endTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.RungRow", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "owner_user_id", &ownerUserID)
        visitor.field(2, "other_user_id", &otherUserID)
        visitor.field(3, "present", &present)
        visitor.field(4, "sequence", &sequence)
        visitor.field(5, "add_time_ms", &addTimeMs)
        visitor.field(6, "end_time_ms", &endTimeMs)
    }
}

/// One rung of the ladder of a rule.
public struct Rung: CodedMessage {
    /// The question.
    public var kind = RungKind.unspecified
    /// Whether the rule ended here: this rung gave the code.
    public var decided = false
    /// The rows at which it looked.
    public var rows: [RungRow] = []
    /// The setting of the app on which it depends, by its name in AppSettings; may be empty.
    public var setting = ""
    /// Whether that setting is on.
    public var settingOn = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Rung", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "kind", &kind)
        visitor.field(2, "decided", &decided)
        visitor.field(3, "rows", &rows)
        visitor.field(4, "setting", &setting)
        visitor.field(5, "setting_on", &settingOn)
    }
}

/// The request of ExplainSend.
public struct ExplainSendRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The sender.
    public var fromUserID = ""
    /// The receiver.
    public var toUserID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainSendRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "from_user_id", &fromUserID)
        visitor.field(4, "to_user_id", &toUserID)
    }

    /// The rows at which the rule looks, and those that tell their versions.
    package var readSize: ReadSize { .items(1, rows: 12) }
}

/// The response of ExplainSend.
public struct ExplainSendResponse: ResultMessage {
    /// The code that CanSend answers, always set.
    public var code: SendStatus?
    /// The reason of the code; unspecified if there is nothing more to say.
    public var reason = Reason.none
    public var info = ""
    /// `muted` of CanSend's answer.
    public var muted = false
    /// `ignored` of CanSend's answer.
    public var ignored = false
    /// The rungs in the order in which the rule looked at them, up to the one that decides, and
    /// PEER_MARKS if the message may be sent.
    public var rungs: [Rung] = []
    /// The version of the app whose settings counted, as GetApp has it; 0 if the server has none.
    public var appVersion: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainSendResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "muted", &muted)
        visitor.field(5, "ignored", &ignored)
        visitor.field(6, "rungs", &rungs)
        visitor.field(7, "app_version", &appVersion)
    }
}
