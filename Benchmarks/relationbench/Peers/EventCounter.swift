/// Counts the instructions of one event to one stream, as `make bench-check` does.
///
/// `relationbench count` writes in batches of 64 and delivers them to streams, on one thread, and
/// only the delivery is counted. So the count repeats, and holds nothing of the writes.
enum EventCounter {
    private static let call = "Watch.event"

    /// - Parameters:
    ///   - program: A build of this program.
    ///   - parent: The folder in which files are made and removed.
    static func count(_ program: String, in parent: String) throws -> Int {
        guard let plan = try CountedCall.named(call)?.plan() else {
            throw FloodError("\(call) is not a counted call")
        }
        let folder = try Tool.makeFolder(in: parent)
        defer { Tool.removeFolder(folder) }
        let (counted, data, output) = ("\(folder)/program", "\(folder)/data", "\(folder)/callgrind")
        try InstructionCounter.strip(program, to: counted)
        try Tool.run(counted, ["count", "--prepare", "--data", data])
        try Tool.run(
            "/usr/bin/env",
            [
                // Else the first call of each function of a library would search for it, and a
                // search takes more than a thousand instructions.
                "LD_BIND_NOW=1", "SWIFT_DETERMINISTIC_HASHING=1",
            ]
                + InstructionCounter.command(
                    output, ["--zero-before=*11countBegins*", "--dump-before=*9countEnds*"])
                + [counted, "count", "--call", call, "--data", data])
        var parts: [Int] = []
        while let text = readText("\(output).\(parts.count + 1)-01") {
            guard let part = InstructionCounter.number(of: "summary:", in: text) else {
                throw FloodError("callgrind has left no summary")
            }
            parts.append(part)
        }
        // Each turn has a part on the committer's side and one on the hub's.
        guard parts.count >= 2 * plan.turns else {
            throw FloodError("\(program) counts events in another way")
        }
        return parts.reduce(0, +) / (plan.counted * plan.events)
    }
}
