package import GRPC
import GRPCWire
import Memory
import Protobuf
import RPC
package import Synchronization

/// The methods that tests call, which send back their requests.
///
/// A size in a request has three bytes, so random requests ask for no more than that.
package final class EchoService: Dispatcher {
    /// The events of the calls, in order.
    package let log = Mutex<[String]>([])

    /// Calls that wait until the test answers them.
    package let waiting = Mutex<[CallHandle]>([])

    /// Work that calls have left for the test to run.
    package let later = Mutex<[@Sendable () -> Void]>([])

    /// The caller of the calls `Held`, which may have two of them, and three together with others.
    package let usage = Usage(in: Usage())

    package init() {}

    package func note(_ text: String) {
        log.withLock { $0.append(text) }
    }

    package var notes: [String] { log.withLock { $0 } }

    package var methods: [ServedMethod] {
        [
            .unary("/test.Echo/Unary") { message, call in
                call.respond { $0.append(message) }
            },
            .unary("/test.Echo/Guarded", admission: guardian) { [self] message, call in
                // Every handler with an admission does this.
                do throws(RPCError) {
                    try guardian(call)
                } catch {
                    return call.fail(error)
                }
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
            .unary("/test.Echo/FailPrepared") { message, call in
                call.fail(message.isEmpty ? Self.failure : Self.preparedFailure)
            },
            .unary("/test.Echo/Metadata") { _, call in
                let text = call.metadata("x-text") ?? "none"
                let bytes = call.binaryMetadata("x-data-bin") ?? []
                call.sendInitialMetadata([("x-text-back", .text(text))])
                call.send { $0.append(bytes) }
                call.finish(.ok, trailers: [("x-data-back-bin", .binary(bytes))])
            },
            .unary("/test.Echo/Large") { message, call in
                let count = message.prefix(3).reduce(0) { $0 << 8 | Int($1) }
                call.respond { output in
                    output.reserve(count).initializeMemory(
                        as: UInt8.self, repeating: 7, count: count)
                    output.advance(count)
                }
            },
            .unary("/test.Echo/Wait") { [self] _, call in
                waiting.withLock { $0.append(call.handle) }
            },
            .unary("/test.Echo/Work") { [self] _, call in
                waiting.withLock { $0.append(call.beginWork()) }
            },
            .unary("/test.Echo/Held") { [self] _, call in
                guard hold(call) else { return }
                waiting.withLock { $0.append(call.handle) }
            },
            .unary("/test.Echo/HeldWork") { [self] _, call in
                guard hold(call) else { return }
                waiting.withLock { $0.append(call.beginWork()) }
            },
            .unary("/test.Echo/NoAnswer") { _, call in call.finish(.ok) },
            .streaming("/test.Echo/Collect", shape: .clientStreaming) { [self] _ in
                Collector(service: self)
            },
            .streaming("/test.Echo/Expand", shape: .serverStreaming) { [self] _ in
                Expander(service: self)
            },
            .streaming("/test.Echo/Keep", shape: .bidirectional) { [self] _ in Keeper(self) },
            .streaming("/test.Echo/KeepOne", shape: .clientStreaming) { [self] _ in Keeper(self) },
            .streaming("/test.Echo/Remind", shape: .bidirectional) { _ in Reminder() },
            .streaming("/test.Echo/Chat", shape: .bidirectional) { [self] call in
                if call.metadata("x-pack") != nil { call.allowCompression() }
                return Chatter(
                    service: self, isEager: call.metadata("x-eager") != nil,
                    notes: call.metadata("x-note") != nil)
            },
        ]
    }

    /// Lets a caller with a key in.
    private var guardian: ServedMethod.Admission {
        { [self] call throws(RPCError) in
            note(call.isAdmitted ? "asked again" : "asked")
            guard call.metadata("x-key") == nil else { return }
            throw RPCError(.unauthenticated, "no key")
        }
    }

    /// The error with which `FailPrepared` answers, encoded at every call and once for all.
    private static let failure = RPCError(
        .resourceExhausted, "not \u{00e4}gain", details: [UInt8](repeating: 8, count: 90),
        trailers: [("x-reason", .text("test")), ("x-raw-bin", .binary([0xAB]))])
    private static let preparedFailure = failure.prepared

    /// Takes a place for the call, or fails the call with the bound that it reached.
    private func hold(_ call: ServerCall) -> Bool {
        switch call.enter(usage, within: Usage.Bounds(own: 2, group: 3)) {
        case nil: return true
        case .own(let limit): call.finish(Status(.resourceExhausted, "own \(limit)"))
        case .group(let limit): call.finish(Status(.resourceExhausted, "group \(limit)"))
        }
        return false
    }

    /// Holds an object until its call has ended, and ends the call as the request says.
    private final class Keeper: StreamHandler {
        let service: EchoService

        init(_ service: EchoService) {
            self.service = service
            service.note("begun")
        }

        func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
            let word = String(decoding: message, as: UTF8.self)
            guard word.hasPrefix("later") else { return Self.act(word, call, service) }
            let handle = word.hasPrefix("later as work ") ? call.beginWork() : call.handle
            let rest = String(word.split(separator: ": ")[1])
            service.later.withLock { [service] later in
                later.append { handle.resume { Self.act(rest, $0, service) } }
            }
        }

        private static func act(_ word: String, _ call: ServerCall, _ service: EchoService) {
            let long = [UInt8](repeating: 1, count: 5 << 20)
            switch word {
            case "finish": call.finish(.ok)
            case "fail": call.fail(RPCError(.aborted, "enough"))
            case "long": long.withUnsafeBytes { _ = call.send($0) }
            case "long, as it is encoded": call.send { $0.append(long) }
            case "long, of a block":
                let output = OutputBuffer(capacity: 0)
                _ = Envelope.append(to: output) { $0.append(long) }
                call.send(enveloped: output.bytes, of: output)
            case "no encoding":
                call.send { (_) throws(RPCError) in throw RPCError(.internalError, "no") }
            case "bad trailers": call.finish(.ok, trailers: [("grpc-status", .text("0"))])
            case "too much":
                let part = [UInt8](repeating: 1, count: 1 << 20)
                for _ in 0..<17 { part.withUnsafeBytes { _ = call.send($0) } }
            case "twice": for _ in 0..<2 { call.send { $0.append([1]) } }
            default: break
            }
            service.note("acted")
        }

        func stopping(_ call: ServerCall) {
            call.finish(Status(.unavailable, call.stopMessage))
        }

        func ended(_ call: ServerCall) {
            service.note("ended")
        }
    }

    /// Adds up the lengths of the messages that it gets.
    private final class Collector: StreamHandler {
        let service: EchoService
        var total = 0

        init(service: EchoService) {
            self.service = service
        }

        func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
            total += message.count
            if message.first == UInt8(ascii: "p") { call.pauseRequests() }
            if message.first == UInt8(ascii: "e") {
                call.finish(Status(.aborted, "enough"))
            }
            service.note("received \(message.count)")
        }

        func endOfRequests(_ call: ServerCall) {
            service.note("end")
            call.respond { [total] in $0.append(Array("\(total)".utf8)) }
        }

        func ended(_ call: ServerCall) {
            if call.isCancelled { service.note("cancelled") }
        }
    }

    /// Sends as many messages as the request says, as fast as the client takes them.
    private final class Expander: StreamHandler {
        let service: EchoService
        var left = 0
        var sizes = 0

        init(service: EchoService) {
            self.service = service
        }

        func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
            left = Int(message.first ?? 0)
            sizes = message.dropFirst().prefix(3).reduce(0) { $0 << 8 | Int($1) }
            run(call)
        }

        func writable(_ call: ServerCall) {
            service.note("writable")
            run(call)
        }

        func ended(_ call: ServerCall) {
            if call.isCancelled { service.note("cancelled") }
        }

        private func run(_ call: ServerCall) {
            let bytes = [UInt8](repeating: 1, count: sizes)
            while left > 0 {
                left -= 1
                if !call.send({ $0.append(bytes) }) { return }
            }
            call.finish(.ok)
        }
    }

    /// Answers one second after the request, and again one second later.
    private final class Reminder: StreamHandler {
        var count: UInt8 = 0

        func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
            call.setAlarm(milliseconds: 1_000)
        }

        func alarmed(_ call: ServerCall) {
            count += 1
            call.send { [count] in $0.append([count]) }
            if count < 2 { call.setAlarm(milliseconds: 1_000) }
        }

        func endOfRequests(_ call: ServerCall) {
            call.finish(.ok)
        }
    }

    /// Answers each message with itself.
    private final class Chatter: StreamHandler {
        let service: EchoService
        let isEager: Bool
        let notes: Bool

        init(service: EchoService, isEager: Bool, notes: Bool) {
            self.service = service
            self.isEager = isEager
            self.notes = notes
        }

        func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
            if notes { service.note(call.isMessageCompressed ? "compressed" : "plain") }
            if isEager, call.queuedBytes == 0 {
                call.sendInitialMetadata([("x-early", .text("yes"))])
            }
            call.send { $0.append(message) }
        }

        func endOfRequests(_ call: ServerCall) {
            call.finish(.ok)
        }

        func ended(_ call: ServerCall) {
            if call.isCancelled { service.note("cancelled") }
        }
    }
}
