import RelationHooks
import RelationService
import Support
import Synchronization
import Webhooks

/// The receivers of hooks: where they may be, and the connections to them.
final class HookReceivers: Sendable {
    /// How connections by HTTP/1.1 are made, which all requests share.
    private final class Manner: Sendable {
        let policy: AddressPolicy
        let tls: Mutex<WebhookTLS>

        init(_ policy: AddressPolicy, _ tls: WebhookTLS) {
            self.policy = policy
            self.tls = Mutex(tls)
        }

        /// The receiver of a request.
        ///
        /// The operator's settings may have changed since the URL was named.
        func endpoint(_ request: HookRequest) throws(AddressRefusal) -> WebhookEndpoint {
            try WebhookEndpoint(request.url, policy, tls.withLock { $0 }, tenant: request.app)
        }
    }

    private let policy: AddressPolicy
    private let manner: Manner
    private let sender: WebhookSender
    private let caller: ReceiverCaller
    /// The channels of questions: calls with events that wait for slow receivers delay none.
    private let questions: ReceiverCaller
    /// The connections of questions: events that wait for slow receivers delay none of them.
    private let asker: WebhookSender

    init(_ policy: AddressPolicy, _ tls: HookTLS) {
        self.policy = policy
        manner = Manner(policy, tls.web)
        sender = WebhookSender(resolver: SystemHostResolver())
        var calling = ReceiverCallerSettings()
        calling.tls = tls.calls
        caller = ReceiverCaller(calling)
        questions = ReceiverCaller(calling)
        var settings = WebhookSenderSettings()
        settings.connectionsPerOrigin = HookLimits.askingConnectionsOfReceiver
        settings.connections = HookLimits.askingConnections
        asker = WebhookSender(settings, resolver: SystemHostResolver())
    }

    /// Uses other certificates for requests that come.
    func apply(_ tls: HookTLS) {
        manner.tls.withLock { $0 = tls.web }
        caller.apply(tls.calls)
        questions.apply(tls.calls)
    }

    /// The receivers as the service knows them.
    var offer: HookOffer {
        HookOffer(
            refusal: { [policy] url in
                do throws(AddressRefusal) {
                    _ = try WebhookURL(url, policy)
                    return nil
                } catch {
                    return error.description
                }
            },
            send: { [policy, manner, sender, caller] request, done in
                Task {
                    if request.method != nil {
                        done(await Self.call(request, policy, caller))
                    } else {
                        done(await Self.send(request, manner, sender))
                    }
                }
            },
            ask: { [manner, asker] request, milliseconds, done in
                Task { done(await Self.ask(request, milliseconds, manner, asker)) }
            },
            receiverAsker: receiverAsker,
            close: { [sender, caller, questions, asker] in
                await sender.close()
                await caller.close()
                await questions.close()
                await asker.close()
            })
    }

    /// The questions to receivers by gRPC.
    private var receiverAsker: ReceiverAsker {
        ReceiverAsker { [policy, questions] request, milliseconds, done in
            Task {
                done(await Self.call(request, .milliseconds(milliseconds), policy, questions))
            }
        }
    }

    private static func call(
        _ request: HookRequest, _ timeout: Duration, _ policy: AddressPolicy,
        _ caller: ReceiverCaller
    ) async -> Result<ReceiverAnswer, WebhookFailure> {
        do throws(AddressRefusal) {
            var call = try ReceiverCall(
                request.url, policy, method: request.method ?? "", message: request.body,
                tenant: request.app)
            call.metadata = request.headers
            call.timeout = timeout
            return await answer(to: call, caller)
        } catch {
            return .failure(.refused(error))
        }
    }

    private static func timeLeft(_ request: HookRequest) -> Duration {
        request.timeLeft(at: SystemClock.boot.milliseconds)
    }

    private static func answer(
        to call: ReceiverCall, _ caller: ReceiverCaller
    ) async -> Result<ReceiverAnswer, WebhookFailure> {
        do throws(WebhookFailure) {
            return .success(try await caller.call(call))
        } catch {
            return .failure(error)
        }
    }

    private static func call(
        _ request: HookRequest, _ policy: AddressPolicy, _ caller: ReceiverCaller
    ) async -> HookResult {
        switch await call(request, timeLeft(request), policy, caller) {
        case .success(let answer): HookResult(answer)
        case .failure(let failure): HookResult(failure)
        }
    }

    private static func send(
        _ request: HookRequest, _ manner: Manner, _ sender: WebhookSender
    ) async -> HookResult {
        do throws(AddressRefusal) {
            let endpoint = try manner.endpoint(request)
            var message = WebhookRequest(
                endpoint, contentType: request.contentType, body: request.body)
            message.query = request.query
            message.headers = request.headers
            if request.wantsObject { message.keepsBody = WebhookLimits.keptBodyBytes }
            message.timeout = timeLeft(request)
            return await send(message, request.wantsObject, sender)
        } catch {
            return HookResult(WebhookFailure.refused(error))
        }
    }

    private static func send(
        _ message: WebhookRequest, _ isCallback: Bool, _ sender: WebhookSender
    ) async -> HookResult {
        do throws(WebhookFailure) {
            let answer = try await sender.send(message)
            return isCallback ? HookResult(ofCallback: answer) : HookResult(answer)
        } catch {
            return HookResult(error)
        }
    }
}

extension HookReceivers {
    /// Asks, and keeps the answer, which says how the call goes on.
    private static func ask(
        _ request: HookRequest, _ milliseconds: Int64, _ manner: Manner, _ sender: WebhookSender
    ) async -> HookReply {
        do throws(AddressRefusal) {
            let endpoint = try manner.endpoint(request)
            var message = WebhookRequest(
                endpoint, contentType: request.contentType, body: request.body)
            message.query = request.query
            message.headers = request.headers
            message.keepsBody = WebhookLimits.keptBodyBytes
            message.timeout = .milliseconds(milliseconds)
            do throws(WebhookFailure) {
                return HookReply(try await sender.send(message))
            } catch {
                return HookReply(error)
            }
        } catch {
            return HookReply(WebhookFailure.refused(error))
        }
    }
}
