import Glibc

/// Counts the instructions that one call takes the server, in user space and over all its threads.
///
/// The server runs twice under valgrind's callgrind, once with few calls and once with more: the
/// difference is that of the calls alone. The count repeats within a hundredth, which no time on a
/// shared machine does.
final class InstructionCounter {
    private static let valgrind = "/usr/bin/valgrind"
    private static let strip = "/usr/bin/strip"

    private let folder: String
    private let profiles: String
    private let calls: (Int, Int)

    /// - Parameters:
    ///   - calls: How many the two runs make.
    ///   - profiles: Where callgrind's files are left; nil if nobody wants them.
    /// - Throws: ``FloodError`` if valgrind or strip is missing.
    init(
        _ executable: String, calls: (Int, Int), in parent: String, keeping profiles: String?
    ) throws(FloodError) {
        precondition(calls.0 < calls.1)
        self.calls = calls
        folder = try Tool.makeFolder(in: parent)
        self.profiles = profiles ?? folder
        guard access(Self.valgrind, X_OK) == 0 else {
            throw FloodError("\(Self.valgrind) is missing; --no-instructions does without it")
        }
        // Valgrind gives up on the debug information of a Swift program; names may stay.
        try Tool.run(Self.strip, ["--strip-debug", "-o", folder + "/server", executable])
    }

    deinit {
        Tool.removeFolder(folder)
    }

    func count(_ calls: ScenarioCalls) throws -> Int {
        let fewer = try total(calls, count: self.calls.0)
        let more = try total(calls, count: self.calls.1)
        return (more - fewer) / (self.calls.1 - self.calls.0)
    }

    private func total(_ calls: ScenarioCalls, count: Int) throws -> Int {
        let output = "\(profiles)/callgrind.\(calls.name.rawValue).\(count)"
        let server = try ServerProcess(
            Self.valgrind,
            ["--quiet", "--tool=callgrind", "--callgrind-out-file=" + output, folder + "/server"]
                + (try calls.serverArguments()),
            core: BenchLimits.serverProcessor, seconds: BenchLimits.startSeconds)
        // Both runs do the same to begin with, so it falls out of the difference.
        if calls.callsToWarmUp > 0 {
            _ = try calls.flood(server.port, calls: calls.callsToWarmUp, seconds: 60)
        }
        _ = try calls.flood(server.port, calls: count, seconds: 60)
        try server.stop(seconds: BenchLimits.startSeconds)
        guard let text = readText(output),
            let line = text.split(separator: "\n").last(where: { $0.hasPrefix("totals:") }),
            let total = line.split(separator: " ").last.flatMap({ Int($0) })
        else { throw FloodError("\(output) has no line with the totals") }
        return total
    }
}
