package import GRPCWire
import Protobuf
import RPC
import Synchronization

/// The health service of gRPC: it reports to clients which services take calls.
///
/// The service with the empty name stands for the server as a whole.
package final class Health: Dispatcher {
    private struct State {
        var statuses: [String: ServingStatus] = ["": .serving]
        var watchers: [CallHandle: String] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Sets the status of a service, and sends it to the clients that watch the service.
    package func set(_ status: ServingStatus, for service: String) {
        let watchers: [CallHandle] = state.withLock { state in
            guard state.statuses[service] != status else { return [] }
            state.statuses[service] = status
            return state.watchers.filter { $0.value == service }.map(\.key)
        }
        CallHandle.resume(watchers) { _, call in Self.send(status, call) }
    }

    /// Forgets a service that there is no more: clients that watch it get SERVICE_UNKNOWN.
    package func remove(_ service: String) {
        let watchers: [CallHandle] = state.withLock { state in
            guard state.statuses.removeValue(forKey: service) != nil else { return [] }
            return state.watchers.filter { $0.value == service }.map(\.key)
        }
        CallHandle.resume(watchers) { _, call in Self.send(.serviceUnknown, call) }
    }

    /// Notifies all watching clients that no service takes calls any more.
    ///
    /// Watches stay open until the server stops.
    package func stop() {
        let services = state.withLock { Array($0.statuses.keys) }
        for service in services { set(.notServing, for: service) }
    }

    /// The methods of the service, which need no credential.
    ///
    /// Their requests hold no more than a name, so longer ones are refused.
    package var methods: [ServedMethod] {
        ownMethods.map {
            $0.taking(atMost: CallLimits.unauthenticatedMessageBytes).withoutCredentials()
        }
    }

    private var ownMethods: [ServedMethod] {
        [
            .unary("/grpc.health.v1.Health/Check") { [self] bytes, call in
                check(bytes, call)
            }
            .inJSON(
                MessageForms(
                    request: HealthCheckRequest.schema, answer: HealthCheckResponse.schema),
                isSafe: true),
            .answering(
                "/grpc.health.v1.Health/List", Coder(HealthListRequest.self),
                Coder(HealthListResponse.self)
            ) { [self] (_) throws(RPCError) in
                var response = HealthListResponse()
                let statuses = state.withLock { $0.statuses }
                response.statuses = statuses.mapValues(HealthCheckResponse.init)
                return response
            },
            .streaming("/grpc.health.v1.Health/Watch", shape: .serverStreaming) { [self] _ in
                Watch(health: self)
            }
            .inJSON(
                MessageForms(
                    request: HealthCheckRequest.schema, answer: HealthCheckResponse.schema)),
        ]
    }

    private func check(_ bytes: UnsafeRawBufferPointer, _ call: ServerCall) {
        let status: ServingStatus?
        do throws(RPCError) {
            let service = try Self.requests.request(bytes, call).service
            status = state.withLock { $0.statuses[service] }
            guard status != nil else { throw RPCError(.notFound, "there is no service \(service)") }
        } catch {
            return call.fail(error)
        }
        call.sendInitialMetadata([(ServerInstance.header, .text(ServerInstance.own))])
        call.respond { (output) throws(RPCError) in
            try Self.responses.append(HealthCheckResponse(status ?? .unknown), call, output)
        }
    }

    private static let requests = Coder(HealthCheckRequest.self)
    private static let responses = Coder(HealthCheckResponse.self)

    private static func send(_ status: ServingStatus, _ call: ServerCall) {
        call.send { (output) throws(RPCError) in
            try responses.append(HealthCheckResponse(status), call, output)
        }
    }

    /// One watching client.
    ///
    /// Its queue is bounded by the call's own limit: a client that never reads, and watches a
    /// service that changes all the time, loses the call.
    private final class Watch: StreamHandler {
        let health: Health
        var handle: CallHandle?

        init(health: Health) {
            self.health = health
        }

        func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
            let request: HealthCheckRequest
            do throws(RPCError) {
                request = try Health.requests.request(message, call)
            } catch {
                return call.fail(error)
            }
            // The name is kept for as long as the call lasts, and a watch needs no credential.
            guard request.service.utf8.count <= CallLimits.serviceNameBytes else {
                let text = "service: is longer than \(CallLimits.serviceNameBytes) bytes"
                return call.finish(Status(.invalidArgument, text))
            }
            let handle = call.handle
            self.handle = handle
            let status = health.state.withLock { state in
                state.watchers[handle] = request.service
                return state.statuses[request.service] ?? .serviceUnknown
            }
            Health.send(status, call)
        }

        /// A watch has no end of its own.
        func stopping(_ call: ServerCall) {
            call.finish(Status(.unavailable, call.stopMessage))
        }

        func ended(_ call: ServerCall) {
            guard let handle else { return }
            health.state.withLock { $0.watchers[handle] = nil }
        }
    }
}
