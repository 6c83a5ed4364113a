import Testing

@testable import relationbench

@Suite struct LatencyHistogramTests {
    @Test func percentilesAreExactToABucket() {
        var histogram = LatencyHistogram()
        for value in 1...100_000 { histogram.add(nanoseconds: UInt64(value)) }
        for (share, exact) in [(0.5, 50_000.0), (0.99, 99_000.0), (0.0001, 10.0)] {
            let found = Double(histogram.percentile(share).components.attoseconds) / 1e9
            #expect(found >= exact && found <= exact * 1.016)
        }
        #expect(histogram.percentile(1) == .nanoseconds(100_000))
        #expect(LatencyHistogram().percentile(0.5) == .zero)
        histogram.add(nanoseconds: UInt64.max / 2)
        #expect(histogram.highestNanoseconds == UInt64.max / 2)
    }
}
