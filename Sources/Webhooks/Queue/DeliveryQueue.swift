/// The events of one hook on their way to its receiver.
///
/// It does no I/O and has no clock. `now` is the time since 1970 in milliseconds, of a clock that
/// never goes back. One thread at a time calls it:
///
/// 1. The reader of the log calls ``offer(_:)`` for each event, in the order of the log, and
///    ``read(through:)`` where it has seen positions without one. If the queue is full, it waits.
/// 2. The sender takes ``next(now:)`` while there is one, and calls ``complete(_:_:now:)`` for
///    each. It comes again at ``wakeTime(now:)``.
/// 3. The owner stores ``progress()`` now and then, and begins with the stored one.
///
/// Each event is delivered at least once, unless it is given up. The events of one user go out in
/// order: one request at a time has events of a user, and none goes out before all earlier ones
/// are settled.
///
/// Memory is bounded by the settings: acknowledged events leave no trace but for a range between
/// two that wait. If the receiver is away, the queue fills, and the log keeps the rest. If some
/// users alone fail, their events wait here until ``DeliverySettings/parkedEvents``. From there on
/// they are given up early, or the hook pauses.
package struct DeliveryQueue: Sendable {
    /// Why nothing is delivered.
    package enum Pause: String, Sendable {
        /// The owner said so.
        case asked
        /// The receiver wants no request any more.
        case gone
        /// An event would have been given up.
        case gaveUp
    }

    /// What became of an offered event.
    package enum Offer: Sendable {
        case taken
        /// It is settled, or waits already.
        case known
        /// There is no room: offer it again after the next ``DeliveryQueue/complete(_:_:now:)``.
        case full
    }

    package let settings: DeliverySettings

    /// - Parameters:
    ///   - progress: The progress that was stored last.
    ///   - seed: The seed of the chance in pauses.
    package init(_ settings: DeliverySettings, from progress: DeliveryProgress, seed: UInt64) {
        self.settings = settings
    }

    /// Whether ``offer(_:)`` would find no room.
    package var isFull: Bool { false }

    /// Why nothing is delivered; nil if the queue delivers.
    package private(set) var pause: Pause?

    /// Whether no request is under way.
    package var isIdle: Bool { true }

    /// Takes the next event of the log.
    package mutating func offer(_ event: DeliveryEvent) -> Offer { .full }

    /// Notes that the reader has seen all of the log up to a position, and offered its events.
    package mutating func read(through position: Int64) {}

    /// The next events to send; nil if there is none now.
    package mutating func next(now: Int64) -> DeliveryBatch? { nil }

    /// When ``next(now:)`` may have a batch although nothing else happens; nil for never.
    package func wakeTime(now: Int64) -> Int64? { nil }

    /// Learns how a request fared.
    package mutating func complete(
        _ batch: Int, _ outcome: DeliveryOutcome, now: Int64
    ) -> DeliveryReport { DeliveryReport() }

    /// The progress to store.
    package func progress() -> DeliveryProgress { DeliveryProgress() }

    /// Gives out nothing more until ``resume(now:)``; what is under way goes on.
    package mutating func stop(_ why: Pause = .asked) {}

    /// Delivers again: each user is tried at once, as if it had never failed.
    package mutating func resume(now: Int64) {}

    /// The counts so far.
    package func counts() -> DeliveryCounts { DeliveryCounts() }
}
