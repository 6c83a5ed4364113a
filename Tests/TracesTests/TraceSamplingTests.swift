import GRPCWire
import Testing

@testable import Traces

/// Which calls are traced.
struct TraceSamplingTests {
    private static let kept = TraceParent(high: 1, low: 1, spanID: 3, flags: 1)
    private static let left = TraceParent(high: 1, low: 1, spanID: 3, flags: 0)

    @Test func withParentTheCallerDecides() throws {
        let sampling = try #require(TraceSampling("parent"))
        let ids = TraceIDs(seed: 1)
        #expect(sampling.trace(of: Self.kept, ids) == Self.kept)
        #expect(sampling.trace(of: Self.left, ids) == nil)
        #expect(sampling.trace(of: nil, ids) == nil)
    }

    @Test func withAShareTheNumberOfTheTraceDecides() throws {
        let ids = TraceIDs(seed: 1)
        let none = try #require(TraceSampling("0"))
        let all = try #require(TraceSampling("1"))
        for parent in [Self.kept, Self.left] {
            #expect(none.trace(of: parent, ids) == nil)
            #expect(all.trace(of: parent, ids) == parent)
        }
        #expect(none.trace(of: nil, ids) == nil)
        let half = try #require(TraceSampling("0.5"))
        // The first byte of the lower half has no say, and the highest numbers are kept.
        let high = TraceParent(high: 0, low: 1 << 55, spanID: 1, flags: 0)
        let low = TraceParent(high: .max, low: 0xFF << 56 | (1 << 55 - 1), spanID: 1, flags: 1)
        #expect(half.trace(of: high, ids) == high)
        #expect(half.trace(of: low, ids) == nil)
    }

    @Test func withBothTheCallerDecidesWhereThereIsOne() throws {
        let ids = TraceIDs(seed: 1)
        let sampling = try #require(TraceSampling("parent:1"))
        #expect(sampling.trace(of: Self.kept, ids) == Self.kept)
        #expect(sampling.trace(of: Self.left, ids) == nil)
        let root = try #require(sampling.trace(of: nil, ids))
        #expect(root.spanID == 0 && root.isSampled && root.high != 0 && root.low != 0)
    }

    @Test func aShareOfTheNewTracesIsKept() throws {
        let sampling = try #require(TraceSampling("parent:0.25"))
        let ids = TraceIDs(seed: 7)
        let kept = (0..<10_000).compactMap { _ in sampling.trace(of: nil, ids) }
        #expect((2_300...2_700).contains(kept.count))
        #expect(Set(kept.map(\.traceID)).count == kept.count)
    }

    @Test(arguments: [
        "", "on", "parent:", "parent:2", "1.1", "-0.5", "+1", "1e-3", "0x1", ".5", "50%", "nan",
        "0.5.5", "parent ", "Parent", "parent:parent",
    ])
    func otherTextsAreNoSampling(text: String) {
        #expect(TraceSampling(text) == nil)
    }
}
