import Testing

@testable import Meters

/// Counters, histograms, and how they are written.
struct MeterTests {
    @Test func cellsKeepWhatWasAddedAndSet() {
        let cells = MeterCells(count: 3)
        cells.add(5, to: 0)
        cells.add(2, to: 0)
        cells.set(2, to: 9)
        #expect((0..<3).map { cells.value(of: $0) } == [7, 0, 9])
    }

    @Test func cellsFillWholeLinesOfAProcessor() {
        let counts = [0, 1, 16, 17].map { MeterCells(count: $0).count }
        #expect(counts == [16, 16, 16, 32])
    }

    @Test func aValueFallsIntoTheFirstBucketWhoseEndItDoesNotPass() {
        let scale = MeterScale([10, 20, 30])
        let values: [UInt64] = [0, 10, 11, 30, 31, .max]
        #expect(values.map { scale.bucket(of: $0) } == [0, 0, 1, 2, 3, 3])
    }

    @Test func aValueOfAnyNumberOfBitsFallsIntoTheFirstBucketThatHoldsIt() {
        for scale in [MeterScale.latency, .batch, MeterScale([0, 1, .max]), MeterScale([])] {
            let ends = scale.upperEnds
            for bits in 0...64 {
                let power: UInt64 = bits == 64 ? .max : 1 << UInt64(bits)
                for value in [power &- 1, power, power &+ 1] + ends {
                    let wanted = ends.firstIndex { $0 >= value } ?? ends.count
                    #expect(scale.bucket(of: value) == wanted, "\(value) in \(ends)")
                }
            }
        }
    }

    @Test func latencyReachesFromFiftyMicrosecondsToTenSeconds() {
        let ends = MeterScale.latency.upperEnds
        #expect(ends.first == 50_000)
        #expect(ends.last == 10_000_000_000)
    }

    @Test func readingsOfSeveralHistogramsAddUp() {
        let scale = MeterScale([10, 20])
        let (one, other) = (MeterHistogram(scale), MeterHistogram(scale))
        for value: UInt64 in [1, 15, 100] { one.record(value) }
        other.record(2)
        var sum = one.reading
        sum.add(other.reading)
        #expect(sum.counts == [2, 1, 1])
        #expect(sum.sum == 118)
        #expect(sum.count == 4)
    }

    @Test func aShareOfTheValuesLiesBelowTheEndOfItsBucket() {
        let histogram = MeterHistogram(MeterScale([10, 20]))
        #expect(histogram.reading.upperEnd(of: 0.5) == nil)
        for _ in 0..<99 { histogram.record(5) }
        histogram.record(15)
        #expect(histogram.reading.upperEnd(of: 0.99) == 10)
        #expect(histogram.reading.upperEnd(of: 1) == 20)
        for _ in 0..<200 { histogram.record(1_000) }
        #expect(histogram.reading.upperEnd(of: 0.99) == nil)
    }

    @Test func textHasHelpTypeAndSamplesOfEachFamily() {
        var text = MetricText()
        text.family("relation_calls_total", .counter, "Calls.")
        text.sample(3 as Int, ["method": "a/B", "code": "OK"])
        text.family("relation_ready", .gauge, "Ready.")
        text.sample(0.25)
        #expect(
            text.text == """
                # HELP relation_calls_total Calls.
                # TYPE relation_calls_total counter
                relation_calls_total{method="a/B",code="OK"} 3
                # HELP relation_ready Ready.
                # TYPE relation_ready gauge
                relation_ready 0.25

                """)
        #expect(text.series == 2)
    }

    @Test func aHistogramIsWrittenInBucketsThatIncludeEachOther() {
        let histogram = MeterHistogram(MeterScale([500_000_000, 2_000_000_000]))
        for value: UInt64 in [100_000_000, 1_000_000_000, 3_000_000_000] {
            histogram.record(value)
        }
        var text = MetricText()
        text.family("x_seconds", .histogram, "X.")
        text.histogram(histogram.reading, unit: 1e9, ["pool": "a"])
        let lines = text.text.split(separator: "\n").dropFirst(2)
        #expect(
            lines == [
                "x_seconds_bucket{pool=\"a\",le=\"0.5\"} 1",
                "x_seconds_bucket{pool=\"a\",le=\"2\"} 2",
                "x_seconds_bucket{pool=\"a\",le=\"+Inf\"} 3",
                "x_seconds_sum{pool=\"a\"} 4.1",
                "x_seconds_count{pool=\"a\"} 3",
            ])
    }

    @Test func aLabelIsEscapedAndCutOff() {
        var text = MetricText()
        text.family("x", .gauge, "X.")
        text.sample(1 as Int, ["a": "\\\"\n"])
        text.sample(1 as Int, ["a": String(repeating: "x", count: 500)])
        let lines = text.text.split(separator: "\n")
        #expect(lines[2] == "x{a=\"\\\\\\\"\\n\"} 1")
        #expect(lines[3].utf8.count == MeterLimits.labelBytes + "x{a=\"\"} 1".utf8.count)
    }
}
