import GRPCWire
import NIOCore

/// The waits between attempts that fail: each may be twice as long as the one before, up to a
/// limit.
struct Backoff {
    private let first: Int64
    private let longest: Int64
    /// The longest that the next wait may be, in milliseconds.
    private(set) var milliseconds: Int64

    init(first: Int64, longest: Int64) {
        self.first = first
        self.longest = longest
        milliseconds = first
    }

    /// The waits between attempts to reach a server.
    static var connecting: Backoff {
        Backoff(
            first: CallLimits.firstConnectWaitMilliseconds,
            longest: CallLimits.longestConnectWaitMilliseconds)
    }

    /// The waits between two streams that report a server's health.
    static var health: Backoff {
        Backoff(
            first: CallLimits.firstHealthWaitMilliseconds,
            longest: CallLimits.longestHealthWaitMilliseconds)
    }

    /// The time to wait now.
    ///
    /// It is between half the longest and the longest: clients that lost the same server do not all
    /// come back at once.
    mutating func next(_ chance: ChannelChance) -> TimeAmount {
        var chance = chance
        let time = TimeAmount.milliseconds(
            Int64.random(in: milliseconds / 2...milliseconds, using: &chance))
        milliseconds = min(milliseconds * 2, longest)
        return time
    }

    /// An attempt has succeeded.
    mutating func reset() {
        milliseconds = first
    }
}
