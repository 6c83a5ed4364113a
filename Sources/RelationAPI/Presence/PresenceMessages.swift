public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/presence.proto, where every field is explained.

/// One device of a user, and when it was last seen.
public struct DevicePresence: CodedMessage {
    /// The device's id, as reports name it.
    public var deviceID = ""
    /// The kind of device, as its last report said, such as `ios`.
    public var platform = ""
    /// Whether it is online now.
    public var online = false
    /// When the device came online; if it is offline, when it was last seen.
    public var changeTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.DevicePresence", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "device_id", &deviceID)
        visitor.field(2, "platform", &platform)
        visitor.field(3, "online", &online)
        visitor.field(4, "change_time_ms", &changeTimeMs)
    }
}

/// Whether a user is online, and on which devices.
public struct Presence: CodedMessage {
    /// The user.
    public var userID = ""
    /// Whether any device is online.
    public var online = false
    /// The known devices, in the order of their ids, including those that are offline: at most 20.
    public var devices: [DevicePresence] = []
    /// The custom status that SetStatus set; empty if there is none, or if it has ended.
    public var statusText = ""
    /// When the custom status ends; 0 if it holds until it is changed, and if there is none.
    public var statusExpireTimeMs: Int64 = 0
    /// When the user was last seen online.
    public var lastSeenTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Presence", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "online", &online)
        visitor.field(3, "devices", &devices)
        visitor.field(4, "status_text", &statusText)
        visitor.field(5, "status_expire_time_ms", &statusExpireTimeMs)
        visitor.field(6, "last_seen_time_ms", &lastSeenTimeMs)
    }
}

/// The report about one device.
public struct PresenceReport: CodedMessage {
    /// The user.
    public var userID = ""
    /// The device: 1 to 64 bytes.
    public var deviceID = ""
    /// The kind of device: at most 32 bytes; may be empty.
    public var platform = ""
    /// Whether the device is online.
    public var online: Bool?
    /// How many seconds the device stays online unless another report follows: 10 to 3,600, counted
    /// from `report_time_ms`.
    public var leaseSeconds: Int64 = 0
    /// When the device came, stayed or went, by the clock of the server that holds its connection.
    public var reportTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.PresenceReport", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "device_id", &deviceID)
        visitor.field(3, "platform", &platform)
        visitor.field(4, "online", &online)
        visitor.field(5, "lease_seconds", &leaseSeconds)
        visitor.field(6, "report_time_ms", &reportTimeMs)
    }
}

/// The request of ReportPresence.
public struct ReportPresenceRequest: AppWriteRequest, ItemsRequest {
    public var options: WriteOptions?
    /// The reports: 1 to 1000 devices.
    public var items: [PresenceReport] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ReportPresenceRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.ReportPresenceResponse", ReportPresenceResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of ReportPresence, whose `applied` says whether at least one report was taken.
public typealias ReportPresenceResponse = ItemsAnswer<ReportPresenceRequest, FriendResult>

/// The request of GetPresence.
public struct GetPresenceRequest: UserReadRequest, NamingReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    /// The users whose presence is read: 1 to 1000.
    public var userIDs: [String] = []
    /// Answers the true presence, as no user may see it, and acts for the app.
    public var unmasked = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetPresenceRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "unmasked", &unmasked)
    }

    package static let users = NamedUsers(schema, rows: 6)

    package var actsForApp: Bool { unmasked }
}

/// The response of GetPresence.
public struct GetPresenceResponse: CodedMessage {
    /// One outcome for each id of the request, in its order.
    public var results: [GetPresenceResult] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetPresenceResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The presence of one user.
public struct GetPresenceResult: ResultMessage {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// The presence; only if `code` is 0.
    public var presence: Presence?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.GetPresenceResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "presence", &presence)
    }
}
