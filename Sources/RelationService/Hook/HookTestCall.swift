import RelationAPI
import RelationCalls
import RelationCore
import RelationHooks
import RelationModel
import Synchronization

/// A test of a hook: one call, from its write to the receiver's answer.
///
/// `@unchecked Sendable`: a loop makes it, then the committer's thread alone touches ``tested``,
/// and then the loop again. The result stands in a lock.
final class HookTestCall: @unchecked Sendable {
    /// The hook, with the time of the test; nil if nothing is to be sent.
    ///
    /// A transaction that runs again sets it once more.
    var tested: Hooks.Changed?
    private let app: App
    private let result = Mutex<(result: HookResult, durationMs: Int64)?>(nil)

    init(_ app: App) {
        self.app = app
    }

    /// The id of the event that is to be sent.
    var eventID: String {
        guard let tested else { return "" }
        return HookTester.eventID(of: tested.hook, app, at: tested.progress.testedMs)
    }

    /// Sends the event.
    ///
    /// - Returns: Whether it is on its way; `end` is called once the receiver has answered.
    func send(
        _ tester: HookTester, with permit: HookTester.Permit, _ clock: ServiceClock,
        _ end: @escaping Work<TestHookResponse>.Completion
    ) -> Bool {
        guard let tested else { return false }
        let start = clock.now().milliseconds
        tester.send(to: tested.hook, of: app, at: tested.progress.testedMs, with: permit) {
            result in
            let duration = max(0, clock.now().milliseconds - start)
            self.result.withLock { $0 = (result, duration) }
            end(nil)
        }
        return true
    }

    /// Tells how the receiver took the event.
    func complete(_ response: inout TestHookResponse) {
        guard let (result, durationMs) = result.withLock({ $0 }) else { return }
        response.confirmed = result.cause == nil
        response.status = Int32(clamping: result.status)
        response.cause = result.cause ?? ""
        response.durationMs = durationMs
    }
}
