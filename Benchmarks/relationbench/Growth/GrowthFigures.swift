/// The figures of a graph of one size.
struct SizeFigures {
    let users: Int
    let friendships: Int
    var imported = ImportFigures()
    /// The bytes that the server wrote until its engine had sorted all files after the import.
    var settledBytes = 0
    /// The bytes of the data folder after that.
    var diskBytes = 0
    /// How long the server took to stop after the import, and to start again.
    var stopSeconds = 0.0
    var startSeconds = 0.0
    /// The server's memory after its start, and after each user was asked for.
    var startBytes = 0
    var usedBytes = 0
    /// The calls, by ``GrowthBench/calls``; the second of each is of the smallest graph, by turns.
    var calls: [(name: String, own: ServerRounds, smallest: ServerRounds?)] = []

    var importRate: Double { imported.seconds > 0 ? Double(friendships) / imported.seconds : 0 }
    var importMicroseconds: Double { imported.serverSeconds * 1e6 / Double(friendships) }
    var writtenPerFriendship: Double { Double(settledBytes) / Double(friendships) }
    var diskPerFriendship: Double { Double(diskBytes) / Double(friendships) }
    var memoryPerFriendship: Double { Double(max(0, usedBytes - startBytes)) / Double(friendships) }

    /// A call's processor time as a part of that over the smallest graph, within the rounds.
    func ofSmallest(_ name: String) -> Double? {
        guard let call = calls.first(where: { $0.name == name }) else { return nil }
        guard let smallest = call.smallest else { return 1 }
        return call.own.cpuMicroseconds.ratios(to: smallest.cpuMicroseconds).middle
    }

    func microseconds(_ name: String) -> Double? {
        calls.first { $0.name == name }?.own.cpuMicroseconds.median
    }
}

/// All figures of one run.
struct GrowthFigures {
    var machine: [(name: String, value: String)] = []
    var effort = GrowthEffort()
    /// From the smallest graph to the largest.
    var sizes: [SizeFigures] = []
    /// Why figures should not be trusted; empty for a quiet run.
    var disturbances: [String] = []

    /// A figure of the largest graph, as a part of that of the smallest.
    func growth(_ figure: (SizeFigures) -> Double) -> Double? {
        guard sizes.count > 1, let least = sizes.first, let most = sizes.last, figure(least) > 0
        else { return nil }
        return figure(most) / figure(least)
    }

    var json: ReportObject {
        [
            "machine": ReportObject(machine), "rounds": effort.peers.rounds,
            "seconds": effort.peers.seconds, "sizes": sizes.map(\.json),
            "targets": GrowthTarget.all.map { $0.json(self) },
            "disturbed": !disturbances.isEmpty, "disturbances": disturbances,
        ]
    }
}

extension SizeFigures {
    var json: ReportObject {
        [
            "users": users, "friendships": friendships,
            "import": [
                "seconds": imported.seconds, "perSecond": importRate,
                "serverMicroseconds": importMicroseconds, "clientBytes": imported.clientBytes,
                "writtenBytes": imported.writtenBytes, "settledBytes": settledBytes,
                "writtenPerFriendship": writtenPerFriendship,
            ] as ReportObject,
            "diskBytes": diskBytes, "diskPerFriendship": diskPerFriendship,
            "stopSeconds": stopSeconds, "startSeconds": startSeconds, "startBytes": startBytes,
            "usedBytes": usedBytes, "memoryPerFriendship": memoryPerFriendship,
            "calls": calls.map { call in
                [
                    "name": call.name, "own": ReportObject(call.own.members),
                    "smallest": call.smallest.map { ReportObject($0.members) },
                    "ofSmallest": ofSmallest(call.name),
                ] as ReportObject
            },
        ]
    }
}

/// A bound for a figure of growth.
typealias GrowthTarget = Target<GrowthFigures>

extension Target<GrowthFigures> {
    /// All bounds, in the order of the table.
    static var all: [GrowthTarget] {
        [
            cost(GrowthBench.check, before: 4.5, bound: 1.5),
            cost(GrowthBench.checks, before: 4.1, bound: 1.5),
            cost(GrowthBench.addition, before: 1.5, bound: 1.3),
            GrowthTarget(
                "import of the smallest, friendships/s", before: 54_000, bound: 120_000,
                isLeast: true, digits: 0
            ) { $0.sizes.first?.importRate },
            GrowthTarget(
                "import of the largest, friendships/s", before: 9_300, bound: 100_000,
                isLeast: true, digits: 0
            ) { $0.sizes.last?.importRate },
            GrowthTarget(
                "bytes written a friendship, of the largest", before: 288, bound: 120, digits: 0
            ) { $0.sizes.last?.writtenPerFriendship },
            GrowthTarget("bytes written a friendship, of the smallest", before: 4.7, bound: 1.3) {
                $0.growth(\.writtenPerFriendship)
            },
            GrowthTarget("the importer's memory, of the smallest", before: nil, bound: 1.3) {
                $0.growth { Double($0.imported.clientBytes) }
            },
            GrowthTarget("memory a friendship in use, bytes", before: 343, bound: 40, digits: 0) {
                $0.sizes.last?.memoryPerFriendship
            },
            GrowthTarget("disk a friendship, bytes", before: 198, bound: 120, digits: 0) {
                $0.sizes.last?.diskPerFriendship
            },
        ]
    }

    private static func cost(_ call: String, before: Double, bound: Double) -> GrowthTarget {
        GrowthTarget("\(call), largest of smallest", before: before, bound: bound) {
            $0.sizes.count > 1 ? $0.sizes.last?.ofSmallest(call) : nil
        }
    }
}
