public import Protobuf
public import RelationModel

// The messages of SetStatus in proto/relation/v1/presence.proto, where every field is explained.

/// The request of SetStatus.
public struct SetStatusRequest: WriteRequest {
    /// The acting user, whose status is set.
    public var userID = ""
    public var options: WriteOptions?
    /// The new status; empty clears it.
    public var text = ""
    /// How many seconds the status holds: at most 31,536,000, a year.
    public var expirySeconds: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.SetStatusRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "text", &text)
        visitor.field(4, "expiry_seconds", &expirySeconds)
    }
}

/// The response of SetStatus.
public struct SetStatusResponse: WriteResponse, ResultMessage {
    public var write = WriteOutcome()
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// When the new status ends; 0 if it holds until it is changed.
    public var statusExpireTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.SetStatusResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "code", &code)
        visitor.field(5, "reason", &reason)
        visitor.field(6, "info", &info)
        visitor.field(7, "status_expire_time_ms", &statusExpireTimeMs)
        write.visitLast(&visitor)
    }
}
