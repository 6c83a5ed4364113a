/// The clock of a client, which is that of the simulation.
///
/// `@unchecked Sendable`: one thread runs all of a simulation.
final class ClientTime: Clock, @unchecked Sendable {
    struct Instant: InstantProtocol {
        let nanoseconds: UInt64

        func advanced(by duration: Duration) -> Instant {
            let (seconds, attoseconds) = duration.components
            let change = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
            return Instant(nanoseconds: UInt64(max(0, Int64(nanoseconds) + change)))
        }

        func duration(to other: Instant) -> Duration {
            .nanoseconds(Int64(other.nanoseconds) - Int64(nanoseconds))
        }

        static func < (one: Instant, other: Instant) -> Bool {
            one.nanoseconds < other.nanoseconds
        }
    }

    let minimumResolution = Swift.Duration.nanoseconds(1)
    private let world: SimulatedWorld
    private var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var count = 0

    init(in world: SimulatedWorld) { self.world = world }

    var now: Instant { Instant(nanoseconds: world.now) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        count += 1
        let number = count
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                guard !Task.isCancelled else {
                    return continuation.resume(throwing: CancellationError())
                }
                sleepers[number] = continuation
                world.scheduler.at(deadline.nanoseconds) { [self] in
                    sleepers.removeValue(forKey: number)?.resume()
                }
            }
        } onCancel: {
            sleepers.removeValue(forKey: number)?.resume(throwing: CancellationError())
        }
    }
}
