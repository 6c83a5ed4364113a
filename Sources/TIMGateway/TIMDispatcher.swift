package import GRPC
import Memory
import RPC
package import RelationAdmission
import RelationCore
import Synchronization

/// TIM's REST API, for the apps that have switched it on.
///
/// It is a form of the calls of the contract: a request becomes one or several of them, which the
/// server takes as it takes those of any client. So rules, limits, rates, metrics and logs are the
/// same, and no handler knows of it.
package final class TIMDispatcher: Dispatcher, Sendable {
    private let authenticator: Authenticator
    private let open = Atomic(0)
    private let server = Mutex<WeakServer>(WeakServer())

    private struct WeakServer {
        weak var server: Server?
    }

    package init(_ authenticator: Authenticator) {
        self.authenticator = authenticator
    }

    /// Says which server takes the calls; nothing is answered before.
    package func serve(by server: Server) {
        self.server.withLock { $0.server = server }
    }

    package var methods: [ServedMethod] {
        // Each command has a name of its own in logs and metrics; paths of none share one.
        ([""] + TIMCommands.names).map { name in
            .plain(
                below: TIMTarget.root + name, atMost: TIMLimits.bodyBytes,
                refusal: { status, target in Self.refusal(of: status, target) },
                { body, call in self.take(Array(body), call) })
        }
    }

    /// The answer to a request that ended in a status before its command was run.
    private static func refusal(of status: Status, _ target: [UInt8]) -> [UInt8] {
        let service = TIMTarget(target).flatMap { TIMService(rawValue: $0.service) }
        return TIMAnswer().text(in: service, TIMError(status, in: service))
    }

    /// Works on a request beside the call's loop, and answers it there.
    private func take(_ body: [UInt8], _ call: ServerCall) {
        guard open.add(1, ordering: .relaxed).newValue <= TIMLimits.openRequests else {
            open.subtract(1, ordering: .relaxed)
            let service = TIMTarget(call.target).flatMap { TIMService(rawValue: $0.service) }
            let text = TIMAnswer().text(in: service, .tooMany)
            return call.respond { output in output.append(text) }
        }
        let target = call.target
        let handle = call.beginWork()
        Task.detached {
            let text = await self.answer(target, body)
            self.open.subtract(1, ordering: .relaxed)
            handle.resume { call in call.respond { output in output.append(text) } }
        }
    }

    private func answer(_ target: [UInt8], _ body: [UInt8]) async -> [UInt8] {
        guard let target = TIMTarget(target) else { return TIMAnswer().text(in: nil, .badTarget) }
        let service = TIMService(rawValue: target.service)
        do throws(TIMError) {
            let credentials = try target.credentials()
            try check(credentials)
            guard let service, let command = TIMCommands.command(target.command, of: service)
            else { throw .noResource }
            let names = TIMFieldNames(service, target.command)
            return try await run(
                command, of: service, names, try TIMBody(body, in: service), credentials)
        } catch {
            return TIMAnswer().text(in: service, error)
        }
    }

    private func check(_ credentials: TIMCredentials) throws(TIMError) {
        let failure = authenticator.errorOfAdministrator(
            credentials.identifier, credentials.signature, app: credentials.app)
        if let failure { throw .signature(failure) }
    }

    /// Runs the command with a connection of its own.
    private func run(
        _ command: @escaping TIMCommands.Command, of service: TIMService, _ names: TIMFieldNames,
        _ body: TIMBody, _ credentials: TIMCredentials
    ) async throws(TIMError) -> [UInt8] {
        guard let server = server.withLock({ $0.server }),
            let settings = authenticator.apps[credentials.app]?.settings
        else { throw .noAnswer }
        let end = ContinuousClock.now + .milliseconds(TIMLimits.milliseconds)
        let text = await server.withCallsInside(credentials.metadata) { inside in
            do throws(TIMError) {
                let calls = TIMCalls(inside, service, names, until: end)
                let request = TIMRequest(body: body, calls: calls, settings: settings)
                return try await command(request).text(in: service)
            } catch {
                return TIMAnswer().text(in: service, error)
            }
        }
        guard let text else { throw .noAnswer }
        return text
    }
}
