import GRPCWire
import Meters
import NIOCore
import Synchronization

// The numbers that a server reports about itself; any thread may ask.
extension Server {
    /// The counts so far.
    package func reading() -> ServerReading {
        var reading = ServerReading()
        reading.methods = methods.entries.map { entry in
            var method = ServerReading.Method(path: entry.name)
            if entry.isTimed { method.latency = HistogramReading(.latency) }
            return method
        }
        reading.methods.append(ServerReading.Method(path: nil))
        reading.groups = Array(repeating: ServerReading.Group(), count: loops[0].meter.groups)
        for loop in loops { reading.add(loop.meter) }
        // Few servers are asked for single paths of a plain method: those without a call are left
        // out, since each takes some twenty lines.
        let kept = zip(methods.entries, reading.methods).filter { entry, method in
            entry.refusal == nil || entry.isRoot || method.isUsed
        }
        reading.methods = kept.map(\.1) + reading.methods.suffix(1)
        reading.connectionBound = connections.limit
        reading.violations = violations.all
        return reading
    }

    /// The slowest calls of the last one or two minutes, the slowest first, with their paths.
    package func slowCalls() -> [(path: String, call: SlowCall)] {
        let seconds = CallLimits.slowSpanSeconds
        let time = Int64(clamping: NIODeadline.now().uptimeNanoseconds) - seconds * 1_000_000_000
        let calls = loops.flatMap { $0.meter.slow.calls(endedAfter: time) }
        return calls.sorted { $0.nanoseconds > $1.nanoseconds }.prefix(CallLimits.slowCalls)
            .map { (methods.entries[$0.method].name, $0) }
    }

    /// Why the server is not alive; nil if all loops run, as far as is known.
    ///
    /// Each loop is asked, and its answer is looked at the next time. So this never waits.
    package func hang() -> String? {
        let now = NIODeadline.now().uptimeNanoseconds
        var hang: String?
        for (loop, pulse) in zip(loops, pulses) {
            let silence = pulse.silence(at: now) { answer in
                areThreadsUp.withLock { if $0 { loop.eventLoop.execute(answer) } }
            }
            hang = hang ?? LoopPulse.hang(of: loop.index, silent: silence)
        }
        return hang
    }
}
