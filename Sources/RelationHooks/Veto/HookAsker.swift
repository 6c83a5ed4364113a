package import RPC
package import RelationAdmission
package import RelationCalls
package import RelationCore
import RelationModel
import Synchronization

/// The time that one question has.
private struct QuestionTime: Sendable {
    /// The beginning, on the clock of deadlines.
    let began: UInt64
    /// The milliseconds that the hook is given.
    let usual: Int64
    /// The milliseconds that this question has.
    private(set) var within: Int64

    init(beganAt began: UInt64, usual: Int64) {
        self.began = began
        self.usual = usual
        within = usual
    }

    /// Ends the wait with its call.
    mutating func cut(by deadline: Deadline) {
        within = min(usual, Int64((deadline.nanoseconds - began) / 1_000_000) + 1)
    }

    /// Whether the question ended because its call had too little time to judge the receiver.
    ///
    /// A line that fails before that, such as a refused connection, is the receiver's own fault.
    func isCutShort(at now: UInt64) -> Bool {
        within < usual / HookLimits.judgedPartOfTime && now >= began
            && now - began >= UInt64(within) * 1_000_000
    }
}

/// Asks the hooks of apps about calls, for all calls of this server.
///
/// A call waits as a closure: no thread waits with it.
package final class HookAsker: Sendable {
    private struct State {
        var gate: QuestionGate
        var counts = HookAskCounts()
    }

    /// Notes a question without an answer among the failures of its hook.
    package typealias Note = @Sendable (UInt32, HookID, HookFailureRecord) -> Void

    private let apps: Apps
    private let clock: ServiceClock
    /// The clock of deadlines, in nanoseconds: it never goes back.
    private let steadyClock: @Sendable () -> UInt64
    /// Nil if the operator allows no hooks: each question is then one without an answer.
    private let transport: (any HookTransport)?
    private let randomness: Randomness
    private let note: Note
    private let state: Mutex<State>

    /// - Parameters:
    ///   - questionsOfApp: Calls of one app that may wait.
    ///   - questions: Calls of all apps that may wait.
    ///   - steadyClock: Nanoseconds of the clock of deadlines.
    ///   - note: Learns of each question without an answer.
    package init(
        apps: Apps, clock: ServiceClock, transport: (any HookTransport)?,
        randomness: Randomness = .system, questionsOfApp: Int = Limits.questionsOfApp,
        questions: Int = HookLimits.questions,
        steadyClock: @escaping @Sendable () -> UInt64 = { Deadline.clock },
        note: @escaping Note = { _, _, _ in }
    ) {
        self.apps = apps
        self.clock = clock
        self.steadyClock = steadyClock
        self.transport = transport
        self.randomness = randomness
        self.note = note
        state = Mutex(State(gate: QuestionGate(ofApp: questionsOfApp, all: questions)))
    }

    private var now: Int64 { clock.now().milliseconds }
    /// The time for pauses, in milliseconds of ``steadyClock``.
    private var steadyNow: Int64 { Int64(clamping: steadyClock() / 1_000_000) }

    /// Asks the hook of the app that has the question, and calls back once, on any thread.
    ///
    /// - Parameters:
    ///   - deadline: The end of the call, which may end the wait.
    ///   - isFit: Whether the call may be carried out with that answer, as far as its request
    ///     says: texts of the answer may be too long for their fields.
    package func ask(
        _ ask: HookAsk, in id: UInt32, by deadline: Deadline?,
        accepting isFit: @escaping @Sendable (HookVerdict) -> Bool = { _ in true },
        _ done: @escaping @Sendable (HookDecision) -> Void
    ) {
        // The app as it is now: the hook may have gone since the call came.
        guard let app = apps[id],
            let hook = app.settings.hooks.first(where: {
                !$0.isPaused && $0.asks.contains(ask.question)
            })
        else { return done(.proceed(nil, .unspecified)) }
        guard let transport else { return done(Self.silence(of: hook)) }
        let usual = hook.askTimeoutMs == 0 ? Limits.usualAskMilliseconds : hook.askTimeoutMs
        var time = QuestionTime(beganAt: steadyClock(), usual: usual)
        if let deadline {
            guard deadline.nanoseconds > time.began else { return done(.fail(.tooLate)) }
            time.cut(by: deadline)
        }
        let receiver = AskedReceiver(app: id, hook: HookID(hook.id), url: hook.url)
        let now = now
        switch enter(receiver, at: steadyNow) {
        case .ask: break
        case .pause: return done(Self.silence(of: hook))
        case .appIsFull: return done(.fail(.tooManyQuestions))
        case .serverIsFull: return done(.fail(.overloaded))
        }
        let name = "\(id)-ask-\(randomness.text(bytes: 16))"
        transport.ask(
            ask, of: hook, in: app, named: name, at: now, within: time.within
        ) { [time] said in
            var said = said
            if case .answer(let verdict?) = said, !verdict.texts.isEmpty, !isFit(verdict) {
                // OK by HTTP, or by gRPC.
                said = .silence(
                    cause: "the answer has a text that the call may not write",
                    status: hook.form == .grpc ? 0 : 200)
            }
            self.end(receiver, said, time, named: name, by: ask.userID)
            switch said {
            case .answer(let verdict):
                let changes = verdict?.texts.isEmpty == false
                done(.proceed(verdict, changes ? .changed : .allowed))
            case .silence: done(Self.silence(of: hook))
            }
        }
    }

    private func enter(_ receiver: AskedReceiver, at now: Int64) -> QuestionGate.Entry {
        state.withLock { state in
            let entry = state.gate.begin(receiver, at: now)
            switch entry {
            case .ask: break
            case .pause: state.counts.paused += 1
            case .appIsFull, .serverIsFull: state.counts.full += 1
            }
            return entry
        }
    }

    private func end(
        _ receiver: AskedReceiver, _ said: HookSaid, _ time: QuestionTime, named name: String,
        by user: String
    ) {
        let (now, steadyNow) = (now, steadyNow)
        let judgement: QuestionGate.Judgement =
            switch said {
            case .answer: .answered
            case .silence(_, let status):
                status == 0 && time.isCutShort(at: steadyClock()) ? .cutShort : .silent
            }
        state.withLock { state in
            state.gate.end(receiver, judgement, at: steadyNow)
            switch said {
            case .answer(nil): state.counts.allowed += 1
            case .answer(let verdict?) where verdict.isRefusal: state.counts.refused += 1
            case .answer: state.counts.changed += 1
            case .silence: state.counts.silent += 1
            }
        }
        guard judgement == .silent, case .silence(let cause, let status) = said else { return }
        var failure = HookFailureRecord()
        failure.timeMs = now
        failure.userID = user
        failure.eventID = name
        failure.attempt = 1
        failure.status = Int32(clamping: status)
        failure.cause = cause.echoed(atMost: Limits.hookCauseBytes)
        note(receiver.app, receiver.hook, failure)
    }

    /// The meaning of no answer, as the hook says.
    private static func silence(of hook: HookRecord) -> HookDecision {
        switch hook.silence {
        case .refuse: .proceed(.silent, .silent)
        case .fail: .fail(.hookSilent)
        default: .proceed(nil, .silent)
        }
    }

    /// How the questions went, and how many wait now.
    package func reading() -> HookAskCounts {
        let steadyNow = steadyNow
        return state.withLock { state in
            var counts = state.counts
            counts.waiting = state.gate.waiting
            counts.pausedReceivers = state.gate.paused(at: steadyNow)
            return counts
        }
    }
}

extension RPCError {
    /// The hook of the app gave no answer, and the app wants the call to fail then.
    fileprivate static let hookSilent = RPCError(
        .unavailable, .hookSilent,
        "the app's hook gave no answer about this call; try again later")

    fileprivate static let tooManyQuestions = RPCError(
        .resourceExhausted, .tooManyQuestions,
        "as many calls of the app wait for its hook as may; try again later",
        metadata: ["limit": "\(Limits.questionsOfApp)"])
}
