import RPC

/// Counts the time of each part of a transaction, by the machine's clock.
struct StopWatch {
    private let meter: CommitMeter
    private var last = Deadline.clock

    init(_ meter: CommitMeter) {
        self.meter = meter
    }

    mutating func ended(_ part: CommitMeter.Part) {
        let now = Deadline.clock
        meter.spent(now &- last, on: part)
        last = now
    }
}
