import GRPC
import RPC
import RelationAdmission
import RelationCalls
import RelationModel
import Storage
import Synchronization
import Testing

@testable import RelationCore
@testable import RelationHooks

/// An asker with its hook, whose receiver answers when the test says so.
final class QuestionLine: HookTransport {
    /// A decision, with the reason alone of a failure.
    enum Decision: Equatable, Sendable {
        case allowed
        case judged(HookVerdict)
        case failed(String)
    }

    private struct Waiting {
        let app: UInt32
        let done: @Sendable (HookSaid) -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        var asked: [UInt32: Int] = [:]
        var decisions: [Decision] = []
        var answers: [HookAnswer] = []
        var noted: [HookFailureRecord] = []
    }

    private let bench: HookBench
    private let state = Mutex(State())
    private let asker = Mutex<HookAsker?>(nil)

    init(
        _ silence: HookSilence = .allow, form: HookForm = .cloudEvents, hasTransport: Bool = true
    ) throws {
        bench = try HookBench()
        try bench.hook { hook in
            hook.asks = [.follow]
            hook.silence = silence
            hook.form = form
        }
        let bench = bench
        let made = HookAsker(
            apps: bench.apps, clock: ServiceClock { Timestamp(milliseconds: bench.wallMs) },
            transport: hasTransport ? self : nil,
            steadyClock: { UInt64(bench.nowMs) * 1_000_000 }
        ) { [weak self] _, _, failure in
            self?.state.withLock { $0.noted.append(failure) }
        }
        asker.withLock { $0 = made }
    }

    func ask(
        _ ask: HookAsk, of hook: HookRecord, in app: App, named id: String, at now: Int64,
        within milliseconds: Int64, _ done: @escaping @Sendable (HookSaid) -> Void
    ) {
        #expect(milliseconds <= Limits.usualAskMilliseconds)
        state.withLock { state in
            state.waiting.append(Waiting(app: app.id, done: done))
            state.asked[app.id, default: 0] += 1
        }
    }

    /// Asks about a call, and notes the decision when there is one.
    ///
    /// - Parameter milliseconds: The time that its client gives the call; nil if it has no end.
    func decide(
        _ ask: HookAsk, in app: UInt32 = 1, isFit: Bool = true, within milliseconds: Int64? = nil
    ) {
        let end = milliseconds.map { UInt64(bench.nowMs + $0) * 1_000_000 }
        let deadline = end.map { Deadline(nanoseconds: $0) }
        let asker = asker.withLock { $0 }
        asker?.ask(ask, in: app, by: deadline, accepting: { _ in isFit }) { [self] decision in
            let words: Decision =
                switch decision {
                case .proceed(nil, _): .allowed
                case .proceed(let verdict?, _): .judged(verdict)
                case .fail(let error): .failed(Self.reason(of: error))
                }
            state.withLock { state in
                state.decisions.append(words)
                if case .proceed(_, let answer) = decision { state.answers.append(answer) }
            }
        }
    }

    private static func reason(of error: RPCError) -> String {
        error.message.contains("gave no answer") ? "HOOK_SILENT" : "TOO_MANY_QUESTIONS"
    }

    /// The receiver of the app answers the question that waits longest.
    func answer(_ said: HookSaid, of app: UInt32 = 1) {
        let first = state.withLock { state -> Waiting? in
            guard let index = state.waiting.firstIndex(where: { $0.app == app }) else {
                return nil
            }
            return state.waiting.remove(at: index)
        }
        first?.done(said)
    }

    func isAsked(of app: UInt32) -> Bool {
        state.withLock { $0.waiting.contains { $0.app == app } }
    }

    func asked(of app: UInt32) -> Int { state.withLock { $0.asked[app] ?? 0 } }

    var asked: Int { asked(of: 1) }
    var decisions: [Decision] { state.withLock { $0.decisions } }
    /// The answers that the history of the calls which went on would keep.
    var answers: [HookAnswer] { state.withLock { $0.answers } }
    var noted: [HookFailureRecord] { state.withLock { $0.noted } }
    var counts: HookAskCounts { asker.withLock { $0 }?.reading() ?? HookAskCounts() }

    func later(_ milliseconds: Int64) { bench.later(milliseconds) }
    func setClock(by milliseconds: Int64) { bench.setClock(by: milliseconds) }

    /// Pauses the hook.
    func pause() throws {
        try bench.write { (ledger) throws(StorageError) in
            var change = Hooks.Change()
            change.isPaused = true
            _ = try Hooks.update(HookID("aaaaaaaaaaaaaaaa"), change, in: ledger)
        }
    }

    /// Another app, with a hook like that of the first.
    func anotherApp() throws -> UInt32 {
        let settings = try #require(bench.apps[1]).settings
        bench.apps.stage(AppChange(App(id: 2, settings: settings)))
        bench.apps.publish()
        return 2
    }
}
