import RelationCalls
import RelationModel
import Synchronization

/// When a call last showed a credential to this server.
///
/// It is right to half a minute: calls on all processors read it, and few of them write it. The
/// store gets the time now and then, beside the calls.
final class LastUse: Sendable {
    private let step = Atomic<Int64>(-1)
    private let time = Atomic<Int64>(0)
    /// The time that this server stored last; 0 before it has stored one.
    private let stored = Atomic<Int64>(0)

    /// The time in milliseconds since 1970; 0 if no call has shown the credential yet.
    var milliseconds: Int64 { time.load(ordering: .relaxed) }

    /// Notes a call.
    ///
    /// - Parameter arrival: When it came, in nanoseconds of a clock that only rises.
    func note(_ arrival: Int64, by clock: ServiceClock) {
        let present = arrival >> AdmissionLimits.lastUseBits
        guard step.load(ordering: .relaxed) != present else { return }
        step.store(present, ordering: .relaxed)
        time.store(clock.now().milliseconds, ordering: .relaxed)
    }

    /// The time that is to be stored; nil if the store has it, or has one from shortly before.
    ///
    /// - Parameter all: Whether a time from shortly before does not count.
    func due(all: Bool) -> Int64? {
        let (present, before) = (milliseconds, stored.load(ordering: .relaxed))
        let pause = all || before == 0 ? 0 : AdmissionLimits.storedUseMilliseconds
        return present > before && present - before >= pause ? present : nil
    }

    /// Learns that the store has the time `milliseconds`.
    func didStore(_ milliseconds: Int64) { stored.store(milliseconds, ordering: .relaxed) }
}
