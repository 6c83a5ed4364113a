/// All figures of one run.
struct PeerFigures {
    /// The name of this build among the servers: the one that shows a credential.
    static let ours = "ours"
    static let oursOpen = "ours, open"

    var machine: [(name: String, value: String)] = []
    var versions: [(name: String, value: String)] = []
    var effort = PeerEffort()
    var shapes: [ShapeFigures] = []
    var instructions: [InstructionFigures] = []
    var idle: [(name: String, kibibytes: Double)] = []
    var reads: [ReadFigures] = []
    var loops: [LoopFigures] = []
    /// The instructions of one event to one stream, by the build.
    var events: [(name: String, instructions: Int)] = []
    /// Reads of the sample graph from disk, beside fixed rows.
    var checks: [CheckFigures] = []
    /// Checks of users with many friends, beside the look-ups of stores.
    var lookups: [ShapeFigures] = []
    /// Additions of friends, beside databases.
    var writes: [WriteFigures] = []
    /// Why figures should not be trusted; empty for a quiet run.
    var disturbances: [String] = []
    /// The figures that could not be measured, with the reasons.
    var gaps: [String] = []

    /// The part of ours of a peer's processor time under the first load that fits.
    func ratio(to peer: String, ids: Int = 1, connections: Int = 4) -> Double? {
        shapes.first { $0.shape.ids == ids && $0.shape.connections == connections }?
            .ratio(of: Self.ours, to: peer)
    }
}

extension PeerFigures {
    /// All figures, and the rounds behind them.
    var json: JSON {
        .object([
            ("machine", Self.texts(machine)), ("versions", Self.texts(versions)),
            ("rounds", .number(effort.rounds)), ("seconds", .number(effort.seconds)),
            ("stack", .list(shapes.map(Self.json))),
            ("instructions", .list(instructions.map(Self.json))),
            (
                "idle",
                .list(
                    idle.map {
                        .object([("name", .text($0.name)), ("kibibytes", .number($0.kibibytes))])
                    })
            ),
            ("reads", .list(reads.map(Self.json))), ("loops", .list(loops.map(Self.json))),
            (
                "events",
                .list(
                    events.map {
                        .object([
                            ("name", .text($0.name)), ("instructions", .number($0.instructions)),
                        ])
                    })
            ),
            ("checks", .list(checks.map(\.json))), ("lookups", .list(lookups.map(Self.json))),
            ("writes", .list(writes.map(\.json))),
            ("targets", .list(PeerTarget.all.map { $0.json(self) })),
            ("disturbed", .flag(!disturbances.isEmpty)),
            ("disturbances", .list(disturbances.map(JSON.text))),
            ("gaps", .list(gaps.map(JSON.text))),
        ])
    }

    private static func texts(_ pairs: [(name: String, value: String)]) -> JSON {
        .object(pairs.map { ($0.name, .text($0.value)) })
    }

    private static func json(_ figures: ShapeFigures) -> JSON {
        let servers = figures.servers.map { server in
            JSON.object(
                server.members + [
                    ("ours", figures.ratio(of: ours, to: server.name).map(JSON.number) ?? .none)
                ])
        }
        return .object([
            ("shape", .text(figures.shape.title)), ("ids", .number(figures.shape.ids)),
            ("connections", .number(figures.shape.connections)),
            ("streams", .number(figures.shape.streams)), ("servers", .list(servers)),
        ])
    }

    private static func json(_ figures: InstructionFigures) -> JSON {
        let counts = figures.byIDs.sorted { $0.key < $1.key }
        return .object([
            ("name", .text(figures.name)),
            ("byIDs", .object(counts.map { ("\($0.key)", .number($0.value)) })),
            ("perFurtherID", .number(figures.perFurtherID)),
            ("problem", figures.problem.map(JSON.text) ?? .none),
        ])
    }

    private static func json(_ figures: ReadFigures) -> JSON {
        .object([
            ("name", .text(figures.build)),
            (
                "cpuMicroseconds",
                .object(figures.cpuMicroseconds.map { ($0.name, $0.rounds.json) })
            ),
            (
                "p50Microseconds",
                .object(figures.p50Microseconds.map { ($0.beside, $0.rounds.json) })
            ),
            (
                "ofAlone",
                .object(
                    figures.p50Microseconds.map {
                        ($0.beside, .number(figures.ratio(beside: $0.beside)))
                    })
            ),
        ])
    }

    private static func json(_ figures: LoopFigures) -> JSON {
        .object([
            ("name", .text(figures.build)), ("one", figures.one.json), ("two", figures.two.json),
            ("apart", figures.apart.json), ("twoOfOne", .number(figures.ofOne)),
            ("twoOfApart", .number(figures.ofApart)),
        ])
    }
}
