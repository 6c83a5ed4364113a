/// A value of the service that callers write and read, with all that they have seen of it.
///
/// The value of a pair is whether the two are friends; that of a user is its nick. Each write and
/// each look has a beginning and an end, and took effect at one moment between them. An answer that
/// no such moments explain breaks the promise.
struct Register {
    enum Outcome {
        /// It may still take effect, or may have: its caller does not know.
        case unknown
        case done
        /// It never takes effect.
        case refused
    }

    private struct Write {
        let value: String
        let start: UInt64
        var end: UInt64 = .max
        var outcome = Outcome.unknown
        /// Whether its caller sends it no more.
        var isAbandoned = false
    }

    /// That the value was there at some moment of a time.
    private struct Evidence {
        let value: String
        let start: UInt64
        let end: UInt64
        /// The write that it is; nil for a look.
        var write: Int?
    }

    private var writes: [Write]
    private var evidence: [Evidence] = []

    init(_ value: String) {
        writes = [Write(value: value, start: 0, end: 0, outcome: .done)]
    }

    /// A write begins.
    ///
    /// - Returns: Its number.
    mutating func begin(_ value: String, at now: UInt64) -> Int {
        writes.append(Write(value: value, start: now))
        return writes.count - 1
    }

    /// A write has ended.
    mutating func end(_ number: Int, _ outcome: Outcome, at now: UInt64) {
        writes[number].outcome = outcome
        guard outcome == .done else { return }
        writes[number].end = now
        evidence.append(
            Evidence(
                value: writes[number].value, start: writes[number].start, end: now, write: number))
    }

    /// The caller of a write sends it no more, and does not know its outcome.
    mutating func abandon(_ number: Int) { writes[number].isAbandoned = true }

    /// A write that its caller has abandoned takes no effect after `now`.
    mutating func bound(at now: UInt64) {
        for index in writes.indices where writes[index].isAbandoned && writes[index].end == .max {
            writes[index].end = now
        }
    }

    /// A write turned out to be none, since the value was there before.
    mutating func withdraw(_ number: Int) { writes[number].outcome = .refused }

    /// The value was seen by one who asked at `start`, and had the answer at `now`.
    ///
    /// - Parameters:
    ///   - token: A write that the look must show, and all before it; it may lack what came later.
    ///     Nil for a look that shows all there is.
    ///   - isOfWrite: Whether the register is the one that this write has changed.
    /// - Returns: The promise that this breaks; nil if it breaks none.
    mutating func see(
        _ value: String, since start: UInt64, at now: UInt64, _ token: Token? = nil,
        isOfWrite: Bool = false
    ) -> BrokenPromise.Kind? {
        let start = token?.start ?? start
        let shown = isOfWrite ? token?.write : nil
        let candidates = writes.filter { $0.value == value && $0.start <= now }
        guard !candidates.isEmpty else { return .lostWrite }
        let possible = candidates.filter { $0.outcome != .refused }
        guard !possible.isEmpty else { return .refusedWrite }
        // A value that was surely there after the write, and before the question, stands between.
        let explains = possible.contains { write in
            !evidence.contains {
                $0.value != value && $0.start > write.end
                    && ($0.end < start || shown != nil && $0.write == shown)
            }
        }
        guard explains else { return .lostWrite }
        // A standby may show a write before the primary does.
        if token == nil { evidence.append(Evidence(value: value, start: start, end: now)) }
        return nil
    }
}
