import NIOCore
import PeerSupport
import RPC
import Testing

@testable import GRPC
@testable import GRPCWire

/// The states of a call, without a call.
struct CallStateMachineTests {
    enum State: CaseIterable {
        case pooled
        case open
        case running
        case finished
        case cancelled
        case abandoned
    }

    private static func machine(in state: State, answersSeveral: Bool = false) -> CallStateMachine {
        var machine = CallStateMachine()
        guard state != .pooled else { return machine }
        machine.open(answersSeveral: answersSeveral)
        switch state {
        case .pooled, .open: break
        case .running: machine.enter()
        case .finished, .cancelled:
            machine.enter()
            _ = machine.end(state == .finished ? .finished : .cancelled)
        case .abandoned:
            _ = machine.workBegins()
            _ = machine.end(.cancelled)
            _ = machine.retire(from: 7)
        }
        return machine
    }

    private func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    /// Each event by itself, with the action that follows.
    private static func actions(in state: State) -> [String] {
        func action<Action>(_ event: (inout CallStateMachine) -> Action) -> String {
            var machine = machine(in: state)
            return "\(event(&machine))"
        }
        return [
            action { $0.enter() ? "enter" : "-" },
            action { $0.handlerReturned() },
            action { $0.arrived(at: .distantFuture) },
            action { $0.mayAnswer() },
            action { $0.mayFinish(isOK: true) },
            action { $0.mayFinish(isOK: false) },
            action { $0.end(.finished) },
            action { $0.end(.cancelled) },
            action { $0.resume() ? "resume" : "-" },
            action { $0.checkTime(waits: true) ? "late" : "-" },
        ]
    }

    private static let table: [State: String] = [
        .pooled: "- nothing nothing ignore ignore ignore nothing nothing - -",
        .open: "enter nothing take send fail send retire retire - -",
        .running: "- nothing take send fail send wait wait - -",
        .finished: "- retire nothing ignore ignore ignore nothing nothing - -",
        .cancelled: "- retire nothing ignore ignore ignore nothing nothing - -",
        .abandoned: "- nothing nothing ignore ignore ignore nothing nothing - -",
    ]

    @Test(arguments: State.allCases)
    func eachEventHasItsActionInEachState(state: State) {
        #expect(Self.actions(in: state).joined(separator: " ") == Self.table[state])
        let machine = Self.machine(in: state)
        #expect(machine.isOpen == (state == .open || state == .running))
        #expect(machine.takesMessages == machine.isOpen)
        #expect(machine.isCancelled == (state == .cancelled))
        #expect(machine.isInUse == (state != .pooled))
    }

    // MARK: - The response

    @Test func aCallOfOneAnswerHasOneAndThenItsStatus() {
        var machine = Self.machine(in: .open)
        #expect(!machine.areHeadersSent)
        #expect(machine.answer() == true, "the header block goes first")
        #expect(machine.mayAnswer() == .fail)
        #expect(machine.mayFinish(isOK: true) == .send)
        #expect(machine.sendHeaders() == false)
        #expect(machine.end(.finished) == .retire)
        #expect(machine.retire(from: 1) == .recycle)
        #expect(!machine.areHeadersSent && !machine.isInUse, "the next call begins anew")
    }

    @Test func aCallOfManyAnswersHasAnyNumber() {
        var machine = Self.machine(in: .open, answersSeveral: true)
        #expect(machine.mayFinish(isOK: true) == .send)
        #expect(machine.sendHeaders() == true)
        #expect(machine.sendHeaders() == false)
        for _ in 0..<3 {
            #expect(machine.mayAnswer() == .send)
            #expect(machine.answer() == false)
        }
        #expect(machine.mayFinish(isOK: true) == .send)
    }

    @Test(arguments: [CallStateMachine.End.finished, .cancelled])
    func theFirstEndCounts(end: CallStateMachine.End) {
        var machine = Self.machine(in: .running)
        #expect(machine.end(end) == .wait)
        #expect(machine.end(.finished) == .nothing)
        #expect(machine.end(.cancelled) == .nothing)
        #expect(machine.isCancelled == (end == .cancelled))
        #expect(machine.handlerReturned() == .retire)
    }

    // MARK: - Requests

    @Test func aCallWhoseDeadlineHasPassedTakesNothing() {
        var machine = Self.machine(in: .open)
        machine.begin(deadline: Deadline(at(5)))
        #expect(machine.arrived(at: at(4)) == .take)
        #expect(machine.arrived(at: at(5)) == .expire)
        machine.requestEnds()
        #expect(machine.arrived(at: at(5)) == .nothing)
        _ = machine.end(.cancelled)
        _ = machine.retire(from: 1)
        #expect(machine.deadline == nil)
    }

    @Test func aHandlerThatPausesGetsItsMessagesAgainWhenItHasReturned() {
        var machine = Self.machine(in: .running)
        machine.pause()
        #expect(!machine.takesMessages && !machine.isResumeDue)
        #expect(machine.resume() == false, "it is on the stack")
        #expect(machine.takesMessages && machine.isResumeDue)
        #expect(machine.handlerReturned() == .nothing)
        #expect(machine.resume() == true)
        #expect(!machine.isResumeDue)
        #expect(machine.resume() == false, "it was not paused")
    }

    @Test func aHandlerThatHasAllNeitherPausesNorGoesOn() {
        var machine = Self.machine(in: .open)
        machine.requestEnds()
        machine.pause()
        #expect(machine.resume() == false)
        #expect(!machine.takesMessages)
    }

    @Test func aMessageHasItsTimeFromTheOneBefore() {
        var machine = Self.machine(in: .open)
        let looks = Int(CallLimits.messageSeconds / CallLimits.sweepSeconds)
        for _ in 0..<looks { #expect(machine.checkTime(waits: true) == false) }
        machine.deliver()
        _ = machine.handlerReturned()
        for _ in 0..<looks { #expect(machine.checkTime(waits: true) == false) }
        #expect(machine.checkTime(waits: false) == false)
        machine.pause()
        #expect(machine.checkTime(waits: true) == false)
        _ = machine.resume()
        #expect(machine.checkTime(waits: true) == true)
    }

    // MARK: - Work

    @Test(arguments: [State.open, .running, .finished, .cancelled])
    func workComesBackToItsCall(state: State) {
        var machine = Self.machine(in: state)
        #expect(machine.workBegins() == true)
        #expect(machine.workBegins() == false)
        #expect("\(machine.workEnds())" == "nothing")
        #expect("\(machine.workEnds())" == "back")
        #expect(machine.isInUse)
    }

    @Test func anObjectIsReusedWhenTheLastWorkIsBack() {
        var machine = Self.machine(in: .open)
        for _ in 0..<2 { _ = machine.workBegins() }
        #expect(machine.end(.cancelled) == .retire)
        #expect(machine.retire(from: 7) == .abandon)
        #expect("\(machine.workEnds())" == "nothing")
        #expect(machine.isInUse)
        #expect("\(machine.workEnds())" == "recycle(connection: 7)")
        #expect(!machine.isInUse)
    }

    // MARK: - Histories

    /// Does what a machine says, and notes how often.
    private struct Shell {
        var machine = CallStateMachine()
        var depth = 0
        var work = 0
        var heads = 0
        var answers = 0
        var statuses = 0
        var retirements = 0
        var recycled = 0
        var hasEnded = true

        mutating func open(answersSeveral: Bool) {
            machine.open(answersSeveral: answersSeveral)
            (heads, answers, statuses, retirements, recycled) = (0, 0, 0, 0, 0)
            hasEnded = false
        }

        mutating func follow(_ ending: CallStateMachine.Ending) {
            guard ending == .retire else { return }
            #expect(depth == 0 && hasEnded)
            retirements += 1
            if machine.retire(from: 1) == .recycle {
                #expect(work == 0)
                recycled += 1
            }
        }

        mutating func end(_ end: CallStateMachine.End) {
            let ending = machine.end(end)
            guard ending != .nothing else { return }
            #expect(!hasEnded)
            hasEnded = true
            statuses += 1
            follow(ending)
        }

        mutating func answer() {
            switch machine.mayAnswer() {
            case .ignore: #expect(hasEnded)
            case .fail: end(.finished)
            case .send:
                #expect(!hasEnded)
                if machine.answer() { heads += 1 }
                answers += 1
            }
        }

        mutating func finish(isOK: Bool) {
            switch machine.mayFinish(isOK: isOK) {
            case .ignore: #expect(hasEnded)
            case .fail, .send: end(.finished)
            }
        }

        mutating func workEnds() {
            guard work > 0 else { return }
            work -= 1
            switch machine.workEnds() {
            case .nothing: #expect(work > 0)
            case .back: #expect(work == 0 && retirements == 0)
            case .recycle:
                #expect(work == 0 && retirements == 1)
                recycled += 1
            }
        }

        mutating func handlerReturns() {
            guard depth == 1 else { return }
            depth = 0
            follow(machine.handlerReturned())
            guard machine.isResumeDue else { return }
            #expect(!hasEnded)
            #expect(machine.resume() == true)
        }

        mutating func step(_ numbers: inout SeededNumbers) {
            switch Int.random(in: 0..<12, using: &numbers) {
            case 0...1: if depth == 0, machine.enter() { depth = 1 }
            case 2...3: handlerReturns()
            case 4: if machine.isOpen, machine.sendHeaders() { heads += 1 }
            case 5: answer()
            case 6: finish(isOK: Bool.random(using: &numbers))
            case 7: if Int.random(in: 0..<4, using: &numbers) == 0 { end(.cancelled) }
            case 8: machine.pause()
            case 9: if machine.resume() { #expect(!hasEnded && depth == 0) }
            case 10:
                guard machine.isOpen else { return }
                work += 1
                #expect(machine.workBegins() == (work == 1))
            default: workEnds()
            }
        }
    }

    @Test(arguments: UInt64(1)...20)
    func everyHistoryEndsOnceAndSendsNothingAfterwards(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var shell = Shell()
        for _ in 0..<50 {
            let answersSeveral = Bool.random(using: &numbers)
            shell.open(answersSeveral: answersSeveral)
            for _ in 0..<Int.random(in: 1..<40, using: &numbers) {
                shell.step(&numbers)
                #expect(shell.machine.isOpen != shell.hasEnded)
                #expect(shell.machine.takesMessages == false || !shell.hasEnded)
            }
            shell.end(.cancelled)
            shell.handlerReturns()
            while shell.work > 0 { shell.workEnds() }
            #expect(shell.statuses == 1 && shell.retirements == 1 && shell.recycled == 1)
            #expect(shell.heads <= 1 && shell.heads >= min(shell.answers, 1))
            #expect(answersSeveral || shell.answers <= 1)
            #expect(!shell.machine.isInUse)
        }
    }
}
