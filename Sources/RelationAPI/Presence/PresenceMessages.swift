public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/presence.proto, where every field is explained.

/// One device of a user.
public struct DevicePresence: Message, Equatable {
    public var deviceID = ""
    public var platform = ""
    public var online = false
    public var changeTimeMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.DevicePresence", DevicePresence.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "device_id", &deviceID)
        visitor.field(2, "platform", &platform)
        visitor.field(3, "online", &online)
        visitor.field(4, "change_time_ms", &changeTimeMs)
    }
}

/// Whether a user is online, and on which devices.
public struct Presence: Message, Equatable {
    public var userID = ""
    public var online = false
    public var devices: [DevicePresence] = []

    public init() {}

    public static let schema = Schema("relation.v1.Presence", Presence.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "online", &online)
        visitor.field(3, "devices", &devices)
    }
}

/// The report about one device.
public struct PresenceReport: Message, Equatable {
    public var userID = ""
    public var deviceID = ""
    public var platform = ""
    public var online: Bool?
    public var leaseSeconds: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.PresenceReport", PresenceReport.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "device_id", &deviceID)
        visitor.field(3, "platform", &platform)
        visitor.field(4, "online", &online)
        visitor.field(5, "lease_seconds", &leaseSeconds)
    }
}

/// The request of ReportPresence.
public struct ReportPresenceRequest: Message, AppWriteRequest {
    public var options: WriteOptions?
    public var items: [PresenceReport] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.ReportPresenceRequest", ReportPresenceRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of ReportPresence.
public struct ReportPresenceResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.ReportPresenceResponse", ReportPresenceResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of GetPresence.
public struct GetPresenceRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema("relation.v1.GetPresenceRequest", GetPresenceRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of GetPresence.
public struct GetPresenceResponse: Message {
    public var results: [GetPresenceResult] = []

    public init() {}

    public static let schema = Schema("relation.v1.GetPresenceResponse", GetPresenceResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The presence of one user.
public struct GetPresenceResult: Message, Equatable {
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    public var presence: Presence?

    public init() {}

    public static let schema = Schema("relation.v1.GetPresenceResult", GetPresenceResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "presence", &presence)
    }
}
