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
        shapes.first { $0.shape.ids == ids && $0.shape.load.connections == connections }?
            .ratio(of: Self.ours, to: peer)
    }

    /// All figures, and the rounds behind them.
    var json: ReportObject {
        [
            "machine": ReportObject(machine), "versions": ReportObject(versions),
            "rounds": effort.rounds, "seconds": effort.seconds,
            "stack": shapes.map(\.json), "instructions": instructions.map(\.json),
            "idle": idle.map { ["name": $0.name, "kibibytes": $0.kibibytes] as ReportObject },
            "reads": reads.map(\.json), "loops": loops.map(\.json),
            "events": events.map {
                ["name": $0.name, "instructions": $0.instructions] as ReportObject
            },
            "checks": checks.map(\.json), "lookups": lookups.map(\.json),
            "writes": writes.map(\.json),
            "targets": PeerTarget.all.map { $0.json(self) },
            "disturbed": !disturbances.isEmpty, "disturbances": disturbances, "gaps": gaps,
        ]
    }
}
