/// The protocol of counted calls, by its content type.
enum CountedProtocol: String {
    case grpc = "application/grpc"
    case connect = "application/proto"
    case connectJSON = "application/json"

    /// The field that gives the time of each call.
    var timeout: (name: String, value: String) {
        self == .grpc
            ? ("grpc-timeout", CountLimits.timeout)
            : ("connect-timeout-ms", CountLimits.timeoutMilliseconds)
    }
}
