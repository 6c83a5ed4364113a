public import Protobuf

// The bounds of an app's callers in proto/relation/v1/app.proto, where every
// field is explained.

/// How much the callers of an app may do.
///
/// The server has such bounds for each app; these can only lower them. 0, the default, is the
/// server's own bound, and so is a number above it. A change holds from the answer on: for the next
/// calls and connections, and for none that is open.
public struct AppBoundsMessage: CodedMessage {
    /// Calls a second of the whole app: at most 1,000,000.
    public var callsPerSecond: UInt32?
    /// Calls a second of one API key or client certificate: at most 1,000,000.
    public var keyCallsPerSecond: UInt32?
    /// Calls a second of one user's signatures: at most 1,000,000.
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

    @usableFromInline package static let schema = Schema("relation.v1.AppBounds", Self.self)

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
