import GRPC
import Protobuf
import Synchronization

/// One method of each kind, whose answers follow from the requests.
final class FuzzService: Dispatcher {
    /// Calls that are answered later.
    let waiting = Mutex<[CallHandle]>([])

    var methods: [ServedMethod] {
        [
            .unary("/test.Echo/Unary") { message, call in
                call.respond { $0.append(message) }
            },
            .unary("/test.Echo/Fail") { message, call in
                let code = Status.Code(rawValue: message.first ?? 2) ?? .unknown
                let text = String(decoding: message.dropFirst(), as: UTF8.self)
                call.fail(
                    RPCError(
                        code, text, details: [8, code.rawValue],
                        trailers: [("x-reason", .text("test")), ("x-raw-bin", .binary([0xAB]))]))
            },
            .unary("/test.Echo/Metadata") { _, call in
                let bytes = call.binaryMetadata("x-data-bin") ?? []
                let text = call.metadata("x-text") ?? "none"
                call.sendInitialMetadata([("x-text-back", .text(text))])
                call.send { $0.append(bytes) }
                call.finish(.ok, trailers: [("x-data-back-bin", .binary(bytes))])
            },
            .unary("/test.Echo/Wait") { [self] _, call in
                waiting.withLock { $0.append(call.handle) }
            },
            .streaming("/test.Echo/Collect", shape: .clientStreaming) { _ in Collector() },
            .streaming("/test.Echo/Expand", shape: .serverStreaming) { _ in Expander() },
            .streaming("/test.Echo/Chat", shape: .bidirectional) { call in
                if call.metadata("x-pack") != nil { call.allowCompression() }
                return Chatter(isEager: call.metadata("x-eager") != nil)
            },
        ]
    }

    /// Adds up lengths; "p" makes it wait for ever, "e" end early.
    private final class Collector: StreamHandler {
        private var total = 0

        func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
            total += message.count
            if message.first == UInt8(ascii: "p") { call.pauseRequests() }
            if message.first == UInt8(ascii: "e") { call.finish(Status(.aborted, "enough")) }
        }

        func endOfRequests(_ call: ServerCall) {
            call.respond { [total] in $0.append(Array("\(total)".utf8)) }
        }
    }

    /// Sends as many messages as the request says, as fast as the client takes them.
    private final class Expander: StreamHandler {
        private var left = 0
        private var bytes: [UInt8] = []

        func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
            left = Int(message.first ?? 0)
            let count = message.dropFirst().prefix(2).reduce(0) { $0 << 8 | Int($1) }
            bytes = [UInt8](repeating: 1, count: count)
            go(call)
        }

        func writable(_ call: ServerCall) {
            go(call)
        }

        private func go(_ call: ServerCall) {
            while left > 0 {
                left -= 1
                if !call.send({ $0.append(bytes) }) { return }
            }
            call.finish(.ok)
        }
    }

    /// Answers each message with itself.
    private final class Chatter: StreamHandler {
        private let isEager: Bool

        init(isEager: Bool) {
            self.isEager = isEager
        }

        func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
            if isEager, call.queuedBytes == 0 {
                call.sendInitialMetadata([("x-early", .text("yes"))])
            }
            call.send { $0.append(message) }
        }

        func endOfRequests(_ call: ServerCall) {
            call.finish(.ok)
        }
    }
}
