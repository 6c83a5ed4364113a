import Webhooks

/// A queue behind a reference, since conditions of tests cannot change a value.
final class QueueHarness {
    private(set) var queue: DeliveryQueue

    init(
        _ settings: DeliverySettings, from progress: DeliveryProgress,
        failing: [Int64: Int64] = [:], seed: UInt64
    ) {
        queue = DeliveryQueue(settings, from: progress, failing: failing, seed: seed)
    }

    var isFull: Bool { queue.isFull }
    var isIdle: Bool { queue.isIdle }
    var pause: DeliveryQueue.Pause? { queue.pause }

    func offer(_ event: DeliveryEvent) -> DeliveryQueue.Offer { queue.offer(event) }
    func read(through position: Int64) { queue.read(through: position) }
    func next(now: Int64) -> DeliveryBatch? { queue.next(now: now) }
    func wakeTime(now: Int64) -> Int64? { queue.wakeTime(now: now) }

    @discardableResult
    func complete(_ batch: Int, _ outcome: DeliveryOutcome, now: Int64) -> DeliveryReport {
        queue.complete(batch, outcome, now: now)
    }

    func progress() -> DeliveryProgress { queue.progress() }
    func failing(atMost limit: Int) -> [Int64: Int64] { queue.failing(atMost: limit) }
    func counts() -> DeliveryCounts { queue.counts() }
    func stop() { queue.stop() }
    func resume(now: Int64) { queue.resume(now: now) }
}
