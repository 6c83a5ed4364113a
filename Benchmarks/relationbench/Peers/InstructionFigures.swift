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

    var json: ReportObject {
        let counts = byIDs.sorted { $0.key < $1.key }
        return [
            "name": name, "byIDs": ReportObject(counts.map { ("\($0.key)", $0.value) }),
            "perFurtherID": perFurtherID, "problem": problem,
        ]
    }
}

/// Counts the instructions of a call to each server, as ``InstructionCounter`` does it for ours.
extension PeerBench {
    func countCalls() throws {
        let folder = try Tool.makeFolder(in: folder)
        defer { Tool.removeFolder(folder) }
        for server in servers {
            var counted = InstructionFigures(name: server.name)
            do {
                counted.byIDs = try count(server, in: folder)
            } catch {
                // As of a server that valgrind cannot run.
                counted.problem = "\(error)"
                figures.gaps.append("the instructions of \(server.name): \(error)")
            }
            figures.instructions.append(counted)
        }
    }

    private func count(_ server: PeerServer, in folder: String) throws -> [Int: Int] {
        guard server.isCounted else { throw FloodError("an interpreter is not counted") }
        let program = server.hasDebugInformation ? folder + "/server" : nil
        if let program { try InstructionCounter.strip(server.command[0], to: program) }
        let (few, many) = effort.instructionCalls
        var byIDs: [Int: Int] = [:]
        for ids in PeerShape.lengths {
            let totals = try [few, many].map { count in
                let output = "\(folder)/callgrind.\(server.name).\(ids).\(count)"
                    .replacing(" ", with: "-")
                let process = try server.start(
                    // Go's own signals end this version of callgrind; calls so short need none.
                    under: ["/usr/bin/env", "GODEBUG=asyncpreemptoff=1"]
                        + InstructionCounter.command(output), program: program)
                var flood = calls.flood(server, process.port, PeerShape(ids: ids, load: .reads))
                (flood.calls, flood.seconds) = (count, BenchLimits.startSeconds)
                try flood.checkedRun("\(server.name), counted")
                try process.stop(seconds: BenchLimits.startSeconds, bySignal: server.endsBySignal)
                return try InstructionCounter.total(of: output)
            }
            byIDs[ids] = (totals[1] - totals[0]) / (many - few)
        }
        return byIDs
    }
}
