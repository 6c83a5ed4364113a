internal import GRPC
internal import Protobuf
internal import RelationAPI

/// How a call whose answer was lost with its server is made again.
///
/// Nobody knows whether the server that is gone, or whose store has failed, has done what it was
/// asked. So a call is made again
/// only if that makes no difference: it reads or only tries, or it writes under a request id, which
/// the server does once however often it comes.
struct Repetition {
    /// How long it waits before the second time, doubled up to the longest.
    static let firstWait = Duration.milliseconds(100)
    static let longestWait = Duration.seconds(2)

    private let isSafe: Bool
    private var wait = Repetition.firstWait

    init<Request, Response>(_ method: Method<Request, Response>, _ request: [UInt8]) {
        isSafe =
            switch method.access {
            case .read, .scan, .open: true
            case .write: Self.isOnce(request)
            case .watch: false
            }
    }

    /// How long to wait before the call is made again; nil if it is not to be.
    mutating func next(after error: CallError) -> Duration? {
        guard isSafe, Self.isOfServer(error) else { return nil }
        defer { wait = min(wait * 2, Self.longestWait) }
        return wait
    }

    /// Whether the server was gone, is about to go, or goes because its store has failed.
    ///
    /// What else is unavailable, such as a sequence that has not been reached, has its reason.
    private static func isOfServer(_ error: CallError) -> Bool {
        switch error.code {
        case "UNAVAILABLE": ["", "STOPPING"].contains(error.reason)
        case "UNKNOWN": error.reason == "OUTCOME_UNKNOWN"
        default: false
        }
    }

    private static func isOnce(_ request: [UInt8]) -> Bool {
        do throws(CodecError) {
            let write = try Arena.temporary { (arena) throws(CodecError) in
                try Coder(AnyWrite.self).message(request, arena)
            }
            return write.options.map { $0.dryRun || !$0.requestID.isEmpty } ?? false
        } catch {
            // It was encoded here; what cannot be read is not made again.
            return false
        }
    }
}

/// What every write has, whatever else it has.
private struct AnyWrite: Message {
    var options: WriteOptions?

    static let schema = Schema("relation.client.AnyWrite", AnyWrite.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
    }
}
