internal import GRPC
internal import Protobuf
internal import RelationAPI

/// How a call is made again if its answer was lost with its server.
///
/// A client cannot know whether a server that is gone, or whose store has failed, has done the
/// call. So a call is made again only if that makes no difference: it reads or only tries, or it
/// writes under a request id. The server does a write with a request id once, however often it
/// comes.
struct Repetition {
    /// How long it waits before the second try; doubled each time, up to the longest wait.
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

    /// How long to wait before the call is made again; nil if it must not be made again.
    mutating func next(after error: CallError) -> Duration? {
        guard isSafe, Self.isOfServer(error) else { return nil }
        defer { wait = min(wait * 2, Self.longestWait) }
        return wait
    }

    /// Whether the server is gone, is about to go, or ends because its store has failed.
    ///
    /// In other cases of `UNAVAILABLE`, such as a sequence that has not been reached, the error has
    /// a reason of its own.
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
            // The client encoded this request itself. If it cannot be read, it is not sent again.
            return false
        }
    }
}

/// The field that every write has, whatever its other fields are.
private struct AnyWrite: CodedMessage {
    var options: WriteOptions?

    static let schema = Schema("relation.client.AnyWrite", AnyWrite.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
    }
}
