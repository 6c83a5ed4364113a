package import RelationCore
import RelationModel
import Storage
import Synchronization
import Webhooks

/// The way of test events to the receivers of hooks, for some of each app at one time.
package final class HookTester: Sendable {
    private let send: HookSend
    private let underWay = Mutex<[UInt32: Int]>([:])

    package init(_ send: @escaping HookSend) {
        self.send = send
    }

    /// A permit among the tests of an app, as long as a caller holds it.
    package final class Permit: Sendable {
        private let app: UInt32
        private let tester: HookTester

        fileprivate init(_ app: UInt32, _ tester: HookTester) {
            self.app = app
            self.tester = tester
        }

        deinit { tester.free(app) }
    }

    /// A permit for a test of the app; nil if as many as may be are under way.
    package func acquire(of app: UInt32) -> Permit? {
        let isFree = underWay.withLock { underWay in
            guard underWay[app, default: 0] < Limits.hookTests else { return false }
            underWay[app, default: 0] += 1
            return true
        }
        return isFree ? Permit(app, self) : nil
    }

    private func free(_ app: UInt32) {
        underWay.withLock { underWay in
            let left = underWay[app, default: 1] - 1
            underWay[app] = left > 0 ? left : nil
        }
    }

    /// The tests that are under way, of all apps.
    var count: Int { underWay.withLock { $0.values.reduce(0, +) } }

    /// The id of the event of a test.
    ///
    /// - Parameter time: The time of the test, which no other test of the hook has.
    package static func eventID(of hook: HookRecord, _ app: App, at time: Int64) -> String {
        HookForms(app: app, hook: hook).testID(at: time)
    }

    /// Sends the event of a test.
    ///
    /// - Parameter permit: The permit of the test, which is held until the receiver has answered.
    package func send(
        to hook: HookRecord, of app: App, at time: Int64, with permit: Permit,
        _ done: @escaping @Sendable (HookResult) -> Void
    ) {
        let forms = HookForms(app: app, hook: hook)
        let request: HookRequest
        do throws(StorageError) {
            request = try forms.request([forms.test(at: time)], attempt: 1, at: time)
        } catch {
            return done(HookResult(.failed(why: error.message), status: 0))
        }
        send(request) { result in
            withExtendedLifetime(permit) { done(result) }
        }
    }
}
