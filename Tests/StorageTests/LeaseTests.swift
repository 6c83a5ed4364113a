import Storage
import Synchronization
import Testing

/// A lease by a clock that the test moves.
struct LeaseTests {
    private final class Clock: Sendable {
        private let milliseconds = Atomic<UInt64>(1_000_000)

        var now: UInt64 { milliseconds.load(ordering: .relaxed) * 1_000_000 }

        func pass(_ count: Int) { milliseconds.add(UInt64(count), ordering: .relaxed) }
    }

    private let clock = Clock()
    private let lease: Lease

    init() {
        lease = Lease { [clock] in clock.now }
    }

    /// Renews after `milliseconds`, which the store takes to answer.
    @discardableResult
    private func renew(taking milliseconds: Int = 0, tenure: Int64 = 1) -> Bool {
        let began = lease.now
        clock.pass(milliseconds)
        return lease.renewed(from: began, tenure: tenure)
    }

    /// The first renewal makes it known to the others, and may have read what they changed before.
    @Test func itIsGoodFromTheSecondRenewalOn() {
        #expect(!lease.isGood && lease.tenure == 0)
        #expect(!renew())
        #expect(!lease.isGood)
        #expect(renew())
        #expect(lease.isGood && lease.tenure == 1)
    }

    @Test func itEndsByTheClockAndByNoThread() {
        renew()
        renew(taking: 500)
        // It counts from before the renewal was sent.
        clock.pass(LeaseLimits.reliedMilliseconds - 501)
        #expect(lease.isGood)
        clock.pass(1)
        #expect(!lease.isGood)
    }

    @Test func itSaysHowLongItIsStillGood() {
        #expect(lease.remainingNanoseconds == 0)
        renew()
        #expect(lease.remainingNanoseconds == 0)
        renew(taking: 500)
        let left = LeaseLimits.reliedMilliseconds - 500
        #expect(lease.remainingNanoseconds == UInt64(left) * 1_000_000)
        clock.pass(left - 1)
        #expect(lease.remainingNanoseconds == 1_000_000)
        clock.pass(2)
        #expect(lease.remainingNanoseconds == 0)
    }

    @Test func aRenewalThatIsAnsweredAfterTheEndMakesItNotGood() {
        renew()
        renew()
        clock.pass(1)
        #expect(!renew(taking: LeaseLimits.reliedMilliseconds - 1))
        #expect(!lease.isGood)
        #expect(renew(), "the next one is answered in time")
        #expect(lease.isGood)
    }

    @Test func anotherTenureIsAGapHoweverShort() {
        renew()
        renew()
        clock.pass(10)
        #expect(!renew(tenure: 2), "the store says that the lease before had run out")
        #expect(lease.tenure == 1)
        #expect(!lease.isGood, "others have not waited for this process")
        clock.pass(LeaseLimits.reliedMilliseconds - 20)
        #expect(renew(tenure: 2))
        #expect(lease.isGood && lease.tenure == 2)
    }

    /// As when the clock of the database is set ahead: the renewals themselves are in time.
    @Test func writesHaveTheNumberOfTheLeaseAfterAGapThatIsNotSeenHere() {
        renew()
        renew()
        let epoch = lease.epoch
        lease.changed()
        renew(tenure: 2)
        #expect(renew(tenure: 2))
        #expect(lease.tenure == 2)
        #expect(!lease.isValid(for: epoch) && lease.isValid(for: lease.epoch))
    }

    @Test func aCallFromBeforeAGapIsHeldUnlessSomethingWasChangedInIt() {
        renew()
        renew()
        let epoch = lease.epoch
        #expect(lease.isValid(for: epoch))
        clock.pass(LeaseLimits.reliedMilliseconds)
        #expect(!lease.isValid(for: epoch))
        renew(tenure: 2)
        renew(tenure: 2)
        #expect(lease.isValid(for: epoch) && lease.tenure == 2)
        // A change that is heard of in time ends nothing by itself.
        lease.changed()
        renew(tenure: 2)
        #expect(lease.isValid(for: epoch))
        clock.pass(LeaseLimits.reliedMilliseconds)
        lease.changed()
        renew(tenure: 3)
        renew(tenure: 3)
        #expect(lease.isGood && !lease.isValid(for: epoch) && lease.isValid(for: lease.epoch))
    }

    @Test func itIsSuspendedUntilItIsRenewedTwice() {
        renew()
        renew()
        let epoch = lease.epoch
        lease.suspend()
        #expect(!lease.isGood)
        #expect(!renew())
        #expect(renew())
        #expect(lease.isGood && !lease.isValid(for: epoch))
    }

    @Test func oneThatIsOverStaysSo() {
        renew()
        renew()
        lease.finish()
        #expect(lease.isOver && !lease.isGood)
        renew()
        renew()
        #expect(!lease.isGood)
    }

    @Test func theClockOfTheMachineGoesOn() {
        let lease = Lease()
        let before = lease.now
        #expect(before > 0 && lease.now >= before)
    }
}
