import Memory
import Protobuf
package import RelationCalls
import RelationModel
import Synchronization

/// The clock of a demo, which a caller sets: ahead of the machine's, or standing still.
///
/// All rules of the server go by it, and the heartbeats of streams. It never goes back, since
/// events and expiries rely on that. Deadlines and pauses go by the machine's own counter, as
/// everywhere.
package final class DemoClock: Sendable {
    /// Why a change was refused.
    package struct Refusal: Error, Equatable {
        package let words: String
    }

    private struct State {
        var aheadMilliseconds: Int64 = 0
        /// The time at which it stands; nil while it runs.
        var stopped: Int64?

        func now(_ machine: Int64) -> Int64 { stopped ?? machine + aheadMilliseconds }
    }

    private let state = Mutex(State())
    private let machine: ServiceClock

    package init(ahead machine: ServiceClock = .system) {
        self.machine = machine
    }

    /// The clock as the server reads it.
    package var service: ServiceClock {
        ServiceClock { [self] in
            let machine = machine.now().milliseconds
            return Timestamp(milliseconds: state.withLock { $0.now(machine) })
        }
    }

    /// The time, and whether it stands, in JSON.
    package var json: String {
        let machine = machine.now().milliseconds
        return state.withLock {
            "{\"now_ms\":\($0.now(machine)),\"stopped\":\($0.stopped != nil)}\n"
        }
    }

    /// Changes the clock as the JSON says: `now_ms` or `advance_ms`, and `stopped`.
    package func apply(_ json: String) throws(Refusal) {
        let change: Change
        do throws(CodecError) {
            change = try Arena.temporary { (arena) throws(CodecError) in
                try Change(json: json, arena)
            }
        } catch {
            throw Refusal(words: "\(error)")
        }
        try apply(change)
    }

    private func apply(_ change: Change) throws(Refusal) {
        guard change.nowMs != nil || change.advanceMs != nil || change.isStopped != nil else {
            throw Refusal(words: "now_ms, advance_ms or stopped is needed")
        }
        guard change.nowMs == nil || change.advanceMs == nil else {
            throw Refusal(words: "now_ms and advance_ms exclude each other")
        }
        let machine = machine.now().milliseconds
        let words = state.withLock { state -> String? in
            let before = state.now(machine)
            let (sum, isTooFar) = before.addingReportingOverflow(change.advanceMs ?? 0)
            // A sum that has no number is too far; it may not pass for an earlier time.
            let now = change.nowMs ?? (isTooFar ? .max : sum)
            guard now >= before else {
                return "the clock never goes back: it is \(before) now"
            }
            guard now - machine <= DemoLimits.aheadMilliseconds else {
                return "the clock goes at most \(DemoLimits.aheadMilliseconds) ms ahead"
            }
            let isStopped = change.isStopped ?? (state.stopped != nil)
            state.stopped = isStopped ? now : nil
            state.aheadMilliseconds = now - machine
            return nil
        }
        if let words { throw Refusal(words: words) }
    }

    /// A change as it is posted.
    private struct Change: CodedMessage {
        var nowMs: Int64?
        var advanceMs: Int64?
        var isStopped: Bool?

        static let schema = Schema("relation.demo.ClockChange", Change.self)

        mutating func visit(_ visitor: inout some FieldVisitor) {
            visitor.field(1, "now_ms", &nowMs)
            visitor.field(2, "advance_ms", &advanceMs)
            visitor.field(3, "stopped", &isStopped)
        }
    }
}
