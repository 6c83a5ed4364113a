package import GRPC
import GRPCWire
package import Logging
import Protobuf
import RPC
import RelationCore
import Synchronization

/// Which calls have a line in the log.
package struct CallLogOptions: Sendable, Equatable {
    /// One call in so many has a line: 0 is none, and 1 is each.
    package var every = 0
    /// A call that ends by itself and takes longer has a line; nil for none.
    package var slowMilliseconds: Int?
    /// Whether lines have the ids of users.
    package var namesUsers = false

    package init() {}

    /// Whether no call has a line but those that fail by an internal error.
    package var isIdle: Bool { every == 0 && slowMilliseconds == nil }
}

/// The lines of calls: those that failed by an internal error, slow ones, and those that the access
/// log picks.
///
/// A loop puts what a line needs into a queue, and goes on. A thread of its own makes the lines. It
/// may wait for whoever reads the log; then the queue fills, and further lines are left out and
/// counted. The next line says how many. Calls without a caller have few lines, since anyone may
/// make them: further ones are counted too, and reported once a minute.
package final class CallLog: CallObserver {
    /// Writes a line.
    package typealias Write = @Sendable (Logger.Level, Logger.Message, Logger.Metadata) -> Void

    private struct State {
        var records: [CallRecord] = []
        var leftOut = 0
        var isScheduled = false
        /// The room for lines of calls without a caller: anyone may cause them.
        var unauthenticated = LineRoom()
        var isSummaryDue = false

        /// The work that a call makes for the thread.
        enum Due {
            case nothing, drain, summary
        }

        mutating func add(_ record: CallRecord, at now: UInt64) -> Due {
            if !record.hasCaller {
                guard let leftOut = unauthenticated.consume(at: now) else {
                    defer { isSummaryDue = true }
                    return isSummaryDue ? .nothing : .summary
                }
                self.leftOut += leftOut
            }
            guard records.count < RuntimeLimits.loggedCalls else {
                leftOut += 1
                return .nothing
            }
            records.append(record)
            defer { isScheduled = true }
            return isScheduled ? .nothing : .drain
        }
    }

    private let write: Write
    private let every = Atomic(0)
    private let slowNanoseconds = Atomic(Int64.max)
    private let namesUsers = Atomic(false)
    /// The calls since one had a line of the access log.
    private let passed = Atomic(0)
    private let state = Mutex(State())
    /// Nanoseconds that only rise.
    private let clock: @Sendable () -> UInt64
    private let thread: WorkThread

    /// - Parameter thread: The thread that makes the lines.
    package init(
        _ options: CallLogOptions, thread: WorkThread = WorkThread("call-log"),
        clock: @escaping @Sendable () -> UInt64 = { Deadline.clock }, _ write: @escaping Write
    ) {
        self.write = write
        self.clock = clock
        self.thread = thread
        apply(options)
    }

    /// Takes other options, for calls that end from now on.
    package func apply(_ options: CallLogOptions) {
        every.store(options.every, ordering: .relaxed)
        let slow = options.slowMilliseconds.map { Int64($0) * 1_000_000 }
        slowNanoseconds.store(slow ?? .max, ordering: .relaxed)
        namesUsers.store(options.namesUsers, ordering: .relaxed)
    }

    package func ended(_ notes: CallNotes) {
        let kind: CallRecord.Kind
        if notes.cause != nil {
            kind = .failed
        } else if notes.isUnary, notes.ownNanoseconds > slowNanoseconds.load(ordering: .relaxed) {
            kind = .slow
        } else {
            guard isPicked else { return }
            kind = .picked
        }
        notes.readHeaders()
        add(CallRecord(kind, notes))
    }

    /// Whether the access log has this call.
    private var isPicked: Bool {
        let every = every.load(ordering: .relaxed)
        guard every > 1 else { return every == 1 }
        return passed.add(1, ordering: .relaxed).newValue % every == 0
    }

    private func add(_ record: CallRecord) {
        let now = record.hasCaller ? 0 : clock()
        switch state.withLock({ $0.add(record, at: now) }) {
        case .nothing: break
        case .drain:
            // One wake-up of the thread serves all calls that end meanwhile.
            thread.run(afterMilliseconds: RuntimeLimits.logMilliseconds) { [weak self] in
                self?.drain()
            }
        case .summary:
            let wait = Int(CallLimits.logSummarySeconds) * 1_000
            thread.run(afterMilliseconds: wait) { [weak self] in self?.summarize() }
        }
    }

    /// Reports the calls without a caller that were left out, and that no line reported.
    private func summarize() {
        let leftOut = state.withLock { state in
            state.isSummaryDue = false
            return state.unauthenticated.takeLeftOut()
        }
        guard leftOut > 0 else { return }
        write(
            .notice, "calls without a credential were left out",
            ["left_out": .stringConvertible(leftOut)])
    }

    /// Writes all that waits.
    private func drain() {
        while let (records, leftOut) = next() {
            for (index, record) in records.enumerated() {
                var line = record.line(namingUsers: namesUsers.load(ordering: .relaxed))
                if index == 0, leftOut > 0 {
                    line.metadata["left_out"] = .stringConvertible(leftOut)
                }
                write(line.level, line.message, line.metadata)
            }
        }
    }

    private func next() -> (records: [CallRecord], leftOut: Int)? {
        state.withLock { state in
            guard !state.records.isEmpty else {
                state.isScheduled = false
                return nil
            }
            defer {
                state.records = []
                state.leftOut = 0
            }
            return (state.records, state.leftOut)
        }
    }

    /// Waits until all lines are written of calls that have ended.
    package func close() {
        thread.run { [weak self] in
            self?.drain()
            self?.summarize()
        }
        thread.wait()
    }
}
