public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/presence.proto, where every field is explained.

/// One device of a user.
public struct DevicePresence: Message {
    /// The device's id, as reports name it.
    public var deviceID = ""
    /// The kind of device, as its last report said, such as `ios`.
    ///
    /// RongCloud's platform.
    public var platform = ""
    /// Whether it is online.
    ///
    /// RongCloud's eventValue.
    public var online = false
    /// When the device came online, or went offline.
    ///
    /// RongCloud's changeTime.
    public var changeTimeMs: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        deviceID: String = "", platform: String = "", online: Bool = false, changeTimeMs: Int64 = 0
    ) {
        self.deviceID = deviceID
        self.platform = platform
        self.online = online
        self.changeTimeMs = changeTimeMs
    }
}

extension DevicePresence: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DevicePresence", DevicePresence.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "device_id", &deviceID)
        visitor.field(2, "platform", &platform)
        visitor.field(3, "online", &online)
        visitor.field(4, "change_time_ms", &changeTimeMs)
    }
}

/// Whether a user is online, and on which devices.
public struct Presence: Message {
    /// The user.
    ///
    /// RongCloud's userId.
    public var userID = ""
    /// Whether any device is online.
    ///
    /// RongCloud's isOnline.
    public var online = false
    /// The known devices, in the order of their ids, including those that are offline.
    ///
    /// RongCloud's details.
    public var devices: [DevicePresence] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", online: Bool = false, devices: [DevicePresence] = []) {
        self.userID = userID
        self.online = online
        self.devices = devices
    }
}

extension Presence: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.Presence", Presence.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "online", &online)
        visitor.field(3, "devices", &devices)
    }
}

/// The report about one device.
public struct PresenceReport: Message {
    /// The user.
    public var userID = ""
    /// The device: 1 to 64 bytes.
    public var deviceID = ""
    /// The kind of device: at most 32 bytes; may be empty.
    ///
    /// RongCloud's words are other, ios, android, web, pc, miniweb and harmonyos; any other word is
    /// accepted (ours).
    public var platform = ""
    /// Whether the device is online.
    ///
    /// It must be given, because false reports it offline; without it the item is 30001.
    public var online: Bool?
    /// How many seconds the device stays online unless another report follows: 10 to 3,600.
    ///
    /// Ignored if `online` is false.
    public var leaseSeconds: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", deviceID: String = "", platform: String = "", online: Bool? = nil,
        leaseSeconds: Int64 = 0
    ) {
        self.userID = userID
        self.deviceID = deviceID
        self.platform = platform
        self.online = online
        self.leaseSeconds = leaseSeconds
    }
}

extension PresenceReport: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.PresenceReport", PresenceReport.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "device_id", &deviceID)
        visitor.field(3, "platform", &platform)
        visitor.field(4, "online", &online)
        visitor.field(5, "lease_seconds", &leaseSeconds)
    }
}

/// The request of ReportPresence.
public struct ReportPresenceRequest: Message {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The reports: 1 to 1000 devices.
    ///
    /// If the same device comes twice with other content, the item is 30001.
    public var items: [PresenceReport] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: WriteOptions? = nil, items: [PresenceReport] = []) {
        self.options = options
        self.items = items
    }
}

extension ReportPresenceRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ReportPresenceRequest", ReportPresenceRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of ReportPresence.
public struct ReportPresenceResponse: Message {
    /// Always 0: the call acts for no user, and presence has no sequence.
    public var sequence: Int64 = 0
    /// Whether at least one report was taken.
    ///
    /// False in a dry run, and if `all_or_nothing` held the reports back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each item of the request, in its order.
    ///
    /// `changed` is true for each report that was taken, because it sets the lease anew.
    public var results: [FriendResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [FriendResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension ReportPresenceResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ReportPresenceResponse", ReportPresenceResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of GetPresence.
public struct GetPresenceRequest: Message {
    /// The acting user.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The users whose presence is read: 1 to 1000.
    public var userIDs: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", options: ReadOptions? = nil, userIDs: [String] = []) {
        self.userID = userID
        self.options = options
        self.userIDs = userIDs
    }
}

extension GetPresenceRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetPresenceRequest", GetPresenceRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of GetPresence.
public struct GetPresenceResponse: Message {
    /// One outcome for each id of the request, in its order.
    public var results: [GetPresenceResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(results: [GetPresenceResult] = []) {
        self.results = results
    }
}

extension GetPresenceResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetPresenceResponse", GetPresenceResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The presence of one user.
public struct GetPresenceResult: Message {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    /// The outcome, always set.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""
    /// The presence; only if `code` is 0.
    public var presence: Presence?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", code: FriendStatus? = nil, reason: Reason = .none, info: String = "",
        presence: Presence? = nil
    ) {
        self.userID = userID
        self.code = code
        self.reason = reason
        self.info = info
        self.presence = presence
    }
}

extension GetPresenceResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetPresenceResult", GetPresenceResult.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "presence", &presence)
    }
}
