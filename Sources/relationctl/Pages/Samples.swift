/// The samples of a page of metrics, at one moment.
struct Samples {
    struct Sample {
        let labels: [String: String]
        let value: Double
    }

    private var families: [String: [Sample]] = [:]
    /// When the page was read, in seconds of a clock that only rises.
    let time: Double

    /// Reads Prometheus' text format; a line that is none is passed over.
    init(_ text: String, at time: Double) {
        self.time = time
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " "),
                let value = Double(line[line.index(after: space)...])
            else { continue }
            let name = line[..<space].prefix { $0 != "{" }
            let labels = line[..<space].dropFirst(name.count + 1).dropLast()
            families[String(name), default: []].append(
                Sample(labels: Self.labels(in: labels), value: value))
        }
    }

    /// The labels between the braces; values of ours hold no quote and no comma.
    private static func labels(in text: Substring) -> [String: String] {
        var labels: [String: String] = [:]
        for part in text.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            labels[String(pair[0])] = String(pair[1].dropFirst().dropLast())
        }
        return labels
    }

    subscript(_ name: String) -> [Sample] { families[name] ?? [] }

    /// The sum of a family; nil if the page does not have it.
    func sum(_ name: String, where isWanted: (Sample) -> Bool = { _ in true }) -> Double? {
        guard let family = families[name] else { return nil }
        return family.reduce(0) { $0 + (isWanted($1) ? $1.value : 0) }
    }

    /// The rate of a family since an earlier page; of the whole life if there is none.
    func rate(
        _ name: String, since earlier: Samples, where isWanted: (Sample) -> Bool = { _ in true }
    ) -> Double {
        let now = sum(name, where: isWanted) ?? 0
        let before = earlier.sum(name, where: isWanted) ?? 0
        // A server that was started again counts from 0.
        return max(0, now - before) / max(0.001, time - earlier.time)
    }

    /// The upper end of the bucket below which that share of the values since `earlier` lies.
    ///
    /// - Returns: Nil without values; infinity above the last end.
    func upperEnd(
        of share: Double, _ name: String, since earlier: Samples,
        where isWanted: (Sample) -> Bool = { _ in true }
    ) -> Double? {
        var counts: [Double: Double] = [:]
        for (samples, sign) in [(self, 1.0), (earlier, -1.0)] {
            for sample in samples["\(name)_bucket"] where isWanted(sample) {
                let text = sample.labels["le"] ?? ""
                let end = text == "+Inf" ? Double.infinity : Double(text) ?? .infinity
                counts[end, default: 0] += sign * sample.value
            }
        }
        guard let all = counts[.infinity], all > 0 else { return nil }
        return counts.sorted { $0.key < $1.key }.first { $0.value >= all * share }?.key
    }
}
