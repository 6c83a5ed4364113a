import RelationAPI
import RelationHooks
import RelationModel
import RelationSuite
import Webhooks

@testable import RelationCalls
@testable import RelationService

// Calls about the webhooks of an app.
extension ServiceHistory {
    /// A call about hooks, whose ids are drawn from few.
    mutating func hookCall(_ randomness: Randomness) -> ServiceStep {
        let policy = HookPolicy(
            refusal: { _ in nil },
            send: { _, done in done(HookResult(WebhookAnswer(status: 204))) })
        let id = randomness.text(bytes: 8)
        switch number(6) {
        case 0, 1:
            var request = CreateHookRequest()
            request.url = "https://receiver.invalid/"
            return ServiceStep(
                HookMethods.createHook, request,
                { request, call, violations in
                    HookHandlers.create(request, call, &violations, policy, randomness)
                })
        case 2:
            var request = UpdateHookRequest()
            request.hookID = id
            request.name = ["a", "b"][number(2)]
            request.paused = number(2) == 0
            return ServiceStep(
                HookMethods.updateHook, request,
                { request, call, violations in
                    HookHandlers.update(request, call, &violations, policy)
                })
        case 3:
            var request = RotateHookSecretRequest()
            request.hookID = id
            request.oldExpireTimeMs = 0
            // The hook has the secret that this randomness makes; that one would change nothing.
            request.secret = "whsec_" + String(repeating: number(2) == 0 ? "A" : "B", count: 32)
            return ServiceStep(
                HookMethods.rotateHookSecret, request,
                { request, call, violations in
                    HookHandlers.rotate(request, call, &violations, randomness)
                })
        case 4 where id.hasPrefix("00") || id.hasPrefix("01"):
            var request = TestHookRequest()
            request.hookID = id
            // A dry run sends no event.
            return ServiceStep(
                HookMethods.testHook, request,
                { request, call, violations in
                    HookHandlers.test(request, call, &violations, policy, .system)
                }, forgetting: { $0.eventID = "" })
        case 4:
            var request = ReplayHookRequest()
            request.hookID = id
            request.timeMs = 1
            return ServiceStep(HookMethods.replayHook, request, HookHandlers.replay)
        default:
            var request = DeleteHookRequest()
            request.hookID = id
            return ServiceStep(HookMethods.deleteHook, request, HookHandlers.delete)
        }
    }
}
