import GRPC
import GRPCWire
import Protobuf
import RPC
import RelationAdmission
import RelationCore

/// All that the spans of a call need, once it has ended.
struct CallTrace: Sendable {
    private let trace: TraceParent
    private let traceState: [UInt8]?
    private let path: String
    private let code: Status.Code
    private let start: UInt64
    private let end: UInt64
    private let phases: [CallPhase]
    private let peer: String
    private let caller: (any NotedCaller)?
    private let namesUsers: Bool
    private let requestID: String

    init(_ notes: CallNotes, _ trace: TraceParent, namesUsers: Bool) {
        self.trace = trace
        traceState = notes.traceState
        path = notes.path
        code = notes.status.code
        start = notes.began
        end = notes.began &+ UInt64(clamping: notes.nanoseconds)
        phases = notes.phases
        peer = notes.peer
        caller = notes.caller
        self.namesUsers = namesUsers
        requestID = notes.requestID
    }

    /// The spans: one of the call, and one of each part of its way.
    var spanCount: Int { 1 + phases.count }

    /// Adds the spans to a message.
    ///
    /// - Parameter offset: The difference from the calls' clock to the time since 1970.
    func add(to spans: inout [Span], _ ids: TraceIDs, clockOffset offset: UInt64) {
        let traceID = Self.bytes(trace.high) + Self.bytes(trace.low)
        let spanID = Self.bytes(ids.next())
        var span = Span()
        span.traceID = traceID
        span.spanID = spanID
        span.traceState = traceState.map { String(decoding: $0, as: UTF8.self) } ?? ""
        if trace.spanID != 0 { span.parentSpanID = Self.bytes(trace.spanID) }
        let parts = path.dropFirst().split(separator: "/", maxSplits: 1)
        span.name = String(path.dropFirst())
        span.kind = .server
        span.start = Fixed(start &+ offset)
        span.end = Fixed(end &+ offset)
        span.attributes = attributes(service: parts.first, method: parts.last)
        if Self.serverErrors.contains(code) { span.status = .failed }
        let flags = UInt32(trace.flags) | 1
        span.flags = Fixed(flags | Span.hasIsRemote | (trace.spanID == 0 ? 0 : Span.isRemote))
        spans.append(span)
        for phase in phases {
            var part = Span()
            part.traceID = traceID
            part.spanID = Self.bytes(ids.next())
            part.parentSpanID = spanID
            part.name = phase.kind.rawValue
            part.kind = .internal
            part.start = Fixed(phase.start &+ offset)
            part.end = Fixed(phase.end &+ offset)
            part.flags = Fixed(flags | Span.hasIsRemote)
            spans.append(part)
        }
    }

    /// OpenTelemetry's attributes of a call, and our own.
    private func attributes(service: Substring?, method: Substring?) -> [KeyValue] {
        var attributes = [
            KeyValue("rpc.system", "grpc"), KeyValue("rpc.service", String(service ?? "")),
            KeyValue("rpc.method", String(method ?? "")),
            KeyValue("rpc.grpc.status_code", Int(code.rawValue)),
        ]
        if code != .ok { attributes.append(KeyValue("error.type", "\(code)")) }
        // An address in brackets is one of version 6, and that of a socket has no port.
        if let colon = peer.lastIndex(of: ":"), !peer.hasPrefix("unix") {
            let host = peer[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }
            attributes.append(KeyValue("network.peer.address", String(host)))
            if let port = Int(peer[peer.index(after: colon)...]) {
                attributes.append(KeyValue("network.peer.port", port))
            }
        }
        if let caller = caller as? Caller {
            attributes.append(KeyValue("relation.app", Int(caller.app.id)))
            attributes.append(
                KeyValue("relation.caller", caller.label(namingUsers: namesUsers)))
        }
        if !requestID.isEmpty { attributes.append(KeyValue("relation.request_id", requestID)) }
        return attributes
    }

    /// The codes with which a call of a server has failed, by OpenTelemetry's conventions; others
    /// are the client's doing.
    private static let serverErrors: [Status.Code] = [
        .unknown, .deadlineExceeded, .unimplemented, .internalError, .unavailable, .dataLoss,
    ]

    private static func bytes(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

extension SpanStatus {
    fileprivate static var failed: SpanStatus {
        var status = SpanStatus()
        status.code = .error
        return status
    }
}
