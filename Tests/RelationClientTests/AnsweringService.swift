import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import Synchronization

/// A service that has every call of the contract, and answers each with the bytes that a test gave.
final class AnsweringService: Dispatcher {
    private let answers = Mutex<[String: [UInt8]]>([:])

    func answer(_ path: String, with bytes: [UInt8]) {
        answers.withLock { $0[path] = bytes }
    }

    fileprivate func answer(to path: String) -> [UInt8] {
        answers.withLock { $0[path] ?? [] }
    }

    var methods: [ServedMethod] {
        ServiceTable.all.map { method in
            guard method.shape == .unary else {
                return .streaming(method.path, shape: method.shape) { [self] _ in
                    AnsweringStream(answer(to: method.path))
                }
            }
            return .unary(method.path) { [self] _, call in
                let bytes = answer(to: method.path)
                call.respond { $0.append(bytes) }
            }
        }
    }
}

/// A stream that answers when the client has sent all.
private final class AnsweringStream: StreamHandler {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {}

    func endOfRequests(_ call: ServerCall) {
        _ = call.send { $0.append(bytes) }
        call.finish(.ok)
    }
}
