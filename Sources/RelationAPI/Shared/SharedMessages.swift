public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/common.proto, where every field is explained.

/// How a write is carried out.
public struct WriteOptions: Message, Equatable {
    public var requestID = ""
    public var dryRun = false
    public var allOrNothing = false
    public var deviceID = ""

    public init() {}

    public static let schema = Schema("relation.v1.WriteOptions", WriteOptions.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "request_id", &requestID)
        visitor.field(2, "dry_run", &dryRun)
        visitor.field(3, "all_or_nothing", &allOrNothing)
        visitor.field(4, "device_id", &deviceID)
    }
}

/// How a read is carried out.
public struct ReadOptions: Message, Equatable {
    public var minSequence: MinSequence?

    public init() {}

    public static let schema = Schema("relation.v1.ReadOptions", ReadOptions.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "min_sequence", &minSequence)
    }
}

/// A change that a read must see.
public struct MinSequence: Message, Equatable {
    public var userID = ""
    public var sequence: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.MinSequence", MinSequence.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "sequence", &sequence)
    }
}

/// The outcome for one user of a call that names several.
public struct FriendResult: Message, Equatable {
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    public var changed = false

    public init() {}

    public static let schema = Schema("relation.v1.FriendResult", FriendResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// Why one field is absent from an answer.
public struct FieldAccess: Message, Equatable {
    public var field = ""
    public var access = FieldAccessState.unspecified

    public init() {}

    public init(_ field: String, _ access: FieldAccessState) {
        self.field = field
        self.access = access
    }

    public static let schema = Schema("relation.v1.FieldAccess", FieldAccess.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "field", &field)
        visitor.field(2, "access", &access)
    }
}

/// Several strings in the place of one value.
///
/// As a message, an absent list and an empty list differ.
public struct StringList: Message, Equatable {
    public var values: [String] = []

    public init() {}

    public static let schema = Schema("relation.v1.StringList", StringList.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "values", &values)
    }
}

/// One field of a friend or a profile, under its name in TIM's interfaces.
public struct TagValue: Message, Equatable {
    public var tag = ""
    public var value: Value?

    public init() {}

    public static let schema = Schema("relation.v1.TagValue", TagValue.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "tag", &tag)
        visitor.oneof("value", &value)
    }

    /// The value, in one of the kinds that a tag may have.
    public enum Value: OneOf, Equatable {
        case text(String)
        case texts(StringList)
        case data([UInt8])
        case number(UInt64)

        public static func visit(_ value: inout Value?, _ cases: inout some OneOfVisitor) {
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

/// The outcome of one row of an import.
public struct ImportRowResult: Message, Equatable {
    public var rowNumber: Int64 = 0
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""

    public init() {}

    public static let schema = Schema("relation.v1.ImportRowResult", ImportRowResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
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
public struct ImportProgress: Message, Equatable {
    public var received: Int64 = 0
    public var accepted: Int64 = 0
    public var refused: Int64 = 0
    public var lastDurableRow: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.ImportProgress", ImportProgress.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "received", &received)
        visitor.field(2, "accepted", &accepted)
        visitor.field(3, "refused", &refused)
        visitor.field(4, "last_durable_row", &lastDurableRow)
    }
}
