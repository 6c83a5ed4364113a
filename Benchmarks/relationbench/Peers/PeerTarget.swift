/// A bound that was set for one figure.
struct PeerTarget: Sendable {
    let title: String
    /// The figure when the bound was set, on another machine.
    let before: Double
    let bound: Double
    /// Whether the figure must be at least the bound; else at most.
    var isLeast = false
    /// Digits behind the point, at most two.
    var digits = 2
    let value: @Sendable (PeerFigures) -> Double?

    func isReached(_ value: Double) -> Bool {
        isLeast ? value >= bound : value <= bound
    }

    /// The bound as a reader writes it.
    var boundText: String { (isLeast ? "≥ " : "≤ ") + text(bound) }

    func text(_ value: Double) -> String {
        digits == 0 ? "\(Int(value.rounded()))" : TextTable.hundredths(value)
    }

    func json(_ figures: PeerFigures) -> JSON {
        let value = value(figures)
        return .object([
            ("title", .text(title)), ("before", .number(before)), ("bound", .text(boundText)),
            ("value", value.map(JSON.number) ?? .none),
            ("reached", value.map { .flag(isReached($0)) } ?? .none),
        ])
    }

    private static func ratio(
        _ peer: String, _ title: String, before: Double, bound: Double, connections: Int = 4
    ) -> PeerTarget {
        PeerTarget(title: "\(title), of \(peer)", before: before, bound: bound) {
            $0.ratio(to: peer, connections: connections)
        }
    }

    private static func read(_ kind: LongRead, before: Double, bound: Double) -> PeerTarget {
        PeerTarget(title: "\(kind.rawValue), µs CPU", before: before, bound: bound, digits: 0) {
            $0.reads.first?.cpu(kind.rawValue)
        }
    }

    /// All bounds, in the order of the table.
    static let all: [PeerTarget] = [
        PeerTarget(title: "1 id, instructions", before: 34_000, bound: 20_000, digits: 0) {
            $0.instructions.first?.byIDs[1].map(Double.init)
        },
        PeerTarget(
            title: "each further id, instructions", before: 2_900, bound: 700, digits: 0
        ) { $0.instructions.first?.perFurtherID.map(Double.init) },
        ratio("C", "1 id, 4 × 50", before: 2.9, bound: 1.6),
        ratio("nghttpd", "1 id, 4 × 50", before: 1.9, bound: 1.0),
        ratio("Go", "1 id, 4 × 50", before: 0.28, bound: 0.17),
        ratio("C++ callback", "1 id, 4 × 50", before: 0.22, bound: 0.17),
        ratio("C++ queue", "1 id, 4 × 50", before: 0.22, bound: 0.17),
        ratio("C", "1 id, 100 × 1", before: 2.8, bound: 1.6, connections: 100),
        ratio("Go", "1 id, 100 × 1", before: 0.69, bound: 0.5, connections: 100),
        read(.profiles, before: 3_190, bound: 150),
        read(.friends, before: 6_200, bound: 400),
        PeerTarget(title: "a neighbour's p50, of alone", before: 300, bound: 3) {
            $0.reads.first?.worstRatio
        },
        PeerTarget(title: "idle connection, KiB", before: 38, bound: 20) {
            $0.idle.first?.kibibytes
        },
        PeerTarget(
            title: "one event to one stream, instructions", before: 24_200, bound: 8_000,
            digits: 0
        ) { $0.events.first.map { Double($0.instructions) } },
        PeerTarget(
            title: "two loops, of two servers", before: 0.8, bound: 0.95, isLeast: true
        ) { $0.loops.first?.ofApart },
    ]
}
