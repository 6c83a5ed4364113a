/// Prometheus' text format, version 0.0.4: families of samples, each with its help and type.
///
/// All samples of a family are written together, between its header and the next one.
package struct MetricText {
    package enum Kind: String {
        case counter, gauge, histogram
    }

    /// Labels in the order in which they are written; names are ours and need no escape.
    package typealias Labels = KeyValuePairs<StaticString, String>

    package private(set) var text = ""
    /// The sums of samples by their names and the labels that are kept; nil where text is written.
    package private(set) var sums: [String: Double]?
    private var name = ""
    /// The families that were written, each of which may come once.
    package private(set) var families: Set<String> = []
    package private(set) var series = 0

    package init() {}

    /// Begins sums in place of a text: samples that differ in other labels than `code`, `reason`
    /// and `le` add up.
    package static func summing() -> MetricText {
        var text = MetricText()
        text.sums = [:]
        return text
    }

    /// Begins a family.
    ///
    /// - Parameter help: One line.
    package mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        precondition(families.insert(name).inserted, "\(name) is written twice")
        self.name = name
        guard sums == nil else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Writes a sample of the present family.
    package mutating func sample(_ value: UInt64, _ labels: Labels = [:]) {
        line(name, labels, nil, Double(value), "\(value)")
    }

    package mutating func sample(_ value: Int, _ labels: Labels = [:]) {
        line(name, labels, nil, Double(value), "\(value)")
    }

    package mutating func sample(_ value: Double, _ labels: Labels = [:]) {
        line(name, labels, nil, value, Self.number(value))
    }

    /// Writes a sample in seconds.
    package mutating func seconds(ofNanoseconds value: UInt64, _ labels: Labels = [:]) {
        sample(Double(value) / 1e9, labels)
    }

    /// Writes a whole histogram of the present family.
    ///
    /// - Parameter unit: The number by which values are divided: 1e9 makes seconds of nanoseconds.
    package mutating func histogram(
        _ reading: HistogramReading, unit: Double = 1, _ labels: Labels = [:]
    ) {
        var count: UInt64 = 0
        for (index, end) in reading.scale.upperEnds.enumerated() {
            count &+= reading.counts[index]
            let end = Self.number(Double(end) / unit)
            line("\(name)_bucket", labels, end, Double(count), "\(count)")
        }
        let (total, sum) = (Double(reading.count), Double(reading.sum) / unit)
        line("\(name)_bucket", labels, "+Inf", total, "\(reading.count)")
        line("\(name)_sum", labels, nil, sum, Self.number(sum))
        line("\(name)_count", labels, nil, total, "\(reading.count)")
    }

    /// - Parameter value: The text of the number, which is made only where text is written.
    private mutating func line(
        _ name: String, _ labels: Labels, _ end: String?, _ number: Double,
        _ value: @autoclosure () -> String
    ) {
        series += 1
        if sums != nil {
            sums?[Self.key(name, labels, end), default: 0] += number
            return
        }
        text += name
        var opening = "{"
        for (label, value) in labels {
            text += "\(opening)\(label)=\"\(Self.escaped(value))\""
            opening = ","
        }
        if let end {
            text += "\(opening)le=\"\(end)\""
            opening = ","
        }
        text += opening == "," ? "} \(value())\n" : " \(value())\n"
    }

    /// The name of a sum, in the form that a sample of it has.
    private static func key(_ name: String, _ labels: Labels, _ end: String?) -> String {
        if let end { return "\(name){le=\"\(end)\"}" }
        for (label, value) in labels where ["code", "reason"].contains("\(label)") {
            return "\(name){\(label)=\"\(escaped(value))\"}"
        }
        return name
    }

    /// The shortest text of a number that reads back as the same number.
    static func number(_ value: Double) -> String {
        let isWhole = value.rounded() == value && abs(value) < 1e15
        return isWhole ? "\(Int64(value))" : "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value.unicodeScalars {
            guard text.utf8.count < MeterLimits.labelBytes else { break }
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
