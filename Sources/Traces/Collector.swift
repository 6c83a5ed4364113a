package import GRPCClient
package import RPC

/// The receiver of the spans: a collector that speaks OTLP over gRPC.
package protocol Collector: AnyObject, Sendable {
    /// The name for messages.
    var name: String { get }

    /// Sends an encoded `ExportTraceServiceRequest`.
    ///
    /// - Returns: The encoded answer.
    func export(_ request: [UInt8]) async throws(RPCError) -> [UInt8]

    /// Ends the connection.
    func close() async
}

/// How to reach a collector.
package struct CollectorOptions: Sendable {
    package var host: String
    package var port: Int
    /// How the connection is encrypted; nil for no encryption.
    package var tls: ClientTLS?
    /// Metadata of each message, such as a key.
    package var headers = Metadata()
    /// How long one attempt may take.
    package var timeout = Duration.seconds(10)

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

extension RPCError {
    /// Whether another attempt to export may succeed, by OTLP's table of codes.
    var mayPass: Bool {
        guard origin != .tooLong else { return false }
        switch code {
        case .cancelled, .deadlineExceeded, .aborted, .outOfRange, .unavailable, .dataLoss:
            return true
        // A collector that is too full says when it will have room, or wants no other attempt.
        case .resourceExhausted: return pushback != nil || !details.isEmpty
        default: return false
        }
    }
}
