public import Protobuf

// The messages of proto/relation/v1/common.proto that tell what a dry run would write.

/// The rows and events that a write would make, as a dry run tells them to an administrator or an
/// operator.
public struct WriteEffects: CodedMessage {
    /// The rows that would be others: the first 500, in the order in which the write touches them.
    public var rows: [RowEffect] = []
    /// The events that would be made: the first 500, in the order of the app's feed.
    public var events: [EventEffect] = []
    /// Whether rows or events are left out.
    public var cut = false
    /// How many rows would be others.
    public var rowCount: Int64 = 0
    /// The bytes of their keys and values.
    public var rowBytes: Int64 = 0
    /// How many events would be made.
    public var eventCount: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.WriteEffects", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "rows", &rows)
        visitor.field(2, "events", &events)
        visitor.field(3, "cut", &cut)
        visitor.field(4, "row_count", &rowCount)
        visitor.field(5, "row_bytes", &rowBytes)
        visitor.field(6, "event_count", &eventCount)
    }
}

/// A row that a write would make, change or remove.
public struct RowEffect: CodedMessage {
    /// The app of the row; 0 for the list of the apps.
    public var appID: UInt32 = 0
    /// The name of its table, such as `friends`.
    public var table = ""
    /// The user whose row it is; empty for a row of the app as a whole.
    public var ownerUserID = ""
    /// The rest of its key in words; empty if there is one such row.
    public var key = ""
    /// Whether the row would be removed.
    public var deleted = false
    /// The bytes of its key and its value; of its key alone if it would be removed.
    public var bytes: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.RowEffect", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app_id", &appID)
        visitor.field(2, "table", &table)
        visitor.field(3, "owner_user_id", &ownerUserID)
        visitor.field(4, "key", &key)
        visitor.field(5, "deleted", &deleted)
        visitor.field(6, "bytes", &bytes)
    }
}

/// An event that a write would make.
public struct EventEffect: CodedMessage {
    /// The user in whose log it would be; for an event of the app's feed alone, the user that it is
    /// about.
    public var userID = ""
    /// Its sequence in that log; 0 for an event of the app's feed alone.
    public var sequence: Int64 = 0
    /// Its kind, by its name in ChangeKind.
    public var kind = ""
    /// How many items it would have.
    public var itemCount: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.EventEffect", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "sequence", &sequence)
        visitor.field(3, "kind", &kind)
        visitor.field(4, "item_count", &itemCount)
    }
}
