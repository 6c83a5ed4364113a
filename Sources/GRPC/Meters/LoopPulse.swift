import GRPCWire
import NIOCore
import Synchronization

/// Asks a loop now and then whether it still runs, without waiting for its answer.
final class LoopPulse: Sendable {
    private struct State {
        /// When the question was put that has no answer yet.
        var asked: UInt64?
    }

    private let state = Mutex(State())

    /// Puts a question, unless the last one is still open.
    ///
    /// - Parameter ask: Has the loop run what it is given.
    /// - Returns: How long the loop has owed an answer, in nanoseconds.
    func silence(at now: UInt64, _ ask: (@escaping @Sendable () -> Void) -> Void) -> UInt64 {
        let asked = state.withLock { state in
            defer { if state.asked == nil { state.asked = now } }
            return state.asked
        }
        if let asked { return now > asked ? now - asked : 0 }
        ask { self.state.withLock { $0.asked = nil } }
        return 0
    }

    /// Why a loop of that number hangs; nil if it does not.
    static func hang(of loop: Int, silent nanoseconds: UInt64) -> String? {
        let seconds = nanoseconds / 1_000_000_000
        guard seconds >= CallLimits.hungLoopSeconds else { return nil }
        return "loop \(loop) has not answered for \(seconds) seconds"
    }
}
