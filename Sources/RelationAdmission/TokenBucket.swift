import Synchronization

/// How often something may be done: so many times a second without end, and so many times at once.
package struct Rate: Sendable, Equatable {
    /// Nanoseconds between one time and the next.
    let interval: Int64
    /// How many times may come at once after a pause.
    package let burst: Int

    package init(perSecond: Int, burst: Int) {
        precondition(perSecond > 0, "a rate needs a positive number of times")
        self.init(every: 1_000_000_000 / Int64(perSecond), burst: burst)
    }

    package init(every interval: Int64, burst: Int) {
        precondition(
            interval > 0 && burst > 0 && Int64(burst) < Int64.max / 4 / interval,
            "a rate needs a positive number of times, and an end in time")
        self.interval = interval
        self.burst = burst
    }

    package var perSecond: Int { Int(1_000_000_000 / interval) }
}

/// The rest of a ``Rate`` for one caller.
///
/// One number says it all: the moment at which the bucket would be full again. So nothing has to be
/// filled up as time goes by, and threads need no lock.
package final class TokenBucket: Sendable {
    private let fullAt = Atomic<Int64>(0)

    package init() {}

    /// Takes one token, unless there is none.
    ///
    /// - Parameter now: Nanoseconds that only rise.
    /// - Returns: 0 if a token was taken. Otherwise nothing was taken, and the result is the number
    ///   of nanoseconds until there is a token.
    package func consume(_ rate: Rate, at now: Int64) -> Int64 {
        let most = rate.interval * Int64(rate.burst)
        var old = fullAt.load(ordering: .relaxed)
        while true {
            let new = max(old, now) + rate.interval
            guard new - now <= most else { return new - now - most }
            let (exchanged, original) = fullAt.weakCompareExchange(
                expected: old, desired: new, ordering: .relaxed)
            if exchanged { return 0 }
            old = original
        }
    }

    /// Gives a token back that was taken and not used.
    package func refund(_ rate: Rate) {
        fullAt.subtract(rate.interval, ordering: .relaxed)
    }
}

/// The buckets of very many callers, in a fixed amount of memory.
///
/// Two callers may share a bucket by chance. Neither can bring this about, because the names are
/// hashed with a secret random number.
package final class TokenBuckets: Sendable {
    private let buckets: [TokenBucket]
    private let seed: UInt64

    package init(
        count: Int = AdmissionLimits.userBuckets,
        seed: UInt64 = UInt64.random(in: .min ... .max)
    ) {
        buckets = (0..<count).map { _ in TokenBucket() }
        self.seed = seed
    }

    /// The bucket of one user of one app.
    package func bucket(of name: String, app: UInt32) -> TokenBucket {
        var hasher = Hasher()
        hasher.combine(seed)
        hasher.combine(app)
        hasher.combine(name)
        return buckets[Int(UInt(bitPattern: hasher.finalize()) % UInt(buckets.count))]
    }
}
