public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/common.proto, where every field is explained.

/// How a write is carried out.
public struct WriteOptions: CodedMessage {
    /// Makes the write safe to repeat.
    public var requestID = ""
    /// Answers the codes that the write would answer, and writes nothing: `applied` and `changed`
    /// are false.
    public var dryRun = false
    /// Writes nothing at all if one item answers anything but 0 or 30539.
    public var allOrNothing = false
    /// The device that the write comes from.
    public var deviceID = ""
    /// How far the caller knows the list that the call writes: a sequence of the acting user.
    public var expectedSequence: Int64?
    /// Lets a dry run list in `effects` which rows and events the write would make, and what they
    /// cost.
    public var listEffects = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.WriteOptions", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "request_id", &requestID)
        visitor.field(2, "dry_run", &dryRun)
        visitor.field(3, "all_or_nothing", &allOrNothing)
        visitor.field(4, "device_id", &deviceID)
        visitor.field(5, "expected_sequence", &expectedSequence)
        visitor.field(60, "list_effects", &listEffects)
    }
}

/// How a read is carried out.
public struct ReadOptions: CodedMessage {
    /// Makes the read see a change that the caller knows of.
    public var minSequence: MinSequence?
    /// The way of the read if a standby could answer it and is behind.
    public var ifBehind = IfBehind.unspecified
    /// The past moment at which the read looks, in milliseconds since 1970; 0 is now.
    public var asOfMs: Int64 = 0

    public init() {}

    /// Whether the read looks at a past moment.
    package var isPast: Bool { asOfMs != 0 }

    @usableFromInline package static let schema = Schema("relation.v1.ReadOptions", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "min_sequence", &minSequence)
        visitor.field(60, "if_behind", &ifBehind)
        visitor.field(61, "as_of_ms", &asOfMs)
    }
}

/// A change that a read must see.
public struct MinSequence: CodedMessage {
    /// The user whose sequence is meant; empty means the acting user.
    public var userID = ""
    /// A sequence of that user, as the response to a write reported it.
    public var sequence: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.MinSequence", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "sequence", &sequence)
    }
}

/// The outcome for one user of a call that names several.
public struct FriendResult: ResultMessage {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    /// The reason in TIM's form, such as `Err_SNS_FriendAdd_Friend_Exist`; empty if `reason` is
    /// unspecified.
    public var info = ""
    /// Whether the item changed at least one row.
    public var changed = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FriendResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// Why one field is absent from an answer.
public struct FieldAccess: CodedMessage {
    /// The field's path, such as `email` or `custom.Blood`.
    public var field = ""
    /// The reason.
    public var access = FieldAccessState.unspecified

    public init() {}

    package init(_ field: String, _ access: FieldAccessState) {
        self.field = field
        self.access = access
    }

    @usableFromInline package static let schema = Schema("relation.v1.FieldAccess", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "field", &field)
        visitor.field(2, "access", &access)
    }
}

/// Several strings in the place of one value.
///
/// As a message, an absent list and an empty list differ.
public struct StringList: CodedMessage {
    /// The strings, in order.
    public var values: [String] = []

    public init() {}

    /// Creates the message of these strings.
    public init(_ values: [String]) {
        self.values = values
    }

    @usableFromInline package static let schema = Schema("relation.v1.StringList", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "values", &values)
    }
}

/// One field of a friend or a profile, under its name in TIM's interfaces.
public struct TagValue: CodedMessage {
    /// The field's name in TIM's server, such as `Tag_SNS_IM_Remark` or `Tag_Profile_IM_Nick`, or
    /// in TIM's client, such as `TIMFriendTypeKey_Remark` or `TIMProfileTypeKey_Nick`.
    public var tag = ""
    /// The new value, of the kind that belongs to the tag.
    public var value: Value?

    public init() {}

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

    @usableFromInline package static let schema = Schema("relation.v1.TagValue", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "tag", &tag)
        visitor.oneof("value", &value)
    }
}

/// The outcome of one row of an import.
public struct ImportRowResult: ResultMessage {
    /// The row's number: the first row of the stream is 1.
    public var rowNumber: Int64 = 0
    /// The row's `user_id`, as it was sent; at most the first 256 bytes of a malformed one.
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ImportRowResult", Self.self)

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
public struct ImportProgress: CodedMessage {
    /// How many rows were received.
    public var received: Int64 = 0
    /// How many rows were accepted, including those that changed nothing.
    public var accepted: Int64 = 0
    /// How many rows were refused.
    public var refused: Int64 = 0
    /// Every row up to this number is answered, and is durable if it was accepted.
    public var lastDurableRow: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ImportProgress", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "received", &received)
        visitor.field(2, "accepted", &accepted)
        visitor.field(3, "refused", &refused)
        visitor.field(4, "last_durable_row", &lastDurableRow)
    }
}
