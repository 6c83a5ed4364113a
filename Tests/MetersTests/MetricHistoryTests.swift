import Testing

@testable import Meters

/// The numbers of the last ten minutes, and the sums from which they are made.
struct MetricHistoryTests {
    private let second: UInt64 = 1_000_000_000

    @Test func sumsKeepCodesReasonsAndBucketsApartAndNothingElse() {
        let histogram = MeterHistogram(MeterScale([10, 20]))
        histogram.record(15)
        var text = MetricText.summing()
        text.family("calls", .counter, "Calls.")
        text.sample(3 as UInt64, ["method": "a", "code": "OK"])
        text.sample(4 as UInt64, ["method": "b", "code": "OK"])
        text.sample(1 as UInt64, ["method": "b", "code": "INTERNAL"])
        text.family("failures", .counter, "Failures.")
        text.sample(2 as UInt64, ["reason": "X"])
        text.family("bytes", .gauge, "Bytes.")
        text.sample(1.5, ["cache": "one"])
        text.sample(1 as Int, ["cache": "two"])
        text.family("seconds", .histogram, "Seconds.")
        text.histogram(histogram.reading, ["method": "a"])
        text.histogram(histogram.reading, ["method": "b"])
        #expect(text.text.isEmpty)
        #expect(
            text.sums == [
                #"calls{code="OK"}"#: 7, #"calls{code="INTERNAL"}"#: 1, #"failures{reason="X"}"#: 2,
                "bytes": 2.5, #"seconds_bucket{le="10"}"#: 0, #"seconds_bucket{le="20"}"#: 2,
                #"seconds_bucket{le="+Inf"}"#: 2, "seconds_sum": 30, "seconds_count": 2,
            ])
        #expect(MetricText().sums == nil)
    }

    @Test func readingsAreReportedByTheirAgesAndWhatNeverChangedByOneNumber() {
        let history = MetricHistory()
        #expect(history.json(at: 0) == "{\"ages\":[],\"series\":{\n}}\n")
        history.add(["a": 1, "same": 7], at: 10 * second)
        history.add(["a": 2.5, "same": 7, #"b{code="X"}"#: 4], at: 20 * second)
        #expect(
            history.json(at: 21 * second + second / 2) == #"""
                {"ages":[11.5,1.5],"series":{
                "a":[1,2.5],
                "b{code=\"X\"}":[null,4],
                "same":7}}

                """#)
        history.add(["same": 7], at: 30 * second)
        #expect(history.json(at: 30 * second).contains(#""a":[1,2.5,null]"#))
    }

    @Test func theOldestReadingGoesAndASeriesThatHasNoneLeft() {
        let history = MetricHistory()
        history.add(["early": 1, "all": 0], at: 0)
        for index in 1...MeterLimits.historyReadings {
            history.add(["all": Double(index)], at: UInt64(index) * second)
        }
        let text = history.json(at: UInt64(MeterLimits.historyReadings) * second)
        #expect(!text.contains("early"))
        #expect(text.contains("\"all\":[1,2,3,"))
        #expect(text.contains("\"ages\":[\(MeterLimits.historyReadings - 1),"))
    }

    @Test func noMoreSeriesAreKeptThanTheBound() {
        let history = MetricHistory()
        let names = (0...MeterLimits.historySeries).map { "x\($0)" }
        for time: UInt64 in 0..<3 {
            let sums = names.map { ($0, Double(time)) }
            history.add(Dictionary(uniqueKeysWithValues: sums), at: time)
        }
        let lines = history.json(at: 3).split(separator: "\n").dropFirst()
        #expect(lines.count == MeterLimits.historySeries)
    }
}
