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

    var importRate: Double {
        imported.seconds > 0 ? Double(friendships) / imported.seconds : 0
    }
    var importMicroseconds: Double { imported.serverSeconds * 1e6 / Double(friendships) }
    var writtenPerFriendship: Double { Double(settledBytes) / Double(friendships) }
    var diskPerFriendship: Double { Double(diskBytes) / Double(friendships) }
    var memoryPerFriendship: Double {
        Double(max(0, usedBytes - startBytes)) / Double(friendships)
    }

    /// A call's processor time as a part of that over the smallest graph, within the rounds.
    func ofSmallest(_ name: String) -> Double? {
        guard let call = calls.first(where: { $0.name == name }) else { return nil }
        guard let smallest = call.smallest else { return 1 }
        let ratios = call.own.cpuMicroseconds.ratios(to: smallest.cpuMicroseconds)
        return ratios.values.isEmpty ? nil : ratios.median
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

    var json: JSON {
        .object([
            ("machine", .object(machine.map { ($0.name, .text($0.value)) })),
            ("rounds", .number(effort.peers.rounds)), ("seconds", .number(effort.peers.seconds)),
            ("sizes", .list(sizes.map(\.json))),
            ("targets", .list(GrowthTarget.all.map { $0.json(self) })),
            ("disturbed", .flag(!disturbances.isEmpty)),
            ("disturbances", .list(disturbances.map(JSON.text))),
        ])
    }
}

extension SizeFigures {
    var json: JSON {
        .object([
            ("users", .number(users)), ("friendships", .number(friendships)),
            (
                "import",
                .object([
                    ("seconds", .number(imported.seconds)), ("perSecond", .number(importRate)),
                    ("serverMicroseconds", .number(importMicroseconds)),
                    ("clientBytes", .number(imported.clientBytes)),
                    ("writtenBytes", .number(imported.writtenBytes)),
                    ("settledBytes", .number(settledBytes)),
                    ("writtenPerFriendship", .number(writtenPerFriendship)),
                ])
            ),
            ("diskBytes", .number(diskBytes)), ("diskPerFriendship", .number(diskPerFriendship)),
            ("stopSeconds", .number(stopSeconds)), ("startSeconds", .number(startSeconds)),
            ("startBytes", .number(startBytes)), ("usedBytes", .number(usedBytes)),
            ("memoryPerFriendship", .number(memoryPerFriendship)),
            (
                "calls",
                .list(
                    calls.map { call in
                        .object([
                            ("name", .text(call.name)), ("own", .object(call.own.members)),
                            ("smallest", call.smallest.map { .object($0.members) } ?? .none),
                            ("ofSmallest", ofSmallest(call.name).map(JSON.number) ?? .none),
                        ])
                    })
            ),
        ])
    }
}

/// A bound for a figure of growth.
typealias GrowthTarget = Target<GrowthFigures>

extension Target<GrowthFigures> {
    /// All bounds, in the order of the table.
    static var all: [GrowthTarget] {
        [
            cost(GrowthBench.check, before: 4.5), cost(GrowthBench.checks, before: 4.1),
            cost(GrowthBench.addition, before: 1.5),
            GrowthTarget(
                title: "import of the largest, friendships/s", before: 9_300, bound: 60_000,
                isLeast: true, digits: 0
            ) { $0.sizes.last?.importRate },
            GrowthTarget(
                title: "bytes written a friendship, of the smallest", before: 4.7, bound: 1.3
            ) { $0.growth(\.writtenPerFriendship) },
            GrowthTarget(
                title: "the importer's memory, of the smallest", before: nil, bound: 1.3
            ) { $0.growth { Double($0.imported.clientBytes) } },
            GrowthTarget(
                title: "memory a friendship in use, bytes", before: 343, bound: 40, digits: 0
            ) { $0.sizes.last?.memoryPerFriendship },
            GrowthTarget(
                title: "disk a friendship, bytes", before: 198, bound: 120, digits: 0
            ) { $0.sizes.last?.diskPerFriendship },
        ]
    }

    private static func cost(_ call: String, before: Double) -> GrowthTarget {
        GrowthTarget(title: "\(call), largest of smallest", before: before, bound: 1.5) {
            $0.sizes.count > 1 ? $0.sizes.last?.ofSmallest(call) : nil
        }
    }
}
