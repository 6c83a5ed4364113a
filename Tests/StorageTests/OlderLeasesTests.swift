import Storage
import Testing

@Suite struct OlderLeasesTests {
    private static let lease = UInt64(LeaseLimits.milliseconds) * 1_000_000

    @Test func withoutAnOlderLeaseThereIsNothingToWaitFor() {
        var leases = OlderLeases()
        #expect(leases.end(of: [], at: 5) == 5)
    }

    @Test func aLeaseIsWaitedForFromTheTimeAtWhichItWasSeenFirst() {
        var leases = OlderLeases()
        #expect(leases.end(of: ["a 1"], at: 10) == 10 + Self.lease)
        #expect(leases.end(of: ["a 1"], at: 90) == 10 + Self.lease)
        // A later change is waited for no longer.
        #expect(leases.end(of: ["a 1"], at: 2 * Self.lease) < 2 * Self.lease)
    }

    @Test func aRenewalAndAnotherProcessAreWaitedForAnew() {
        var leases = OlderLeases()
        _ = leases.end(of: ["a 1"], at: 10)
        #expect(leases.end(of: ["a 2"], at: 50) == 50 + Self.lease)
        #expect(leases.end(of: ["a 2", "b 1"], at: 70) == 70 + Self.lease)
        #expect(leases.end(of: ["a 2"], at: 80) == 50 + Self.lease)
    }

    @Test func aLeaseThatIsGoneIsForgotten() {
        var leases = OlderLeases()
        _ = leases.end(of: ["a 1"], at: 10)
        #expect(leases.end(of: [], at: 20) == 20)
        #expect(leases.end(of: ["a 1"], at: 30) == 30 + Self.lease)
    }
}
