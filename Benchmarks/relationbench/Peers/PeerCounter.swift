/// The instructions of a server's calls, in user space.
struct InstructionFigures {
    let name: String
    /// By the number of users that a call asks for.
    var byIDs: [Int: Int] = [:]
    /// Why they could not be counted; nil if they were.
    var problem: String?

    /// The instructions of each user after the first.
    var perFurtherID: Int? {
        guard let least = byIDs.keys.min(), let most = byIDs.keys.max(), most > least,
            let few = byIDs[least], let many = byIDs[most]
        else { return nil }
        return (many - few) / (most - least)
    }

    var json: JSONObject {
        let counts = byIDs.sorted { $0.key < $1.key }
        return [
            "name": name, "byIDs": JSONObject(counts.map { ("\($0.key)", $0.value) }),
            "perFurtherID": perFurtherID, "problem": problem,
        ]
    }
}

/// Counts the instructions of a call to each server, as ``InstructionCounter`` does it for ours.
final class PeerCounter {
    private let calls: PeerCalls
    private let effort: PeerEffort
    private let folder: String

    init(_ calls: PeerCalls, effort: PeerEffort, in parent: String) throws(FloodError) {
        self.calls = calls
        self.effort = effort
        folder = try Tool.makeFolder(in: parent)
    }

    deinit {
        Tool.removeFolder(folder)
    }

    /// A server that valgrind cannot run has its reason in the place of figures.
    func count(_ server: PeerServer) -> InstructionFigures {
        var figures = InstructionFigures(name: server.name)
        guard server.isCounted else {
            figures.problem = "an interpreter is not counted"
            return figures
        }
        do {
            let program = server.hasDebugInformation ? folder + "/server" : nil
            if let program { try InstructionCounter.strip(server.command[0], to: program) }
            for ids in PeerShape.lengths {
                let (few, many) = effort.instructionCalls
                let fewer = try total(server, program, ids: ids, calls: few)
                let more = try total(server, program, ids: ids, calls: many)
                figures.byIDs[ids] = (more - fewer) / (many - few)
            }
        } catch {
            figures.problem = "\(error)"
        }
        return figures
    }

    private func total(
        _ server: PeerServer, _ program: String?, ids: Int, calls count: Int
    ) throws -> Int {
        let output = "\(folder)/callgrind.\(server.name).\(ids).\(count)"
            .replacing(" ", with: "-")
        let process = try server.start(
            // Go's own signals end this version of callgrind; calls so short need none.
            under: ["/usr/bin/env", "GODEBUG=asyncpreemptoff=1"]
                + InstructionCounter.command(output), program: program)
        var flood = calls.flood(server, process.port, PeerShape(ids: ids, load: .reads))
        flood.calls = count
        flood.seconds = BenchLimits.startSeconds
        try flood.checkedRun("\(server.name), counted")
        try process.stop(seconds: BenchLimits.startSeconds, bySignal: server.endsBySignal)
        return try InstructionCounter.total(of: output)
    }
}
