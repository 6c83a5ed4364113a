import Testing

@testable import RelationAccess
@testable import RelationAdmission

/// The rate at which a caller may call, on a clock that the test sets.
struct TokenBucketTests {
    private let second: Int64 = 1_000_000_000

    @Test(arguments: [
        AdmissionLimits.callsPerApp, AdmissionLimits.callsPerKey, AdmissionLimits.callsPerUser,
        Rate(perSecond: 3, burst: 1),
    ])
    func aBurstIsTakenAndThenTheRate(rate: Rate) {
        let bucket = TokenBucket()
        let start = 17 * second
        for _ in 0..<rate.burst { #expect(bucket.consume(rate, at: start) == 0) }
        let wait = bucket.consume(rate, at: start)
        #expect(wait > 0 && wait <= second / Int64(rate.perSecond))
        #expect(bucket.consume(rate, at: start + wait - 1) == 1)
        #expect(bucket.consume(rate, at: start + wait) == 0)
        // In one second, exactly as much can be taken as the rate gives in a second.
        var taken = 0
        let later = start + wait + second
        while bucket.consume(rate, at: later) == 0 { taken += 1 }
        #expect(abs(taken - min(rate.perSecond, rate.burst)) <= 1)
    }

    @Test func aRefusalTakesNothing() {
        let bucket = TokenBucket()
        let rate = Rate(perSecond: 1, burst: 1)
        #expect(bucket.consume(rate, at: 0) == 0)
        for _ in 0..<100 { #expect(bucket.consume(rate, at: 0) == second) }
        #expect(bucket.consume(rate, at: second) == 0)
    }

    @Test func aRefundedTokenIsThereAgain() {
        let bucket = TokenBucket()
        let rate = Rate(perSecond: 1, burst: 1)
        #expect(bucket.consume(rate, at: 0) == 0)
        bucket.refund(rate)
        #expect(bucket.consume(rate, at: 0) == 0)
    }

    @Test func threadsTakeTogetherWhatThereIs() async {
        let bucket = TokenBucket()
        let rate = Rate(perSecond: 1, burst: 1_000)
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<1_000).count { _ in bucket.consume(rate, at: 0) == 0 } }
            }
            return await group.reduce(0, +)
        }
        #expect(taken == 1_000)
    }

    @Test func aNameHasOneBucketAndOtherNamesMostlyOthers() {
        let buckets = TokenBuckets(count: 1_024, seed: 1)
        #expect(buckets.bucket(of: "ann", app: 1) === buckets.bucket(of: "ann", app: 1))
        let seen = Set((0..<1_000).map { ObjectIdentifier(buckets.bucket(of: "u\($0)", app: 1)) })
        #expect(seen.count > 400)
        let elsewhere = (0..<100).count {
            buckets.bucket(of: "u\($0)", app: 1) === buckets.bucket(of: "u\($0)", app: 2)
        }
        #expect(elsewhere < 20)
    }
}
