import Synchronization

/// The sums of a server's numbers as they were in the last ten minutes.
///
/// It has ``MeterLimits/historyReadings`` readings of at most ``MeterLimits/historySeries`` series,
/// which is half a megabyte. A reading that comes when it is full takes the place of the oldest.
package final class MetricHistory: Sendable {
    private struct State {
        /// When each reading was made, in nanoseconds.
        var times: [UInt64] = []
        /// The values of each series, one for each reading; NaN where there was none.
        var series: [String: [Double]] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Adds a reading.
    ///
    /// - Parameters:
    ///   - sums: The values by the names of their series; see ``MetricText/summing()``.
    ///   - nanoseconds: The time by a clock that only rises.
    package func add(_ sums: [String: Double], at nanoseconds: UInt64) {
        state.withLock { state in
            let count = state.times.count
            let isFull = count == MeterLimits.historyReadings
            for (name, values) in state.series {
                var values = values
                values.append(sums[name] ?? .nan)
                if isFull { values.removeFirst() }
                state.series[name] = values.allSatisfy(\.isNaN) ? nil : values
            }
            state.times.append(nanoseconds)
            if isFull { state.times.removeFirst() }
            for (name, value) in sums where state.series[name] == nil {
                guard state.series.count < MeterLimits.historySeries else { break }
                let missing = Array(repeating: Double.nan, count: state.times.count - 1)
                state.series[name] = missing + [value]
            }
        }
    }

    /// All readings as JSON: `ages` in seconds with the oldest first, and `series` by their names.
    ///
    /// A series is a list with a number for each reading, or null where there was none; a series
    /// that never changed is one number.
    package func json(at nanoseconds: UInt64) -> String {
        let (times, series) = state.withLock { ($0.times, $0.series) }
        let ages = times.map { MetricText.number(Double(nanoseconds &- $0) / 1e9) }
        let lines = series.sorted { $0.key < $1.key }.map { name, values in
            "\(Self.quoted(name)):\(Self.text(of: values))"
        }
        return """
            {"ages":[\(ages.joined(separator: ","))],"series":{
            \(lines.joined(separator: ",\n"))}}

            """
    }

    private static func text(of values: [Double]) -> String {
        let texts = values.map { $0.isFinite ? MetricText.number($0) : "null" }
        let isConstant = texts.allSatisfy { $0 == texts[0] }
        return isConstant ? texts[0] : "[\(texts.joined(separator: ","))]"
    }

    /// Names are ours, and labels are escaped as Prometheus has it: no control character is left.
    private static func quoted(_ name: String) -> String {
        var text = ""
        for character in name {
            if character == "\\" || character == "\"" { text.append("\\") }
            text.append(character)
        }
        return "\"\(text)\""
    }
}
