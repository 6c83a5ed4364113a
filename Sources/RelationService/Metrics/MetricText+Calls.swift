import GRPC
import Meters
import Protobuf
import RPC
import RelationModel

// The calls of a server, its connections, and why it refused.
extension MetricText {
    /// The value of the label `method` for requests that name none.
    private static let noMethod = "none"

    mutating func addCalls(of reading: ServerReading) {
        family(
            "relation_calls_total", .counter,
            "Calls that have ended, by method and by the status code of gRPC.")
        for method in reading.methods {
            for code in Status.Code.allCases {
                let count = method.codes[Int(code.rawValue)]
                // OK is there from the start, so that a rate has a beginning.
                let isShown = count > 0 || (code == .ok && method.path != nil)
                if isShown {
                    sample(count, ["method": Self.name(method), "code": "\(code)"])
                }
            }
        }
        family(
            "relation_call_duration_seconds", .histogram,
            "From the reading of a call's headers to the writing of its answer; "
                + "without calls of streams, which last as they like.")
        for method in reading.methods {
            guard let latency = method.latency else { continue }
            histogram(latency, unit: 1e9, ["method": Self.name(method)])
        }
        family("relation_open_calls", .gauge, "Calls that have begun and not ended.")
        for method in reading.methods where method.path != nil {
            sample(method.openCalls, ["method": Self.name(method)])
        }
        family(
            "relation_call_received_bytes_total", .counter,
            "Bytes of messages that calls brought, after they were expanded.")
        for method in reading.methods where method.path != nil {
            sample(method.receivedBytes, ["method": Self.name(method)])
        }
        family(
            "relation_call_sent_bytes_total", .counter,
            "Bytes of messages that answer calls, before they are compressed.")
        for method in reading.methods where method.path != nil {
            sample(method.sentBytes, ["method": Self.name(method)])
        }
        family("relation_call_sent_messages_total", .counter, "Messages that answer calls.")
        for method in reading.methods where method.path != nil {
            sample(method.sentMessages, ["method": Self.name(method)])
        }
    }

    /// The name of a method without the slash before it.
    private static func name(_ method: ServerReading.Method) -> String {
        method.path.map { String($0.dropFirst()) } ?? noMethod
    }

    mutating func addConnections(of reading: ServerReading) {
        family("relation_connections", .gauge, "Connections that are open.")
        sample(reading.openConnections)
        family(
            "relation_connections_max", .gauge,
            "Connections beyond which new ones are closed at once.")
        sample(reading.connectionBound)
        family("relation_connections_opened_total", .counter, "Connections that were accepted.")
        sample(reading.connectionsOpened)
        family(
            "relation_received_bytes_total", .counter,
            "Bytes read from connections, after TLS decryption.")
        sample(reading.receivedBytes)
        family(
            "relation_sent_bytes_total", .counter,
            "Bytes written to connections, before TLS encryption.")
        sample(reading.sentBytes)
        family(
            "relation_foreign_requests_total", .counter,
            "Requests that are HTTP/2 and not gRPC, which were refused.")
        sample(reading.foreignRequests)
        family(
            "relation_protocol_violations_total", .counter,
            "Connections that were refused, ended or warned of in the log, by the reason.")
        for (name, count) in reading.violations { sample(count, ["violation": name]) }
    }

    /// Adds why calls failed as a whole: admission, overload, and errors of the request.
    mutating func addReasons(of reading: ServerReading) {
        family(
            "relation_call_failures_total", .counter,
            "Calls that failed as a whole, by the reason in their google.rpc.ErrorInfo.")
        let prefix = "ERROR_REASON_"
        for (number, count) in reading.reasons.enumerated() where number > 0 {
            let reason = ErrorReason(rawValue: Int32(number))
            guard let name = reason.name else { continue }
            sample(count, ["reason": String(name.dropFirst(prefix.count))])
        }
    }
}
