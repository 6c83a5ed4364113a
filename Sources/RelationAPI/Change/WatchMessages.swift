public import Protobuf
public import RelationModel

// The messages of Watch in proto/relation/v1/change.proto, where every field is explained.

/// The request of Watch.
public struct WatchRequest: Message, Equatable {
    public var userID = ""
    public var options: ReadOptions?
    public var userIDs: [String] = []
    public var app = false
    public var clientAppID = ""
    public var kinds: [ChangeKind] = []
    public var deviceID = ""
    public var resumeToken = ""
    public var heartbeatMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.WatchRequest", WatchRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "app", &app)
        visitor.field(5, "client_app_id", &clientAppID)
        visitor.field(6, "kinds", &kinds)
        visitor.field(7, "device_id", &deviceID)
        visitor.field(8, "resume_token", &resumeToken)
        visitor.field(9, "heartbeat_ms", &heartbeatMs)
    }
}

/// A message of Watch.
public struct WatchResponse: Message {
    public var resumeToken = ""
    public var event: Encoded<ChangeEvent>?
    public var userIDs: [String] = []
    public var missingUserIDs: [String] = []

    public init() {}

    public static let schema = Schema("relation.v1.WatchResponse", WatchResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "resume_token", &resumeToken)
        visitor.field(2, "event", &event)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "missing_user_ids", &missingUserIDs)
    }
}
