/// A bound for a figure of a run beside peers.
typealias PeerTarget = Target<PeerFigures>

extension Target<PeerFigures> {
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
    static var all: [PeerTarget] { wire + stores }

    /// The bounds of the call without a store, and of a server as a whole.
    private static var wire: [PeerTarget] {
        [
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
}
