import RelationCore
import RelationModel

/// The receiver of a hook's questions: with another URL it is another receiver.
struct AskedReceiver: Hashable, Sendable {
    let app: UInt32
    let hook: HookID
    let url: String
}

/// Which questions may be asked: how many calls wait, and which receivers are silent.
///
/// It has no clock and no threads, so tests choose the times, which never go back.
struct QuestionGate: Sendable {
    /// Whether a question may be asked.
    enum Entry: Equatable {
        case ask
        /// The receiver was silent too often, and is not asked now.
        case pause
        /// As many calls of the app wait as may.
        case appIsFull
        /// As many calls of all apps wait as may.
        case serverIsFull
    }

    /// How a question ended, as far as the receiver is judged by it.
    enum Judgement: Equatable {
        case answered, silent
        /// The call ended with less than half of the time that the hook is given: that says nothing
        /// about the receiver.
        case cutShort
    }

    private struct Silence {
        var inRow = 0
        var pausedUntilMs: Int64 = 0
        var isTried = false
        /// When the last question had no answer.
        var lastMs: Int64 = 0
    }

    private let mostOfApp: Int
    private let most: Int
    private(set) var waiting = 0
    private var waitingOfApp: [UInt32: Int] = [:]
    /// The receivers whose last question had no answer.
    private var silences: [AskedReceiver: Silence] = [:]

    init(ofApp mostOfApp: Int = Limits.questionsOfApp, all most: Int = HookLimits.questions) {
        self.mostOfApp = mostOfApp
        self.most = most
    }

    /// Lets a question in; after ``Entry/ask`` it must end by ``end(_:_:at:)``.
    mutating func begin(_ receiver: AskedReceiver, at now: Int64) -> Entry {
        var silence = silences[receiver]
        if let known = silence, known.inRow >= HookLimits.silencesBeforePause,
            known.pausedUntilMs > now || known.isTried
        {
            return .pause
        }
        let mine = waitingOfApp[receiver.app, default: 0]
        guard waiting < most else { return .serverIsFull }
        // An app that has some may have no more than are left free: another one finds room.
        guard mine < mostOfApp, mine <= most - waiting else { return .appIsFull }
        if let known = silence, known.inRow >= HookLimits.silencesBeforePause {
            silence?.isTried = true
            silences[receiver] = silence
        }
        waiting += 1
        waitingOfApp[receiver.app] = mine + 1
        return .ask
    }

    mutating func end(_ receiver: AskedReceiver, _ judgement: Judgement, at now: Int64) {
        waiting -= 1
        let mine = waitingOfApp[receiver.app, default: 1] - 1
        waitingOfApp[receiver.app] = mine == 0 ? nil : mine
        switch judgement {
        case .answered: silences[receiver] = nil
        case .cutShort: silences[receiver]?.isTried = false
        case .silent:
            var silence = silences[receiver] ?? Silence()
            // Questions that were under way when the pause began do not make it longer.
            let counts =
                silence.inRow < HookLimits.silencesBeforePause || silence.isTried
            if counts { silence.inRow += 1 }
            silence.isTried = false
            silence.lastMs = now
            let beyond = silence.inRow - HookLimits.silencesBeforePause
            if counts, beyond >= 0 {
                let pause = HookLimits.firstPauseMilliseconds << Int64(min(beyond, 10))
                silence.pausedUntilMs = now + min(pause, HookLimits.longestPauseMilliseconds)
            }
            silences[receiver] = silence
            forgetOld(at: now)
        }
    }

    /// The receivers whose silence is known.
    var known: Int { silences.count }

    /// The receivers that are not asked now.
    func paused(at now: Int64) -> Int { silences.values.count { $0.pausedUntilMs > now } }

    /// Forgets receivers that no call asked for long, so that hooks that are gone leave nothing.
    private mutating func forgetOld(at now: Int64) {
        guard silences.count > HookLimits.silentReceivers else { return }
        let old = now - 10 * HookLimits.longestPauseMilliseconds
        silences = silences.filter { $0.value.isTried || $0.value.lastMs > old }
    }
}
