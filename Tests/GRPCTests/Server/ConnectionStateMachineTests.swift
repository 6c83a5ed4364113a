import HTTP2
import NIOCore
import PeerSupport
import Testing

@testable import GRPC
@testable import GRPCWire

/// The states of a connection, without a connection.
struct ConnectionStateMachineTests {
    private typealias Machine = ConnectionStateMachine
    private typealias Action = ConnectionStateMachine.Action

    enum State: CaseIterable {
        /// It has said nothing.
        case new
        case open
        /// It takes no bytes.
        case full
        case announcing
        case draining
        case closed
    }

    private static func at(_ seconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(0) + .seconds(seconds)
    }

    private func at(_ seconds: Int64) -> NIODeadline { Self.at(seconds) }

    private static func machine(in state: State) -> Machine {
        var machine = Machine(now: at(0), ageSeconds: nil)
        guard state != .new else { return machine }
        _ = machine.begins(with: .http2)
        machine.settingsAcknowledged()
        switch state {
        case .new, .open: break
        case .full: _ = machine.writable(false, at: at(0))
        case .announcing: _ = machine.shutDown(at: at(0), true)
        case .draining:
            _ = machine.shutDown(at: at(0), true)
            _ = machine.pingAcknowledged()
        case .closed: _ = machine.close()
        }
        return machine
    }

    /// The place of a peer that is between two frames.
    private func between() throws -> FrameWalk {
        try Session(role: .client, pool: StreamPool()).walk
    }

    // MARK: - Each event in each state

    private static func actions(in state: State) -> [Action] {
        func action(_ event: (inout Machine) -> Action) -> Action {
            var machine = machine(in: state)
            machine.end(by: at(1_000))
            return event(&machine)
        }
        return [
            action { $0.failed(.badPreface) },
            action { $0.failed(.flooded) },
            action { $0.finished() },
            action { $0.finishedWriting() },
            action { $0.pingAcknowledged() },
            action { $0.shutDown(at: at(0), false) },
            action { $0.shutDown(at: at(0), true) },
            action { $0.endWarning(at: at(CallLimits.warningSeconds), hasCalls: false) },
            action { $0.endWarning(at: at(CallLimits.warningSeconds), hasCalls: true) },
            action { $0.endIdleness(at: at(9), hasCalls: false, after: 9) },
            action { $0.endLife(at: at(1_000), hasCalls: false, graceSeconds: 5) },
            action { $0.endLife(at: at(1_005), hasCalls: true, graceSeconds: 5) },
        ]
    }

    private static func expected(in state: State) -> [Action] {
        switch state {
        case .new:
            [
                .turnAway(.notHTTP2), .close, .close, .part, .nothing, .leave,
                .announce(notifiesCalls: false), .nothing, .nothing, .leave, .leave,
                .announce(notifiesCalls: true),
            ]
        case .open, .full:
            [
                .turnAway(.notHTTP2), .close, .close, state == .full ? .close : .part, .nothing,
                .announce(notifiesCalls: false), .announce(notifiesCalls: false), .nothing,
                .nothing,
                .announce(notifiesCalls: false), .announce(notifiesCalls: true),
                .announce(notifiesCalls: true),
            ]
        case .announcing:
            [
                .turnAway(.notHTTP2), .close, .close, .part, .drain, .nothing, .nothing, .leave,
                .drain, .nothing, .nothing, .cutOff,
            ]
        case .draining:
            [
                .turnAway(.notHTTP2), .close, .part, .part, .nothing, .nothing, .nothing,
                .nothing, .nothing, .nothing, .nothing, .cutOff,
            ]
        case .closed: Array(repeating: .nothing, count: 12)
        }
    }

    @Test(arguments: State.allCases)
    func eachEventHasItsActionInEachState(state: State) {
        #expect(Self.actions(in: state) == Self.expected(in: state))
        let machine = Self.machine(in: state)
        #expect(machine.isClosed == (state == .closed))
        #expect(machine.isOpen == [.new, .open, .full].contains(state))
        #expect(machine.isProtocolKnown == (state != .new))
        #expect(machine.takesBytes == (state != .closed))
    }

    private static let answers: [State: [Bool]] = [
        .new: [true, true, false, false, true],
        .open: [true, true, true, false, true],
        .full: [true, true, true, false, true],
        .announcing: [true, true, true, true, true],
        .draining: [true, true, true, false, true],
        .closed: [false, false, false, false, false],
    ]

    @Test(arguments: State.allCases)
    func eachStateAnswersWhatItTakes(state: State) {
        func answer(_ event: (inout Machine) -> Bool) -> Bool {
            var machine = Self.machine(in: state)
            return event(&machine)
        }
        let answers = [
            answer { $0.received(1, at: at(0)) },
            answer { $0.sliceEnds() },
            answer { $0.flushBegins() },
            answer { $0.takePing() },
            answer { $0.close() },
        ]
        #expect(answers == Self.answers[state])
    }

    @Test func theFirstBytesSayWhatIsSpoken() {
        let all: [(FirstBytes, Machine.Choice, Bool)] = [
            (.undecided, .wait, false), (.http2, .takeHTTP2, true), (.http1, .speakHTTP1, true),
            (.foreign, .drop, false),
        ]
        for (bytes, choice, isKnown) in all {
            var machine = Self.machine(in: .new)
            #expect(machine.begins(with: bytes) == choice)
            #expect(machine.isProtocolKnown == isKnown)
            var closed = Self.machine(in: .closed)
            #expect(closed.begins(with: bytes) == .wait)
        }
    }

    // MARK: - Reads and writes

    @Test func aReadWaitsForTheTurnThatTakesWhatWasRead() {
        var machine = Self.machine(in: .open)
        #expect(machine.sliceEnds() == true)
        #expect(machine.sliceEnds() == false, "one turn is asked for")
        #expect(!machine.takesBytes && !machine.runsCalls)
        #expect(machine.read() == .inSlice)
        #expect(machine.sliceBegins() == true)
        #expect(machine.takesBytes && machine.runsCalls)
        #expect(machine.read() == .now)
        _ = machine.sliceEnds()
        #expect(machine.sliceBegins() == false)
    }

    @Test func theReadAfterARefusedCallIsLateUnlessThereIsMoreToRead() {
        var machine = Self.machine(in: .open)
        _ = machine.received(1, at: at(0))
        machine.refusedCall()
        #expect(machine.read() == .later)
        #expect(machine.read() == .now)
        _ = machine.received(CallLimits.bytesPerSlice, at: at(0))
        machine.refusedCall()
        #expect(machine.read() == .now)
    }

    @Test func aFlushIsNotBegunInAFlush() {
        var machine = Self.machine(in: .open)
        #expect(machine.flushBegins() == true)
        #expect(machine.flushBegins() == false)
        #expect(machine.writable(true, at: at(0)) == false)
        machine.flushEnds()
        #expect(machine.writable(false, at: at(0)) == false)
        #expect(machine.writable(true, at: at(0)) == true)
    }

    @Test func thePingBehindTheWarningIsSentOnceAndWhenTheSocketTakesIt() {
        var machine = Self.machine(in: .announcing)
        _ = machine.writable(false, at: at(0))
        #expect(machine.takePing() == false)
        _ = machine.writable(true, at: at(0))
        #expect(machine.takePing() == true)
        #expect(machine.takePing() == false)
        #expect(
            machine.endWarning(at: at(CallLimits.warningSeconds - 1), hasCalls: true) == .nothing)
        #expect(machine.endWarning(at: at(CallLimits.warningSeconds), hasCalls: true) == .drain)
    }

    // MARK: - What the client does

    @Test func aClientThatOverdoesItIsRefusedUnlessItIsGone() {
        var machine = Self.machine(in: .open)
        func ping(hasSent: Bool = false) -> Action {
            machine.pinged(at: at(0), hasCalls: false, hasSent: hasSent)
        }
        for _ in 0...CallLimits.pingStrikes { #expect(ping() == .nothing) }
        #expect(ping(hasSent: true) == .nothing, "frames forgive the pings before them")
        for _ in 0..<CallLimits.pingStrikes { #expect(ping() == .nothing) }
        #expect(ping() == .refuse(.tooManyPings))
        for _ in 0..<CallLimits.settingsBurst {
            #expect(machine.settingsChanged(at: at(0)) == .nothing)
        }
        #expect(machine.settingsChanged(at: at(0)) == .refuse(.tooManySettings))
        func resets(_ count: Int) -> Action {
            machine.processed(resets: count, at: at(0), hasSent: false)
        }
        #expect(resets(CallLimits.resetBurst) == .nothing)
        #expect(resets(1) == .refuse(.tooManyResets))
        _ = machine.close()
        #expect(resets(1) == .nothing)
        #expect(machine.settingsChanged(at: at(0)) == .nothing)
        #expect(ping() == .nothing)
    }

    @Test func theLogHasItOnce() {
        var machine = Self.machine(in: .open)
        #expect(machine.logViolation() == true)
        #expect(machine.logViolation() == false)
    }

    // MARK: - What time tells

    @Test func aClientIsAskedWhetherItIsThereAndIsGivenUp() throws {
        let walk = try between()
        var machine = Self.machine(in: .open)
        let asked = CallLimits.keepaliveSeconds
        #expect(machine.checkTime(at: at(asked - 1), walk) == .nothing)
        #expect(machine.checkTime(at: at(asked), walk) == .ping)
        let late = asked + CallLimits.keepaliveAnswerSeconds
        #expect(machine.checkTime(at: at(late - 1), walk) == .nothing)
        var other = machine
        _ = other.received(1, at: at(late))
        #expect(other.checkTime(at: at(late), walk) == .nothing)
        #expect(machine.checkTime(at: at(late), walk) == .close)
        _ = machine.close()
        #expect(machine.checkTime(at: at(late), walk) == .nothing)
    }

    @Test func aClientThatReadsNothingOrDoesNotBeginIsGivenUp() throws {
        let walk = try between()
        var full = Self.machine(in: .full)
        #expect(full.checkTime(at: at(CallLimits.stalledSeconds), walk) == .giveUp(.unreadSocket))
        var new = Self.machine(in: .new)
        #expect(new.checkTime(at: at(CallLimits.handshakeSeconds - 1), walk) == .nothing)
        #expect(
            new.checkTime(at: at(CallLimits.handshakeSeconds), walk) == .terminate(.slowHandshake))
    }

    @Test func aHeaderBlockAndAFrameHaveTheirTime() throws {
        let preface = try Session(role: .server, pool: StreamPool())
        try preface.receive(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
        try preface.receive(Frame(.headers, stream: 1, payload: [0x82]).bytes)
        var machine = Self.machine(in: .open)
        machine.noteFrame(at: preface.walk, at(1))
        let head = CallLimits.headerSeconds
        #expect(machine.checkTime(at: at(head), preface.walk) == .nothing)
        #expect(machine.checkTime(at: at(head + 1), preface.walk) == .terminate(.slowHeaders))
    }

    @Test func theTimeInWhichTheServerDidNotRunIsNotTheClients() throws {
        let walk = try between()
        let lost: Int64 = 1_000
        func checked(_ state: State, after seconds: Int64) -> [Action] {
            [lost + seconds - 1, lost + seconds].map { time in
                var machine = Self.machine(in: state)
                machine.forgive(.seconds(lost), at: at(time))
                return machine.checkTime(at: at(time), walk)
            }
        }
        #expect(
            checked(.new, after: CallLimits.handshakeSeconds)
                == [.nothing, .terminate(.slowHandshake)])
        #expect(
            checked(.full, after: CallLimits.stalledSeconds)
                == [.nothing, .giveUp(.unreadSocket)])
        #expect(checked(.open, after: CallLimits.keepaliveSeconds) == [.nothing, .ping])
        // A client that was heard after the server woke up has no time ahead of it.
        var machine = Self.machine(in: .open)
        _ = machine.received(1, at: at(lost))
        machine.forgive(.seconds(lost), at: at(lost))
        let silent = lost + CallLimits.keepaliveSeconds
        #expect(machine.checkTime(at: at(silent - 1), walk) == .nothing)
        #expect(machine.checkTime(at: at(silent), walk) == .ping)
    }

    @Test func aConnectionReachesItsAgeOnceAndThenItsGrace() {
        func checkTime(_ seconds: Int64, _ machine: inout Machine) -> Action {
            machine.endLife(at: at(seconds), hasCalls: true, graceSeconds: 1)
        }
        var machine = Self.machine(in: .open)
        #expect(checkTime(1_000_000, &machine) == .nothing)
        machine.end(by: at(5))
        // Only an earlier end counts.
        machine.end(by: at(9))
        #expect(checkTime(4, &machine) == .nothing)
        #expect(checkTime(5, &machine) == .announce(notifiesCalls: true))
        #expect(checkTime(5, &machine) == .nothing)
        #expect(checkTime(6, &machine) == .cutOff)
    }

    @Test func aConnectionEndsAtMostAPartOfItsAgeSooner() {
        let spread = 100 / Int64(CallLimits.connectionAgeSpread)
        for _ in 0..<100 {
            var machine = Machine(now: at(0), ageSeconds: 100)
            let early = at(100 - spread) - .milliseconds(1)
            #expect(machine.endLife(at: early, hasCalls: true, graceSeconds: 1) == .nothing)
            #expect(
                machine.endLife(at: at(100), hasCalls: true, graceSeconds: 1)
                    == .announce(notifiesCalls: true))
        }
    }

    @Test func aConnectionIsIdleFromItsLastCallOn() {
        func checkTime(_ seconds: Int64, hasCalls: Bool = false, _ machine: inout Machine) -> Action
        {
            machine.endIdleness(at: at(seconds), hasCalls: hasCalls, after: 2)
        }
        var machine = Self.machine(in: .open)
        machine.called(at: at(1))
        #expect(checkTime(2, &machine) == .nothing)
        #expect(checkTime(5, hasCalls: true, &machine) == .nothing)
        #expect(checkTime(6, &machine) == .nothing)
        #expect(machine.idleSeconds(at: at(6)) == 1)
        #expect(machine.ageSeconds(at: at(6)) == 6)
        #expect(machine.endIdleness(at: at(99), hasCalls: false, after: nil) == .nothing)
        #expect(checkTime(7, &machine) == .announce(notifiesCalls: false))
        #expect(checkTime(99, &machine) == .nothing)
    }

    // MARK: - Histories

    /// Does what a machine says, and notes how often.
    private struct Shell {
        var machine = Machine(now: at(0), ageSeconds: 60)
        let walk: FrameWalk
        var seconds: Int64 = 0
        var announced = 0
        var pinged = 0
        var drained = 0
        var isGone = false

        mutating func perform(_ action: Action) {
            guard action != .nothing else { return }
            #expect(!isGone)
            switch action {
            case .nothing, .ping: break
            case .announce:
                #expect(announced == 0 && drained == 0)
                announced += 1
            case .drain:
                #expect(announced == 1 && drained == 0)
                drained += 1
            case .cutOff, .leave, .turnAway: perform(machine.finishedWriting())
            case .part, .close, .giveUp, .refuse, .terminate:
                #expect(action != .part || machine.isWritable)
                isGone = machine.close()
            }
        }

        mutating func step(_ numbers: inout SeededNumbers) {
            let now = at(seconds)
            let flag = Bool.random(using: &numbers)
            switch Int.random(in: 0..<18, using: &numbers) {
            case 0: seconds += Int64.random(in: 0..<4, using: &numbers)
            case 1: if machine.begins(with: .http2) != .wait { #expect(!isGone) }
            case 2: machine.settingsAcknowledged()
            case 3: if machine.received(1, at: now) { #expect(!isGone) }
            case 4: if machine.sliceEnds() { #expect(!isGone) }
            case 5: if machine.sliceBegins() { #expect(machine.runsCalls) }
            case 6: if machine.read() == .inSlice { #expect(!machine.runsCalls) }
            case 7: _ = machine.writable(flag, at: now)
            case 8:
                guard machine.flushBegins() else { return }
                #expect(!isGone && machine.isProtocolKnown)
                if machine.takePing() { pinged += 1 }
                machine.flushEnds()
            case 9: perform(machine.pinged(at: now, hasCalls: flag, hasSent: true))
            case 10: perform(machine.pingAcknowledged())
            case 11: machine.called(at: now)
            case 12: perform(machine.checkTime(at: now, walk))
            case 13: perform(machine.endWarning(at: now, hasCalls: flag))
            case 14: perform(machine.endIdleness(at: now, hasCalls: flag, after: 20))
            case 15: perform(machine.endLife(at: now, hasCalls: flag, graceSeconds: 5))
            case 16: if seconds > 30 { perform(machine.shutDown(at: now, flag)) }
            default: if drained > 0 || seconds > 90 { perform(machine.finished()) }
            }
        }
    }

    @Test(arguments: UInt64(1)...20)
    func everyHistoryWarnsOnceDrainsOnceAndEndsOnce(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<5 {
            var shell = Shell(walk: try between())
            for _ in 0..<600 {
                shell.step(&numbers)
                #expect(shell.machine.isClosed == shell.isGone)
                #expect(shell.machine.isOpen == (shell.announced == 0 && !shell.isGone))
            }
            shell.perform(shell.machine.finished())
            #expect(shell.pinged <= shell.announced)
            #expect(shell.isGone)
        }
    }
}
