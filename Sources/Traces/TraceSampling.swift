import GRPCWire
import Synchronization

/// Which calls are traced.
package struct TraceSampling: Sendable, Equatable {
    /// Whether the word of the caller counts where `traceparent` has one.
    package let followsParent: Bool
    /// The share of the other calls, from 0 to 1.
    package let share: Double

    /// The least number, in 56 bits of a trace's id, with which a trace is kept.
    private let threshold: UInt64

    package init(followsParent: Bool, share: Double) {
        self.followsParent = followsParent
        self.share = share
        threshold = UInt64(((1 - share) * Self.range).rounded())
    }

    /// The sampling of a setting: `parent`, a share, or `parent:` with a share.
    package init?(_ text: String) {
        let word = "parent"
        if text == word {
            self.init(followsParent: true, share: 0)
            return
        }
        let followsParent = text.hasPrefix("\(word):")
        let digits = followsParent ? text.dropFirst(word.count + 1) : text[...]
        // Swift's own parser would accept signs, exponents and hexadecimal digits too.
        guard let first = digits.utf8.first, (0x30...0x39).contains(first),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let share = Double(digits), share <= 1
        else { return nil }
        self.init(followsParent: followsParent, share: share)
    }

    private static let range = Double(1 << 56)

    /// The trace of a call; nil if it is not traced.
    ///
    /// All services that go by a share keep the same traces: those whose id ends in the highest
    /// numbers, as OpenTelemetry has it.
    ///
    /// - Parameter parent: The trace of the caller.
    @inline(__always)
    func trace(of parent: TraceParent?, _ ids: TraceIDs) -> TraceParent? {
        guard let parent else {
            guard share > 0 else { return nil }
            let low = ids.next()
            guard isKept(low) else { return nil }
            return TraceParent(high: ids.next(), low: low, spanID: 0, flags: 3)
        }
        let isTraced = followsParent ? parent.isSampled : share > 0 && isKept(parent.low)
        return isTraced ? parent : nil
    }

    @inline(__always)
    private func isKept(_ low: UInt64) -> Bool { low & (1 << 56 - 1) >= threshold }
}

/// The source of ids of traces and spans: numbers that differ, and that any thread may take.
///
/// They are spread as evenly as by chance, and are not a secret.
final class TraceIDs: Sendable {
    private let state: Atomic<UInt64>

    init(seed: UInt64 = .random(in: 0 ... .max)) {
        state = Atomic(seed)
    }

    /// The next number, by SplitMix64; it is not zero.
    func next() -> UInt64 {
        var number = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        number ^= number >> 31
        return number == 0 ? 1 : number
    }
}
