import Support
internal import Synchronization

/// The free space on the device of the data folder, asked for now and then.
///
/// Each commit checks it, and the question to the file system takes as long as the look-up of a
/// row. So an answer serves for ``Limits/freeSpaceMilliseconds``, as long as it left more than
/// ``Limits/freeSpaceMargin`` above the reserve: no device takes as much in that time. Nearer to
/// the reserve each commit asks.
final class FreeSpace: Sendable {
    private struct Answer {
        var bytes: UInt64
        var askedAt: UInt64
    }

    private let reserve: UInt64
    private let ask: @Sendable () -> UInt64?
    private let clock: @Sendable () -> UInt64
    private let answer = Mutex<Answer?>(nil)

    /// - Parameters:
    ///   - ask: The free bytes; nil if the file system does not say.
    ///   - clock: Milliseconds that never go back.
    init(
        reserve: UInt64, ask: @escaping @Sendable () -> UInt64?,
        clock: @escaping @Sendable () -> UInt64 = { UInt64(SystemClock.coarse.milliseconds) }
    ) {
        self.reserve = reserve
        self.ask = ask
        self.clock = clock
    }

    /// The free bytes, as they were at most ``Limits/freeSpaceMilliseconds`` ago.
    var bytes: UInt64? {
        let now = clock()
        return answer.withLock { answer in
            if let known = answer, now - known.askedAt < Limits.freeSpaceMilliseconds,
                known.bytes > reserve, known.bytes - reserve > Limits.freeSpaceMargin
            {
                return known.bytes
            }
            answer = ask().map { Answer(bytes: $0, askedAt: now) }
            return answer?.bytes
        }
    }
}
