package import GRPC
import Memory
import RPC
package import RelationAdmission
package import RelationCalls
import RelationCore
import Synchronization

/// TIM's REST API, for the apps that have switched it on.
///
/// It is a form of the calls of the contract: a request becomes one or several of them, which the
/// server takes as it takes those of any client. So rules, limits, rates, metrics and logs are the
/// same, and no handler knows of it.
package final class TIMDispatcher: Dispatcher, Sendable {
    /// The authenticator of each app.
    private let authenticators: @Sendable (UInt32) -> Authenticator?
    private let randomness: Randomness
    private let open = Atomic(0)
    private let server = Mutex<WeakServer>(WeakServer())

    private struct WeakServer {
        weak var server: Server?
    }

    /// - Parameter randomness: Where the texts of request ids come from.
    package convenience init(
        _ authenticator: Authenticator, _ randomness: Randomness = .system
    ) {
        self.init(randomness) { _ in authenticator }
    }

    /// - Parameter authenticators: The authenticator of an app; nil while its database is away.
    package init(
        _ randomness: Randomness = .system,
        authenticators: @escaping @Sendable (UInt32) -> Authenticator?
    ) {
        self.authenticators = authenticators
        self.randomness = randomness
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
                { body, call in self.handle(Array(body), call) })
        }
    }

    /// The answer to a request that ended in a status before its command was run.
    private static func refusal(of status: Status, _ target: [UInt8]) -> [UInt8] {
        let service = TIMTarget(target).flatMap { TIMService(rawValue: $0.service) }
        return TIMAnswer().text(in: service, TIMError(status, in: service))
    }

    /// An answer, and what the call is noted, metered and logged as.
    private struct Outcome: Sendable {
        let text: [UInt8]
        /// The error that the answer tells of; nil for a request that was done.
        var error: RPCError?
        /// The administrator; nil before one is known.
        var caller: Caller?

        init(_ text: [UInt8]) {
            self.text = text
        }

        init(_ error: TIMError, in service: TIMService?, by caller: Caller? = nil) {
            text = TIMAnswer().text(in: service, error)
            self.error = error.error
            self.caller = caller
        }

        func end(_ call: ServerCall) {
            call.notes?.caller = caller
            guard let error else { return call.respond { output in output.append(text) } }
            call.fail(error, answering: text)
        }
    }

    /// Works on a request beside the call's loop, and answers it there.
    private func handle(_ body: [UInt8], _ call: ServerCall) {
        guard open.add(1, ordering: .relaxed).newValue <= TIMLimits.openRequests else {
            open.subtract(1, ordering: .relaxed)
            let service = TIMTarget(call.target).flatMap { TIMService(rawValue: $0.service) }
            return Outcome(.tooMany, in: service).end(call)
        }
        let (target, path, peer) = (call.target, call.path, call.peer)
        let handle = call.beginWork()
        Task.detached {
            let outcome = await self.answer(target, body, path: path, from: peer)
            self.open.subtract(1, ordering: .relaxed)
            handle.resume { call in outcome.end(call) }
        }
    }

    private func answer(
        _ target: [UInt8], _ body: [UInt8], path: String, from peer: String
    ) async -> Outcome {
        guard let target = TIMTarget(target) else { return Outcome(.badTarget, in: nil) }
        let service = TIMService(rawValue: target.service)
        var caller: Caller?
        do throws(TIMError) {
            let credentials = try target.credentials()
            caller = try administrator(credentials, path, peer)
            guard let service, let command = TIMCommands.command(target.command, of: service)
            else { throw .noResource }
            let names = TIMFieldNames(service, target.command)
            let body = try TIMBody(body, in: service)
            var outcome = try await run(command, of: service, names, body, credentials, peer)
            outcome.caller = caller
            return outcome
        } catch {
            return Outcome(error, in: service, by: caller)
        }
    }

    private func administrator(
        _ credentials: TIMCredentials, _ path: String, _ peer: String
    ) throws(TIMError) -> Caller {
        guard let authenticator = authenticators(credentials.app) else { throw .noAnswer }
        do throws(AdministratorError) {
            return try authenticator.administrator(
                credentials.identifier, credentials.signature, app: credentials.app)
        } catch {
            // No call is made that the audit would count.
            authenticator.noteRefusal(
                RPCError(error), of: nil, credentials.app, path, from: peer)
            throw .signature(error)
        }
    }

    /// A text that no other request has, in hexadecimal.
    static func requestID(_ randomness: Randomness) -> String {
        randomness.text(bytes: TIMLimits.requestIDBytes / 2)
    }

    /// Runs the command with a connection of its own.
    private func run(
        _ command: @escaping TIMCommands.Command, of service: TIMService, _ names: TIMFieldNames,
        _ body: TIMBody, _ credentials: TIMCredentials, _ peer: String
    ) async throws(TIMError) -> Outcome {
        guard let server = server.withLock({ $0.server }),
            let settings = authenticators(credentials.app)?.apps[credentials.app]?.settings
        else { throw .noAnswer }
        let end = ContinuousClock.now + .milliseconds(TIMLimits.milliseconds)
        let id = Self.requestID(randomness)
        let outcome = await server.withCallsInside(credentials.metadata, for: peer) { inside in
            do throws(TIMError) {
                let calls = TIMCalls(inside, service, names, until: end, id: id)
                let request = TIMRequest(body: body, calls: calls, settings: settings)
                return Outcome(try await command(request).text(in: service))
            } catch {
                return Outcome(error, in: service)
            }
        }
        guard let outcome else { throw .noAnswer }
        return outcome
    }
}
