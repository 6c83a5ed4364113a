// The bounds of reads and additions with rows on disk.

extension Target<PeerFigures> {
    /// The bounds of reads and additions with rows on disk.
    static var stores: [PeerTarget] {
        [
            read(.checks(1), before: 3.5), read(.checks(20), before: 9.1),
            PeerTarget(
                title: "pairs/s of CPU, in calls of 20", before: 156_000, bound: 2_500_000,
                isLeast: true, digits: 0
            ) { $0.check(.checks(20))?.pairsPerSecond },
            PeerTarget(
                title: "pairs/s of CPU, in calls of 1000", before: 350_000, bound: 5_000_000,
                isLeast: true, digits: 0
            ) { $0.check(.checks(1_000))?.pairsPerSecond },
            lookup(20, before: 25, bound: 1.5), lookup(100, before: nil, bound: 1),
            read(.canSend(StoreLimits.readUsers), before: nil),
            read(.blacklist(StoreLimits.readUsers), before: nil),
            read(.relations(StoreLimits.readUsers), before: 16.4),
            // A fifth less than was measured.
            cost(.mutual, before: 248, bound: 198), cost(.suggestions, before: 5_960, bound: 4_768),
            PeerTarget(title: "AddFriends alone, p50, of PostgreSQL", before: 1.5, bound: 1) {
                $0.lone?.ratio(of: PeerFigures.ours, to: WriteBench.postgres, \.p50Microseconds)
            },
            PeerTarget(
                title: "AddFriends alone, p50, of PostgreSQL in two trips", before: nil, bound: 1
            ) {
                $0.lone?.ratio(of: PeerFigures.ours, to: WriteBench.twoTrips, \.p50Microseconds)
            },
            PeerTarget(title: "AddFriends, 64 in flight, µs CPU", before: 205, bound: 45, digits: 0)
            {
                $0.massed?.server(PeerFigures.ours)?.cpuMicroseconds.median
            },
            adds(WriteBench.postgres, "the same, adds/s of PostgreSQL", before: 1.6, bound: 4),
            adds(
                WriteBench.twoTrips, "the same, adds/s of PostgreSQL in two trips", before: nil,
                bound: 4),
            adds(
                WriteBench.redis, "the same, adds/s of Redis, always synced", before: 0.26, bound: 1
            ),
        ]
    }

    private static func read(_ read: GraphRead, before: Double?) -> PeerTarget {
        PeerTarget(title: "\(read.title), of fixed rows", before: before, bound: 1.3) {
            $0.check(read)?.ofFixed
        }
    }

    private static func cost(_ read: GraphRead, before: Double, bound: Double) -> PeerTarget {
        PeerTarget(title: "\(read.title), µs of CPU", before: before, bound: bound, digits: 0) {
            $0.check(read)?.builds.first?.cpuMicroseconds.median
        }
    }

    private static func lookup(_ ids: Int, before: Double?, bound: Double) -> PeerTarget {
        PeerTarget(title: "CheckFriends of \(ids), of Redis", before: before, bound: bound) {
            $0.lookups.first { $0.shape.ids == ids }?
                .ratio(of: PeerFigures.ours, to: LookupBench.redis)
        }
    }

    private static func adds(
        _ peer: String, _ title: String, before: Double?, bound: Double
    ) -> PeerTarget {
        PeerTarget(title: title, before: before, bound: bound, isLeast: true) {
            $0.massed?.ratio(of: PeerFigures.ours, to: peer, \.callsPerSecond)
        }
    }
}

extension PeerFigures {
    fileprivate func check(_ read: GraphRead) -> CheckFigures? {
        checks.first { $0.read == read }
    }
    fileprivate var lone: WriteFigures? { writes.first { $0.title == WriteBench.lone } }
    fileprivate var massed: WriteFigures? { writes.first { $0.title == WriteBench.massed } }
}
