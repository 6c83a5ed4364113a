/// A bound for a figure of a run beside peers.
typealias PeerTarget = Target<PeerFigures>

extension Target<PeerFigures> {
    /// All bounds, in the order of the table.
    static var all: [PeerTarget] { wire + stores }

    // MARK: The call without a store, and a server as a whole

    private static var wire: [PeerTarget] {
        [
            PeerTarget("1 id, instructions", before: 34_000, bound: 20_000, digits: 0) {
                $0.instructions.first?.byIDs[1].map(Double.init)
            },
            PeerTarget("each further id, instructions", before: 2_900, bound: 700, digits: 0) {
                $0.instructions.first?.perFurtherID.map(Double.init)
            },
            ratio("C", before: 2.9, bound: 1.6), ratio("nghttpd", before: 1.9, bound: 1.0),
            ratio("Go", before: 0.28, bound: 0.17),
            ratio("C++ callback", before: 0.22, bound: 0.17),
            ratio("C++ queue", before: 0.22, bound: 0.17),
            ratio("C", before: 2.8, bound: 1.6, Load(connections: 100)),
            ratio("Go", before: 0.69, bound: 0.5, Load(connections: 100)),
            read(.manyProfiles, before: 3_190, bound: 150),
            read(.manyFriends, before: 6_200, bound: 400),
            PeerTarget("a neighbour's p50, of alone", before: 300, bound: 3) {
                $0.reads.first?.worstRatio
            },
            PeerTarget("idle connection, KiB", before: 38, bound: 20) { $0.idle.first?.kibibytes },
            PeerTarget(
                "one event to one stream, instructions", before: 24_200, bound: 8_000, digits: 0
            ) { $0.events.first.map { Double($0.instructions) } },
            PeerTarget("two loops, of two servers", before: 0.8, bound: 0.95, isLeast: true) {
                $0.loops.first?.ofApart
            },
        ]
    }

    private static func ratio(
        _ peer: String, before: Double, bound: Double, _ load: Load = .reads
    ) -> PeerTarget {
        PeerTarget(
            "1 id, \(load.connections) × \(load.streams), of \(peer)", before: before, bound: bound
        ) { $0.ratio(to: peer, connections: load.connections) }
    }

    private static func read(_ read: GraphRead, before: Double, bound: Double) -> PeerTarget {
        let title = read.title
        return PeerTarget("\(title), µs CPU", before: before, bound: bound, digits: 0) {
            $0.reads.first?.cpu(title)
        }
    }

    // MARK: Reads and additions with rows on disk

    private static var stores: [PeerTarget] {
        let few = StoreLimits.readUsers
        return [
            check(.checks(1), before: 3.5), check(.checks(20), before: 9.1),
            pairs(20, before: 156_000, bound: 2_500_000),
            pairs(1_000, before: 350_000, bound: 5_000_000),
            lookup(20, before: 25, bound: 1.2), lookup(100, before: nil, bound: 0.8),
            check(.canSend(few), before: nil), check(.blacklist(few), before: nil),
            check(.relations(few), before: 16.4),
            // A fifth less than was measured.
            cost(.mutual, before: 248, bound: 198), cost(.suggestions, before: 5_960, bound: 4_768),
            lone(PeerBench.postgres, "of PostgreSQL", before: 1.5, bound: 1),
            lone(PeerBench.twoTrips, "of PostgreSQL in two trips", before: nil, bound: 0.9),
            PeerTarget(
                "AddFriends alone, adds/s of Redis, always synced", before: 0.6, bound: 0.9,
                isLeast: true
            ) {
                $0.writes(PeerBench.lone)?
                    .ratio(of: PeerFigures.ours, to: PeerBench.redis, \.callsPerSecond)
            },
            PeerTarget("AddFriends, 64 in flight, µs CPU", before: 205, bound: 45, digits: 0) {
                $0.writes(PeerBench.massed)?.server(PeerFigures.ours)?.cpuMicroseconds.median
            },
            adds(PeerBench.postgres, "of PostgreSQL", before: 1.6, bound: 4),
            adds(PeerBench.twoTrips, "of PostgreSQL in two trips", before: nil, bound: 4),
            adds(PeerBench.redis, "of Redis, always synced", before: 0.26, bound: 1),
        ]
    }

    private static func check(_ read: GraphRead, before: Double?) -> PeerTarget {
        let title = read.title
        return PeerTarget("\(title), of fixed rows", before: before, bound: 1.3) {
            $0.check(title)?.ofFixed
        }
    }

    private static func pairs(_ ids: Int, before: Double, bound: Double) -> PeerTarget {
        PeerTarget(
            "pairs/s of CPU, in calls of \(ids)", before: before, bound: bound, isLeast: true,
            digits: 0
        ) { $0.check(GraphRead.checks(ids).title)?.pairsPerSecond }
    }

    private static func cost(_ read: GraphRead, before: Double, bound: Double) -> PeerTarget {
        let title = read.title
        return PeerTarget("\(title), µs of CPU", before: before, bound: bound, digits: 0) {
            $0.check(title)?.builds.first?.cpuMicroseconds.median
        }
    }

    private static func lookup(_ ids: Int, before: Double?, bound: Double) -> PeerTarget {
        PeerTarget("CheckFriends of \(ids), of Redis", before: before, bound: bound) {
            $0.lookups.first { $0.shape.ids == ids }?
                .ratio(of: PeerFigures.ours, to: PeerBench.redis)
        }
    }

    private static func lone(
        _ peer: String, _ title: String, before: Double?, bound: Double
    ) -> PeerTarget {
        PeerTarget("AddFriends alone, p50, \(title)", before: before, bound: bound) {
            $0.writes(PeerBench.lone)?.ratio(of: PeerFigures.ours, to: peer, \.p50Microseconds)
        }
    }

    private static func adds(
        _ peer: String, _ title: String, before: Double?, bound: Double
    ) -> PeerTarget {
        PeerTarget("the same, adds/s \(title)", before: before, bound: bound, isLeast: true) {
            $0.writes(PeerBench.massed)?.ratio(of: PeerFigures.ours, to: peer, \.callsPerSecond)
        }
    }
}

extension PeerFigures {
    fileprivate func check(_ title: String) -> CheckFigures? {
        checks.first { $0.read.title == title }
    }

    fileprivate func writes(_ title: String) -> WriteFigures? { writes.first { $0.title == title } }
}
