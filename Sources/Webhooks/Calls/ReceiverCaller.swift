package import GRPCClient
import GRPCWire
import NIOCore
import NIOPosix
import RPC
import Synchronization

/// The bounds of a caller.
package struct ReceiverCallerSettings: Sendable {
    /// Channels, each of which has a connection; one that is idle gives way to another receiver.
    package var channels = 256
    /// How long a channel stays open without a call.
    package var idleTime = Duration.seconds(30)
    /// How receivers with TLS are trusted; nil if TLS cannot be set up.
    package var tls: ClientTLS? = .system
    /// The name of the program in the header `user-agent`.
    package var userAgent = "relationd"

    package init() {}
}

/// Calls receivers by gRPC, over channels that it keeps for further calls.
///
/// It asks no proxy, and shows nothing of an answer but its status and its message.
package final class ReceiverCaller: Sendable {
    private struct Line {
        let id: UInt64
        let channel: GRPCClient.Channel
        let resolver: ReceiverResolver
        /// How many channels to the receiver were given up before, one after another.
        let attempt: Int
        var calls = 0
        /// When its last call ended.
        var used = NIODeadline.uptimeNanoseconds(0)
        /// Whether a timer will look whether it is idle.
        var isWatched = false
    }

    private struct Origin: Hashable {
        let isTLS: Bool
        let host: String
        let port: Int
        let policy: AddressPolicy
        /// Names are looked up for a tenant, so no tenant waits for the look-up of another.
        let tenant: UInt32

        init(_ call: ReceiverCall) {
            isTLS = call.url.isTLS
            host = call.url.host
            port = call.url.port
            policy = call.policy
            tenant = call.tenant
        }
    }

    private struct State {
        var lines: [Origin: Line] = [:]
        /// Channels that take no new call, with their calls.
        var leaving: [UInt64: Line] = [:]
        var ids: UInt64 = 0
        /// How channels that are made at present are encrypted.
        var tls: ClientTLS?
        var isClosed = false
    }

    private let settings: ReceiverCallerSettings
    private let resolver: any HostResolver
    private let loop: any EventLoop
    private let state: Mutex<State>

    package init(
        _ settings: ReceiverCallerSettings = ReceiverCallerSettings(),
        resolver: any HostResolver = SystemHostResolver()
    ) {
        self.settings = settings
        self.resolver = resolver
        loop = MultiThreadedEventLoopGroup.singleton.next()
        state = Mutex(State(tls: settings.tls))
    }

    /// How many channels are open; any thread may ask.
    package var channels: Int { state.withLock { $0.lines.count + $0.leaving.count } }

    // MARK: - Calls

    /// Makes a call, and waits for its status.
    ///
    /// A call goes out once, with gRPC's one exception: it goes out again if the receiver has said
    /// that it has not looked at it.
    ///
    /// - Throws: A failure where the receiver gave no status.
    package func call(_ call: ReceiverCall) async throws(WebhookFailure) -> ReceiverAnswer {
        let origin = Origin(call)
        let line = try acquireLine(origin)
        var metadata = Metadata()
        for (name, value) in call.metadata { metadata.append(name, value) }
        do throws(RPCError) {
            let message = try await line.channel.unary(
                call.method, call.message, metadata: metadata, deadline: .after(call.timeout))
            release(origin, line.id, isLost: false)
            var answer = ReceiverAnswer(.ok)
            answer.message = message
            return answer
        } catch {
            // Another channel resolves the name again, tries another of its addresses, and does not
            // wait for the next attempt of this one. Nor does it wait until this one finds out that
            // its connection was forgotten on the way, after a call without an answer.
            let isLost =
                error.origin == .setup || error.wasUnprocessed && error.origin != .closed
                || error.origin == .caller && error.code == .deadlineExceeded
            let failure = Self.failure(error, origin.isTLS, line.resolver)
            release(origin, line.id, isLost: isLost)
            guard let failure else { return ReceiverAnswer(error) }
            throw failure
        }
    }

    /// Why a call has no status of the receiver; nil if it has one.
    private static func failure(
        _ error: RPCError, _ isTLS: Bool, _ resolver: ReceiverResolver
    ) -> WebhookFailure? {
        let tlsFailure =
            isTLS
            ? WebhookFailure.TLSFailure(
                ofCall: error.message, isLasting: error.origin == .setup) : nil
        return switch error.origin {
        case .status: nil
        case .closed: .closed
        case .tooLong: error.wasUnprocessed ? .badRequest : .badReply
        case .setup: tlsFailure.map { .notSecured($0) } ?? .badReply
        case .caller:
            switch error.code {
            case .deadlineExceeded: .timedOut(error.wasUnprocessed ? .connecting : .answering)
            case .resourceExhausted: .tooManyWaiting
            default: .badRequest
            }
        case .way:
            resolver.lastFailure ?? tlsFailure.map { .notSecured($0) }
                ?? (error.wasUnprocessed ? .notConnected : .badReply)
        }
    }

    // MARK: - Channels

    /// The channel to a receiver, which has one more call now.
    private func acquireLine(_ origin: Origin) throws(WebhookFailure) -> Line {
        var victim: Line?
        defer { if let victim { close(victim) } }
        return try state.withLock { (state) throws(WebhookFailure) in
            guard !state.isClosed else { throw .closed }
            guard !origin.isTLS || state.tls != nil else { throw .notSecured(.other) }
            if state.lines[origin] == nil {
                if state.lines.count + state.leaving.count >= settings.channels {
                    let idle = state.lines.filter { $0.value.calls == 0 }
                    // The one that was made first.
                    let oldest = idle.min { $0.value.id < $1.value.id }
                    guard let oldest else { throw .tooManyWaiting }
                    victim = state.lines.removeValue(forKey: oldest.key)
                }
                state.ids += 1
                state.lines[origin] = makeLine(origin, state.tls, state.ids, attempt: 0)
            }
            state.lines[origin]?.calls += 1
            // It was put in above.
            guard let line = state.lines[origin] else { throw .closed }
            return line
        }
    }

    private func makeLine(
        _ origin: Origin, _ tls: ClientTLS?, _ id: UInt64, attempt: Int
    ) -> Line {
        let addresses = ReceiverResolver(
            origin.policy, resolver, for: origin.tenant, attempt: attempt)
        var configuration = ClientConfiguration(host: origin.host, port: origin.port)
        configuration.tls = origin.isTLS ? tls : nil
        configuration.maxReceivedMessageBytes = WebhookLimits.replyBytes
        configuration.userAgent = settings.userAgent
        configuration.resolver = addresses
        // A receiver that hangs is asked for a sign of life after a call without an answer; calls
        // are shorter than this time, so none is asked more often.
        configuration.keepalive = .seconds(CallLimits.pingSecondsWithoutCalls)
        return Line(
            id: id, channel: GRPCClient.Channel(configuration), resolver: addresses,
            attempt: attempt)
    }

    /// A call has ended.
    ///
    /// - Parameter isLost: Whether the channel is given up, since its receiver was not reached.
    private func release(_ origin: Origin, _ id: UInt64, isLost: Bool) {
        let ended = state.withLock { state -> Line? in
            if state.leaving[id] != nil {
                state.leaving[id]?.calls -= 1
                return state.leaving[id]?.calls == 0 ? state.leaving.removeValue(forKey: id) : nil
            }
            guard var line = state.lines[origin], line.id == id else { return nil }
            line.calls -= 1
            line.used = .now()
            state.lines[origin] = line
            guard isLost, !state.isClosed else { return nil }
            state.ids += 1
            state.lines[origin] = makeLine(
                origin, state.tls, state.ids, attempt: line.attempt &+ 1)
            if line.calls == 0 { return line }
            state.leaving[id] = line
            return nil
        }
        if let ended { close(ended) }
        watch(origin)
    }

    /// Uses other certificates for all calls that begin from now on.
    ///
    /// Calls that run end on the channels on which they began.
    package func apply(_ tls: ClientTLS?) {
        let idle = state.withLock { state -> [Line] in
            state.tls = tls
            var idle: [Line] = []
            for (origin, line) in state.lines where origin.isTLS {
                state.lines[origin] = nil
                if line.calls == 0 { idle.append(line) } else { state.leaving[line.id] = line }
            }
            return idle
        }
        for line in idle { close(line) }
    }

    /// Ends the channel to a receiver after a while without a call.
    private func watch(_ origin: Origin) {
        let due = state.withLock { state -> UInt64? in
            guard let line = state.lines[origin], line.calls == 0, !line.isWatched else {
                return nil
            }
            state.lines[origin]?.isWatched = true
            return line.id
        }
        guard let id = due else { return }
        loop.scheduleTask(in: TimeAmount(settings.idleTime)) { [weak self] in
            self?.endIfIdle(origin, id)
        }
    }

    private func endIfIdle(_ origin: Origin, _ id: UInt64) {
        let least = NIODeadline.now() - TimeAmount(settings.idleTime)
        let idle = state.withLock { state -> Line? in
            guard let line = state.lines[origin], line.id == id else { return nil }
            state.lines[origin]?.isWatched = false
            guard line.calls == 0, line.used <= least else { return nil }
            return state.lines.removeValue(forKey: origin)
        }
        if let idle { close(idle) } else { watch(origin) }
    }

    private func close(_ line: Line) {
        let channel = line.channel
        Task { await channel.close() }
    }

    /// Fails what is under way, and ends all channels.
    package func close() async {
        let all = state.withLock { state in
            state.isClosed = true
            let all = Array(state.lines.values) + state.leaving.values
            state.lines = [:]
            state.leaving = [:]
            return all
        }
        for line in all { await line.channel.close() }
    }
}
