package import GRPC
import GRPCWire
package import Logging
import Memory
import Protobuf
import RPC
import RelationAdmission
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

/// All that a line of the log needs of a call that has ended.
struct CallRecord: Sendable {
    /// Why the call is logged.
    enum Kind {
        /// By an internal error.
        case failed
        case slow
        /// By the access log.
        case picked
    }

    private let kind: Kind
    private let path: String
    private let status: Status
    private let cause: String?
    private let nanoseconds: Int64
    private let bytes: (received: Int, sent: Int)
    private let peer: String
    private let trace: TraceParent?
    private let caller: (any NotedCaller)?
    private let requestID: String

    var hasCaller: Bool { caller != nil }

    init(_ kind: Kind, _ notes: CallNotes) {
        self.kind = kind
        path = notes.path
        status = notes.status
        cause = notes.cause
        nanoseconds = notes.isUnary ? notes.ownNanoseconds : notes.nanoseconds
        bytes = (notes.receivedBytes, notes.sentBytes)
        peer = notes.peer
        trace = notes.trace
        caller = notes.caller
        requestID = notes.requestID
    }

    /// The line about the call.
    func line(
        namingUsers: Bool
    ) -> (level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata) {
        var metadata: Logger.Metadata = [
            "call": "\(path)", "code": "\(status.code)", "peer": "\(peer)",
            "microseconds": .stringConvertible(nanoseconds / 1_000),
            "received_bytes": .stringConvertible(bytes.received),
            "sent_bytes": .stringConvertible(bytes.sent),
        ]
        if let reason { metadata["reason"] = "\(reason)" }
        if let caller = caller as? Caller {
            metadata["app"] = .stringConvertible(caller.app.id)
            metadata["caller"] = "\(caller.label(namingUsers: namingUsers))"
        }
        if !requestID.isEmpty { metadata["request_id"] = "\(requestID)" }
        if let trace { metadata["trace_id"] = "\(trace.traceID)" }
        if let cause { metadata["cause"] = "\(cause)" }
        switch kind {
        case .failed: return (level, "call failed", metadata)
        case .slow: return (.warning, "slow call", metadata)
        case .picked: return (.info, "call", metadata)
        }
    }

    /// The level of an error: another attempt may succeed after some, and after others it may not.
    private var level: Logger.Level {
        switch status.code {
        case .internalError, .unknown, .dataLoss, .unavailable: .error
        case .aborted: .info
        default: .warning
        }
    }

    /// The stable reason that the status carries.
    private var reason: String? {
        guard !status.details.isEmpty else { return nil }
        do throws(CodecError) {
            return try Arena.temporary { (arena) throws(CodecError) in
                let details = try Coder(StatusMessage.self).message(status.details, arena).details
                for detail in details where detail.typeURL.hasSuffix("/google.rpc.ErrorInfo") {
                    return try Coder(ErrorInfo.self).message(detail.value, arena).reason
                }
                return nil
            }
        } catch {
            // The code says enough.
            return nil
        }
    }
}
