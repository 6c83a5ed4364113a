import Dispatch
import GRPC
import GRPCWire
import Logging
import RPC
import RelationCore
import RelationModel
import Synchronization
import Testing

@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationRuntime

/// Which calls have a line in the log, and what the line says.
struct CallLogTests {
    private struct Line {
        let level: Logger.Level
        let message: String
        let metadata: Logger.Metadata
    }

    /// The lines that a log has written.
    private final class Lines: Sendable {
        private let lines = Mutex<[Line]>([])

        var all: [Line] { lines.withLock { $0 } }
        var messages: [String] { all.map(\.message) }

        func add(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata) {
            let line = Line(level: level, message: "\(message)", metadata: metadata)
            lines.withLock { $0.append(line) }
        }
    }

    private let someone = Caller(
        app: App(id: 7, settings: .tim), user: UserID(stored: "ann".utf8))

    private func notes(_ change: (CallNotes) -> Void = { _ in }) -> CallNotes {
        let notes = CallNotes()
        notes.path = "/relation.v1.FriendService/ListFriends"
        notes.isUnary = true
        notes.nanoseconds = 5_000_000
        notes.ownNanoseconds = 5_000_000
        notes.caller = someone
        change(notes)
        return notes
    }

    /// The lines of the calls that `body` ends.
    private func lines(
        _ change: (inout CallLogOptions) -> Void, _ body: (CallLog) -> Void
    ) -> [Line] {
        let lines = Lines()
        var options = CallLogOptions()
        change(&options)
        let log = CallLog(options) { lines.add($0, $1, $2) }
        body(log)
        log.close()
        return lines.all
    }

    @Test func aLogThatIsOffHasNoLineOfACallThatWentWell() {
        let found = lines({ _ in }) { log in
            log.ended(notes())
            log.ended(notes { $0.status = Status(.notFound) })
        }
        #expect(found.isEmpty)
        #expect(CallLogOptions().isIdle)
    }

    @Test func oneCallInSoManyIsPicked() {
        let found = lines({ $0.every = 3 }) { log in for _ in 0..<30 { log.ended(notes()) } }
        #expect(found.count == 10)
        #expect(
            lines({ $0.every = 1 }) { log in for _ in 0..<30 { log.ended(notes()) } }.count == 30)
    }

    @Test func aSlowCallIsReported() {
        let found = lines({ $0.slowMilliseconds = 5 }) { log in
            log.ended(notes())
            log.ended(notes { $0.ownNanoseconds += 1 })
            // The client took its time.
            log.ended(notes { $0.nanoseconds = .max })
            log.ended(notes { ($0.isUnary, $0.nanoseconds) = (false, .max) })
        }
        #expect(found.map(\.message) == ["slow call"])
        #expect(found.map(\.level) == [.warning])
        #expect(found.first?.metadata["microseconds"] == .stringConvertible(5_000))
    }

    @Test(arguments: [
        (Status.Code.internalError, Logger.Level.error), (.unknown, .error), (.dataLoss, .error),
        (.unavailable, .error), (.resourceExhausted, .warning), (.aborted, .info),
    ])
    func aCallThatFailedByOurErrorIsReportedWithItsCause(code: Status.Code, level: Logger.Level) {
        let error = RPCError(code, .storageUnavailable, "the store failed")
        let found = lines({ _ in }) { log in
            log.ended(
                notes {
                    $0.status = Status(error)
                    $0.cause = "no disk"
                })
        }
        #expect(found.map(\.message) == ["call failed"])
        #expect(found.map(\.level) == [level])
        #expect(found.first?.metadata["cause"] == "no disk")
        #expect(found.first?.metadata["reason"] == "STORAGE_UNAVAILABLE")
        #expect(found.first?.metadata["code"] == "\(code)")
    }

    @Test func usersAreNamedOnlyIfTheLogMayNameThem() {
        let caller = Caller(
            app: App(id: 7, settings: .tim), user: UserID(stored: "ann".utf8))
        for (names, label) in [(false, "user"), (true, "user:ann")] {
            let found = lines({ ($0.every, $0.namesUsers) = (1, names) }) { log in
                log.ended(notes { $0.caller = caller })
            }
            #expect(found.first?.metadata["caller"] == "\(label)")
            #expect(found.first?.metadata["app"] == .stringConvertible(7))
            let isNamed = found.contains { line in
                line.metadata.values.contains { "\($0)".contains("ann") }
            }
            #expect(isNamed == names)
        }
    }

    @Test func theTraceIsThatOfTheCaller() {
        let found = lines({ $0.every = 1 }) { log in
            log.ended(notes())
            log.ended(
                notes {
                    $0.trace = TraceParent(
                        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00")
                })
        }
        let ids = found.map { $0.metadata["trace_id"] }
        #expect(ids == [nil, "0af7651916cd43dd8448eb211c80319c"])
    }

    @Test func aLogThatIsNotReadLeavesLinesOutAndCountsThem() {
        let lines = Lines()
        let (waits, goes) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFirst = Mutex(true)
        var options = CallLogOptions()
        options.every = 1
        let log = CallLog(options) { level, message, metadata in
            let first = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if first {
                waits.signal()
                goes.wait()
            }
            lines.add(level, message, metadata)
        }
        log.ended(notes())
        waits.wait()
        for _ in 0..<RuntimeLimits.loggedCalls + 5 { log.ended(notes()) }
        goes.signal()
        log.close()
        log.ended(notes())
        log.close()
        let counts = lines.all.map { $0.metadata["left_out"] }
        #expect(counts.count == RuntimeLimits.loggedCalls + 2)
        #expect(counts[1] == .stringConvertible(5))
        #expect(counts.count { $0 != nil } == 1)
    }

    @Test func callsWithoutACallerHaveFewLinesAndAreCounted() {
        let now = Atomic<UInt64>(1_000_000_000_000)
        let lines = Lines()
        var options = CallLogOptions()
        (options.every, options.slowMilliseconds) = (1, 1)
        // Else the thread might make lines before the last call.
        let thread = WorkThread("call-log", isDriven: true)
        let log = CallLog(options, thread: thread, clock: { now.load(ordering: .relaxed) }) {
            lines.add($0, $1, $2)
        }
        for _ in 0..<1_000 { log.ended(notes { $0.caller = nil }) }
        for _ in 0..<100 { log.ended(notes()) }
        log.close()
        let messages = lines.messages
        #expect(messages.count { $0 == "slow call" } == CallLimits.logBurst + 100)
        #expect(messages.last == "calls without a credential were left out")
        let leftOut = 1_000 - CallLimits.logBurst
        #expect(lines.all.last?.metadata["left_out"] == .stringConvertible(leftOut))
        // The next line with room tells of them too, if nothing else has.
        for _ in 0..<7 { log.ended(notes { $0.caller = nil }) }
        now.add(1_000_000_000, ordering: .relaxed)
        log.ended(notes { $0.caller = nil })
        log.close()
        #expect(lines.all.last?.message == "slow call")
        #expect(lines.all.last?.metadata["left_out"] == .stringConvertible(7))
    }

    @Test func otherOptionsHoldForTheNextCall() {
        let found = lines({ _ in }) { log in
            log.ended(notes())
            var options = CallLogOptions()
            options.every = 1
            log.apply(options)
            log.ended(notes())
        }
        #expect(found.map(\.message) == ["call"])
    }
}
