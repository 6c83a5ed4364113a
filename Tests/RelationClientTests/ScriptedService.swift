import GRPC
import Logging
import Memory
import PeerSupport
import RPC
import RelationAPI
import Synchronization

@testable import RelationClient

/// A service that has every call of the contract, and ends each call of one message as a test says.
final class ScriptedService: Dispatcher {
    /// A call as the service got it.
    struct Seen: Sendable {
        /// The number of the call: the first is 1.
        let number: Int
        let path: String
        let request: [UInt8]
        /// The time that the client gives the call.
        let time: Duration?
        let authorization: String?
        let appID: String?
        /// The metadata `x-test`.
        let test: String?
        /// The metadata by which an in-memory tracer names its trace.
        let trace: String?
        let traceParent: String?
        let traceState: String?
    }

    enum Step: Sendable {
        case answer([UInt8])
        case fail(RPCError)
        /// The call gets no answer.
        case silence
    }

    private let script: @Sendable (Seen) -> Step
    private let calls = Mutex<[Seen]>([])

    init(_ script: @escaping @Sendable (Seen) -> Step) {
        self.script = script
    }

    /// All calls so far.
    var seen: [Seen] { calls.withLock { $0 } }

    var methods: [ServedMethod] {
        ServiceTable.all.filter { $0.shape == .unary }.map { method in
            .unary(method.path) { [self] message, call in
                let seen = calls.withLock { calls in
                    calls.append(Self.seen(calls.count + 1, method.path, message, call))
                    return calls[calls.count - 1]
                }
                switch script(seen) {
                case .answer(let bytes): call.respond { $0.append(bytes) }
                case .fail(let error): call.fail(error)
                case .silence: break
                }
            }
        }
    }

    private static func seen(
        _ number: Int, _ path: String, _ message: UnsafeRawBufferPointer, _ call: ServerCall
    ) -> Seen {
        let time = call.deadline.map {
            Duration.nanoseconds(Int64($0.nanoseconds) - Int64(Deadline.clock))
        }
        return Seen(
            number: number, path: path, request: Array(message), time: time,
            authorization: call.metadata("authorization"), appID: call.metadata("x-app-id"),
            test: call.metadata("x-test"), trace: call.metadata("in-memory-trace-id"),
            traceParent: call.metadata("traceparent"), traceState: call.metadata("tracestate"))
    }

    /// Runs `body` with a client of a scripted service, on a clock that skips the client's waits.
    static func run(
        seed: UInt64 = 1, clock: FakeClock = FakeClock(skipsSleeps: true),
        _ script: @escaping @Sendable (Seen) -> Step,
        _ body: (Client, ScriptedService, FakeClock) async throws -> Void
    ) async throws {
        try await run(seed: seed, clock: clock, { _ in }, script, body)
    }

    /// Runs `body` with options that `change` makes of the usual ones.
    static func run(
        seed: UInt64 = 1, clock: FakeClock = FakeClock(skipsSleeps: true),
        _ change: (inout ClientOptions) -> Void,
        _ script: @escaping @Sendable (Seen) -> Step,
        _ body: (Client, ScriptedService, FakeClock) async throws -> Void
    ) async throws {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let service = ScriptedService(script)
        let server = Server(
            configuration: ServerConfiguration(), dispatchers: [service], logger: logger)
        var options = ClientOptions.patient(port: try await server.start().port)
        // The deadline on the real clock is out of reach; that of the fake one is tested.
        change(&options)
        let numbers = Mutex(SeededNumbers(seed: seed))
        let client = try Client(options, clock: clock) { numbers.withLock { $0.next() } }
        do {
            try await body(client, service, clock)
        } catch {
            await client.close()
            await server.shutDownGracefully()
            throw error
        }
        await client.close()
        await server.shutDownGracefully()
    }
}

extension Client {
    /// Reads something: a call that may always be made again.
    func read(options: CallOptions = CallOptions()) async throws {
        _ = try await call(
            FriendMethods.listFriends,
            ListFriendsRequest.with { $0.userID = "ann" }, options: options)
    }

    /// Writes something without a request id of the caller.
    func write(options: CallOptions = CallOptions()) async throws {
        let request = AddFriendsRequest.with {
            $0.userID = "ann"
            $0.items = [.with { $0.userID = "ben" }]
        }
        _ = try await call(FriendMethods.addFriends, request, options: options)
    }
}

/// The error with which a call ends; nil if it succeeds.
func failure(_ body: () async throws -> Void) async -> CallError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? CallError ?? CallError(code: .ok, message: "another error: \(error)")
    }
}
