public import Protobuf
public import RelationModel

// The messages of Watch in proto/relation/v1/change.proto, where every field is explained.

/// The request of Watch.
public struct WatchRequest: CodedMessage {
    /// The users whose changes are followed.
    public var scope: Scope?
    /// How the stream begins: `min_sequence` is read then.
    public var options: ReadOptions?
    /// For the app: reports only the permissions of users for this client app, as CONSENT_CHANGED.
    public var clientAppID = ""
    /// The kinds of events to report, and with them the part of the present state that they change:
    /// up to 64; none means all.
    public var kinds: [ChangeKind] = []
    /// The device that the stream is for.
    public var deviceID = ""
    /// Where to go on: the last `resume_token` that was received, or that of the ErrorInfo with
    /// which the stream ended.
    public var resumeToken = ""
    /// After how much silence a message without an event is sent: 1,000 to 600,000 ms, exact to a
    /// second; 0 sends none.
    public var heartbeatMs: Int64 = 0
    /// The consumer whose present reader opens the stream; absent for a stream of no consumer.
    public var consumer: ConsumerReader?

    public init() {}

    /// The users whose changes a stream follows.
    public enum Scope: OneOf {
        /// The acting user.
        case userID(String)
        /// The whole app, if true; false is INVALID_ARGUMENT.
        case app(Bool)
        /// Several users, 1 to 1,000.
        case userIDs(StringList)

        @usableFromInline package static func visit(
            _ value: inout Scope?, _ cases: inout some OneOfVisitor
        ) {
            cases.field(
                1, "user_id", &value,
                { if case .userID(let user) = $0 { user } else { nil } }, Scope.userID)
            cases.field(
                4, "app", &value, { if case .app(let app) = $0 { app } else { nil } }, Scope.app)
            cases.field(
                10, "user_ids", &value,
                { if case .userIDs(let users) = $0 { users } else { nil } }, Scope.userIDs)
        }
    }

    @usableFromInline package static let schema = Schema("relation.v1.WatchRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("scope", &scope)
        visitor.field(2, "options", &options)
        visitor.field(5, "client_app_id", &clientAppID)
        visitor.field(6, "kinds", &kinds)
        visitor.field(7, "device_id", &deviceID)
        visitor.field(8, "resume_token", &resumeToken)
        visitor.field(9, "heartbeat_ms", &heartbeatMs)
        visitor.field(11, "consumer", &consumer)
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
    public var resumeToken = ""
    /// The event.
    public var event: Row?
    /// In a stream of several users, the users that an event about another user is for.
    public var userIDs: [String] = []
    /// In a stream of several users, those of them that are not accounts.
    public var missingUserIDs: [String] = []

    @inlinable public init() {}
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
