import Dispatch
import Logging
import Memory
import NIOCore
import NIOEmbedded
import NIOPosix
import PeerSupport
import Protobuf
import Synchronization
import Testing

@testable import GRPC
@testable import GRPCWire

/// The order in which a loop runs the calls of several connections.
@Suite struct TimeSliceTests {
    /// While the loop is blocked, one connection sends many calls and another one a single call.
    ///
    /// When the loop goes on, the bytes of both have been there for long.
    @Test func aCallWaitsForNoMoreThanATurnOfAConnectionThatBringsMany() async throws {
        let calls = OrderedCalls()
        var configuration = ServerConfiguration(loops: 1)
        configuration.graceSeconds = 1
        let server = Server(
            configuration: configuration, dispatchers: [calls], logger: Logger(label: "test"))
        let address = try await server.start()
        let many = try await RawConnection(to: address)
        let one = try await RawConnection(to: address)
        let holder = try await RawConnection(to: address)
        // The loop knows each connection before it is blocked.
        for connection in [many, one] { try await connection.call("hello") }
        await calls.ran(2)
        try await holder.call("hold")
        await calls.isHeld()

        let bytes = many.calls((0..<500).map { "many \($0)" })
        try #require(bytes.count > 3 * CallLimits.bytesPerSlice)
        try await many.send(bytes)
        try await one.call("one")
        calls.resume()
        await calls.ran(3 + 500 + 1)

        let index = try #require(calls.names.firstIndex(of: "one"))
        let perSlice = 500 * CallLimits.bytesPerSlice / bytes.count
        #expect(index <= 3 + perSlice + 1)
        #expect(calls.names.filter { $0.hasPrefix("many") } == (0..<500).map { "many \($0)" })
        for connection in [many, one, holder] { try await connection.close() }
        await server.shutDownGracefully()
    }
}

extension TimeSliceTests {
    @Test func aTurnEndsByTime() {
        let eventLoop = EmbeddedEventLoop()
        var slice = TimeSlice()
        // Each step takes a sixteenth of the turn, so the turn ends after sixteen steps and the
        // next reading of the clock.
        let step = TimeAmount.microseconds(CallLimits.sliceMicroseconds / 16)
        var steps = 0
        while slice.step(1, eventLoop) {
            eventLoop.advanceTime(by: step)
            steps += 1
        }
        #expect((16...16 + 2 * CallLimits.stepsPerLook).contains(steps))
        #expect(slice.isOver)
        let goesOn = slice.step(1, eventLoop)
        #expect(!goesOn)
    }

    @Test func aTurnWithoutTimeHasNoEnd() {
        let eventLoop = EmbeddedEventLoop()
        var slice = TimeSlice()
        let steps = (0..<10_000).map { _ in slice.step(1, eventLoop) }
        #expect(!steps.contains(false))
    }
}

/// One method, which notes the requests that it gets, and blocks the loop if a request says so.
private final class OrderedCalls: Dispatcher {
    private struct State {
        var names: [String] = []
        var waiting: (count: Int, CheckedContinuation<Void, Never>)?
        var holding: CheckedContinuation<Void, Never>?
        var isHeld = false
    }

    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)

    var names: [String] { state.withLock { $0.names } }

    var methods: [ServedMethod] {
        [
            .unary("/test.Echo/Unary") { [self] message, call in
                note(String(decoding: message, as: UTF8.self))
                call.respond { $0.append(message) }
            }
        ]
    }

    private func note(_ name: String) {
        let (waiter, holder) = state.withLock { state in
            state.names.append(name)
            var found: (CheckedContinuation<Void, Never>?, CheckedContinuation<Void, Never>?)
            if let waiting = state.waiting, waiting.count <= state.names.count {
                state.waiting = nil
                found.0 = waiting.1
            }
            if name == "hold" {
                state.isHeld = true
                found.1 = state.holding
            }
            return found
        }
        waiter?.resume()
        holder?.resume()
        if name == "hold" { gate.wait() }
    }

    /// Waits until `count` calls have run.
    func ran(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard state.names.count < count else { return true }
                state.waiting = (count, continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    func isHeld() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard !state.isHeld else { return true }
                state.holding = continuation
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    func resume() {
        gate.signal()
    }
}

/// A client's socket that writes raw bytes, on another thread than the server's loop.
private final class RawConnection {
    private let channel: any NIOCore.Channel
    private var stream: UInt32 = 1

    init(to address: ListeningAddress) async throws {
        // A client that does not acknowledge the settings is ended after some seconds, and this
        // task may wait that long for its turn among other tests: so the loop sends it.
        let acknowledgement = Frame(.settings, flags: Frame.acknowledgement)
        let beginning = ByteBuffer(bytes: Frame.preface + acknowledgement.bytes)
        channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: address.host, port: address.port)
            .flatMap { channel in channel.writeAndFlush(beginning).map { channel } }
            .get()
    }

    func call(_ name: String) async throws {
        try await send(calls([name]))
    }

    /// The bytes of calls with these messages.
    func calls(_ names: [String]) -> [UInt8] {
        names.flatMap { name in
            defer { stream += 2 }
            return Frame.headers(stream, SessionPair.request(), end: false).bytes
                + Frame.data(stream, Harness.envelope(Array(name.utf8)), end: true).bytes
        }
    }

    /// Returns when the system has the bytes.
    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    func close() async throws {
        try await channel.close().get()
    }
}
