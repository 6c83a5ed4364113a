public import Protobuf
public import RelationModel

// The messages of Watch in proto/relation/v1/change.proto, where every field is explained.

/// The request of Watch.
public struct WatchRequest: Message {
    /// The acting user, whose changes are followed.
    ///
    /// Empty for a stream of several users or of the app.
    public var userID = ""
    /// How the stream begins: `min_sequence` is read then.
    public var options: ReadOptions?
    /// Instead of `user_id`: several users to follow, 1 to 1,000.
    ///
    /// Needs a service credential. Users that are no accounts are named in `missing_user_ids` of
    /// the response.
    public var userIDs: [String] = []
    /// Instead of users: the whole app.
    ///
    /// Needs a service credential.
    public var app = false
    /// For the app: tells only the permissions of users for this client app, as CONSENT_CHANGED.
    public var clientAppID = ""
    /// The kinds of events to tell, and with them the part of the present state that they change:
    /// up to 64; none means all.
    ///
    /// STATE, SYNC_COMPLETED and RESYNC come whenever they are due.
    public var kinds: [ChangeKind] = []
    /// The device that the stream is for.
    ///
    /// At most 64 bytes. A stream of one user skips each SUBSCRIPTION_CHANGED that this device
    /// itself caused. RongCloud's "on other devices".
    public var deviceID = ""
    /// Where to go on: the last `resume_token` that was received, or that of the ErrorInfo with
    /// which the stream ended.
    ///
    /// It may be of any stream of the same app. Empty begins with the present state. A text that is
    /// no token of the app is INVALID_ARGUMENT, reason INVALID_RESUME_TOKEN.
    public var resumeToken = ""
    /// After how much silence a message without an event is sent: 1,000 to 600,000 ms, exact to a
    /// second; 0 sends none.
    ///
    /// With its token, the next stream need not look again at events that were not for this one.
    public var heartbeatMs: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, userIDs: [String] = [], app: Bool = false,
        clientAppID: String = "", kinds: [ChangeKind] = [], deviceID: String = "",
        resumeToken: String = "", heartbeatMs: Int64 = 0
    ) {
        self.userID = userID
        self.options = options
        self.userIDs = userIDs
        self.app = app
        self.clientAppID = clientAppID
        self.kinds = kinds
        self.deviceID = deviceID
        self.resumeToken = resumeToken
        self.heartbeatMs = heartbeatMs
    }
}

extension WatchRequest: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.WatchRequest", WatchRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
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
public typealias WatchResponse = WatchResponseForm<ChangeEvent>

/// ``WatchResponse`` as the service has it: its rows are kept as their bytes.
package typealias WatchResponseView = WatchResponseForm<Encoded<ChangeEvent>>

/// A message of Watch.
///
/// A client has ``WatchResponse``, whose rows are of type ``ChangeEvent``.
public struct WatchResponseForm<Row: Message>: Message {
    /// Where to go on after this message.
    ///
    /// Empty in the present state, because a stream cannot go on within it.
    public var resumeToken = ""
    /// The event.
    ///
    /// Absent in a heartbeat, in the message that ends the missed events, and in a message that
    /// only names missing users. A message of a newer kind has none either: a client keeps the
    /// token that comes without an event, and does nothing else.
    public var event: Row?
    /// In a stream of several users, the users that an event about another user is for.
    ///
    /// Empty for the events of logs, which name their user.
    public var userIDs: [String] = []
    /// In a stream of several users, those of them that are no accounts.
    ///
    /// The first message, or the one after RESYNC, names those that are no accounts when the stream
    /// begins. A later message names each user that is deleted. The stream goes on with the others,
    /// and tells of a missing user from its ACCOUNT_CREATED on.
    public var missingUserIDs: [String] = []

    @inlinable public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    @inlinable public init(
        resumeToken: String = "", event: Row? = nil, userIDs: [String] = [],
        missingUserIDs: [String] = []
    ) {
        self.resumeToken = resumeToken
        self.event = event
        self.userIDs = userIDs
        self.missingUserIDs = missingUserIDs
    }
}

extension WatchResponseForm: CodedMessage where Row: CodedRow {
    @usableFromInline package static var schema: Schema { watchResponse.schema(Row.self) }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "resume_token", &resumeToken)
        visitor.row(2, "event", &event)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "missing_user_ids", &missingUserIDs)
    }
}

private let watchResponse = FormSchemas(
    "relation.v1.WatchResponse", WatchResponse.self, WatchResponseView.self)
