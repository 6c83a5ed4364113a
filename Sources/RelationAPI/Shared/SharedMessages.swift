public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/common.proto, where every field is explained.

/// How a write is carried out.
public struct WriteOptions: Message {
    /// Makes the write safe to repeat.
    ///
    /// A second write of the same app and acting user under the same id within 24 hours gets the
    /// answer of the first one, and changes nothing. If its body differs, it is INVALID_ARGUMENT,
    /// reason REQUEST_ID_REUSED. At most 64 bytes; empty means none. The latest 10,000 ids of a
    /// user are kept.
    public var requestID = ""
    /// Answers the codes that the write would answer, and writes nothing: `applied` and `changed`
    /// are false.
    public var dryRun = false
    /// Writes nothing at all if one item answers anything but 0 or 30539.
    ///
    /// Every item still answers as it would alone, and `applied` is false. If items pass a limit
    /// only together, each item that would be accepted alone answers the code of that limit.
    public var allOrNothing = false
    /// The device that the write comes from.
    ///
    /// The user's other devices learn it with the change. At most 64 bytes; empty means unknown.
    public var deviceID = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        requestID: String = "", dryRun: Bool = false, allOrNothing: Bool = false,
        deviceID: String = ""
    ) {
        self.requestID = requestID
        self.dryRun = dryRun
        self.allOrNothing = allOrNothing
        self.deviceID = deviceID
    }
}

extension WriteOptions: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.WriteOptions", WriteOptions.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "request_id", &requestID)
        visitor.field(2, "dry_run", &dryRun)
        visitor.field(3, "all_or_nothing", &allOrNothing)
        visitor.field(4, "device_id", &deviceID)
    }
}

/// How a read is carried out.
public struct ReadOptions: Message {
    /// Makes the read wait for a change that the caller knows of.
    public var minSequence: MinSequence?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(minSequence: MinSequence? = nil) {
        self.minSequence = minSequence
    }
}

extension ReadOptions: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ReadOptions", ReadOptions.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "min_sequence", &minSequence)
    }
}

/// A change that a read must see.
public struct MinSequence: Message {
    /// The user whose sequence is meant; empty means the acting user.
    public var userID = ""
    /// A sequence of that user, as the response to a write told it.
    public var sequence: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", sequence: Int64 = 0) {
        self.userID = userID
        self.sequence = sequence
    }
}

extension MinSequence: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.MinSequence", MinSequence.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "sequence", &sequence)
    }
}

/// The outcome for one user of a call that names several.
public struct FriendResult: Message {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    ///
    /// TIM's `identifier`.
    public var userID = ""
    /// The outcome, always set.
    ///
    /// TIM's `result_code`.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The reason in TIM's form, such as `Err_SNS_FriendAdd_Friend_Exist`; empty if `reason` is
    /// unspecified.
    ///
    /// TIM's `result_info`.
    public var info = ""
    /// Whether the item changed at least one row.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back. An account that is
    /// made because the item names its user does not count.
    public var changed = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", code: FriendStatus? = nil, reason: Reason = .none, info: String = "",
        changed: Bool = false
    ) {
        self.userID = userID
        self.code = code
        self.reason = reason
        self.info = info
        self.changed = changed
    }
}

extension FriendResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.FriendResult", FriendResult.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// Why one field is absent from an answer.
public struct FieldAccess: Message {
    /// The field's path, such as `email` or `custom.Blood`.
    public var field = ""
    /// The reason.
    public var access = FieldAccessState.unspecified

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(field: String = "", access: FieldAccessState = .unspecified) {
        self.field = field
        self.access = access
    }

    package init(_ field: String, _ access: FieldAccessState) {
        self.field = field
        self.access = access
    }
}

extension FieldAccess: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.FieldAccess", FieldAccess.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "field", &field)
        visitor.field(2, "access", &access)
    }
}

/// Several strings in the place of one value.
///
/// As a message, an absent list and an empty list differ.
public struct StringList: Message {
    /// The strings, in order.
    public var values: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(values: [String] = []) {
        self.values = values
    }
}

extension StringList: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.StringList", StringList.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "values", &values)
    }
}

/// One field of a friend or a profile, under its name in TIM's interfaces.
public struct TagValue: Message {
    /// The field's name in TIM's server, such as `Tag_SNS_IM_Remark` or `Tag_Profile_IM_Nick`, or
    /// in TIM's client, such as `TIMFriendTypeKey_Remark` or `TIMProfileTypeKey_Nick`.
    public var tag = ""
    /// The new value, of the kind that belongs to the tag.
    ///
    /// A tag without a value, or with one of a kind that this server does not know, is refused like
    /// a value of the wrong kind.
    public var value: Value?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(tag: String = "", value: Value? = nil) {
        self.tag = tag
        self.value = value
    }

    /// The value, in one of the kinds that a tag may have.
    public enum Value: OneOf {
        /// A text, or the word for the value of an enum, such as `AllowType_Type_NeedConfirm`.
        case text(String)
        /// Several texts: the groups of a friend.
        case texts(StringList)
        /// Bytes: a location or a self signature.
        case data([UInt8])
        /// A number, or the number of the value of an enum.
        case number(UInt64)

        @usableFromInline package static func visit(
            _ value: inout Value?, _ cases: inout some OneOfVisitor
        ) {
            cases.field(
                2, "text", &value,
                { if case .text(let text) = $0 { text } else { nil } }, Value.text)
            cases.field(
                3, "texts", &value,
                { if case .texts(let texts) = $0 { texts } else { nil } }, Value.texts)
            cases.field(
                4, "data", &value,
                { if case .data(let data) = $0 { data } else { nil } }, Value.data)
            cases.field(
                5, "number", &value,
                { if case .number(let number) = $0 { number } else { nil } }, Value.number)
        }
    }
}

extension TagValue: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.TagValue", TagValue.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "tag", &tag)
        visitor.oneof("value", &value)
    }
}

/// The outcome of one row of an import.
public struct ImportRowResult: Message {
    /// The row's number: the first row of the stream is 1.
    public var rowNumber: Int64 = 0
    /// The row's `user_id`, as it was sent; at most the first 256 bytes of a malformed one.
    public var userID = ""
    /// The outcome, always set.
    ///
    /// A refused row changes nothing, and the import goes on with the rows after it.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        rowNumber: Int64 = 0, userID: String = "", code: FriendStatus? = nil,
        reason: Reason = .none, info: String = ""
    ) {
        self.rowNumber = rowNumber
        self.userID = userID
        self.code = code
        self.reason = reason
        self.info = info
    }
}

extension ImportRowResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportRowResult", ImportRowResult.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "row_number", &rowNumber)
        visitor.field(2, "user_id", &userID)
        visitor.field(3, "code", &code)
        visitor.field(4, "reason", &reason)
        visitor.field(5, "info", &info)
    }
}

/// How far an import has come.
///
/// It is sent after every 1,000 rows, after every second even if no rows came in it, and at the
/// end.
public struct ImportProgress: Message {
    /// How many rows were received.
    ///
    /// All numbers here include the rows of earlier streams of the same import.
    public var received: Int64 = 0
    /// How many rows were accepted, including those that changed nothing.
    public var accepted: Int64 = 0
    /// How many rows were refused.
    public var refused: Int64 = 0
    /// Every row up to this number is answered, and is durable if it was accepted.
    ///
    /// A broken import goes on after it with a new stream. The new stream has the same `import_id`,
    /// and the next row as its `first_row`; or it has no `import_id`, and its rows are numbered
    /// from 1 again.
    public var lastDurableRow: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        received: Int64 = 0, accepted: Int64 = 0, refused: Int64 = 0, lastDurableRow: Int64 = 0
    ) {
        self.received = received
        self.accepted = accepted
        self.refused = refused
        self.lastDurableRow = lastDurableRow
    }
}

extension ImportProgress: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportProgress", ImportProgress.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "received", &received)
        visitor.field(2, "accepted", &accepted)
        visitor.field(3, "refused", &refused)
        visitor.field(4, "last_durable_row", &lastDurableRow)
    }
}
