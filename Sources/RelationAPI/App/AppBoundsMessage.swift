public import Protobuf

// The bounds of an app's callers in proto/relation/v1/app.proto, where every
// field is explained.

/// How much the callers of an app may do.
///
/// The server has such bounds for each app; these can only lower them. 0, the default, is the
/// server's own bound, and so is a number above it. A change holds from the answer on: for the next
/// calls and connections, and for none that is open.
public struct AppBoundsMessage: Message {
    /// Calls a second of the whole app: at most 1,000,000.
    ///
    /// Two seconds of them may come at once.
    public var callsPerSecond: UInt32?
    /// Calls a second of one API key or client certificate: at most 1,000,000.
    ///
    /// Two seconds of them may come at once.
    public var keyCallsPerSecond: UInt32?
    /// Calls a second of one user's signatures: at most 1,000,000.
    ///
    /// Five seconds of them may come at once.
    public var userCallsPerSecond: UInt32?
    /// Calls of the whole app that are open at once, streams among them: at most 1,000,000.
    public var openCalls: UInt32?
    /// Open calls of one API key or client certificate: at most 1,000,000.
    public var keyOpenCalls: UInt32?
    /// Open calls of one user's signatures: at most 1,000,000.
    public var userOpenCalls: UInt32?
    /// Connections on which a credential of the app was shown: at most 1,000,000.
    public var connections: UInt32?
    /// Connections of one API key or client certificate: at most 1,000,000.
    public var keyConnections: UInt32?
    /// Connections of one user's signatures: at most 1,000,000.
    public var userConnections: UInt32?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        callsPerSecond: UInt32? = nil, keyCallsPerSecond: UInt32? = nil,
        userCallsPerSecond: UInt32? = nil, openCalls: UInt32? = nil, keyOpenCalls: UInt32? = nil,
        userOpenCalls: UInt32? = nil, connections: UInt32? = nil, keyConnections: UInt32? = nil,
        userConnections: UInt32? = nil
    ) {
        self.callsPerSecond = callsPerSecond
        self.keyCallsPerSecond = keyCallsPerSecond
        self.userCallsPerSecond = userCallsPerSecond
        self.openCalls = openCalls
        self.keyOpenCalls = keyOpenCalls
        self.userOpenCalls = userOpenCalls
        self.connections = connections
        self.keyConnections = keyConnections
        self.userConnections = userConnections
    }
}

extension AppBoundsMessage: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.AppBounds", AppBoundsMessage.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "calls_per_second", &callsPerSecond)
        visitor.field(2, "key_calls_per_second", &keyCallsPerSecond)
        visitor.field(3, "user_calls_per_second", &userCallsPerSecond)
        visitor.field(4, "open_calls", &openCalls)
        visitor.field(5, "key_open_calls", &keyOpenCalls)
        visitor.field(6, "user_open_calls", &userOpenCalls)
        visitor.field(7, "connections", &connections)
        visitor.field(8, "key_connections", &keyConnections)
        visitor.field(9, "user_connections", &userConnections)
    }
}
