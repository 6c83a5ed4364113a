import Glibc

/// Counts the server's instructions for a call or an event, in user space.
///
/// It counts all threads but the engine's own. The server runs twice under valgrind's callgrind,
/// once with few calls and once with more; the difference comes from the calls alone. The count
/// repeats within a hundredth, which no time on a shared machine does.
final class InstructionCounter {
    private static let valgrind = "/usr/bin/valgrind"

    /// Copies a program without its debug information, on which valgrind fails; names may stay.
    static func strip(_ program: String, to copy: String) throws(FloodError) {
        try Tool.run("/usr/bin/strip", ["--strip-debug", "-o", copy, program])
    }

    /// The words that count the program after them.
    ///
    /// - Parameter output: The beginning of the names of callgrind's files.
    static func command(_ output: String, _ options: [String] = []) -> [String] {
        [
            valgrind, "--quiet", "--tool=callgrind", "--separate-threads=yes",
            "--callgrind-out-file=" + output,
        ] + options
    }

    private let folder: String
    private let profiles: String
    private let calls: (Int, Int)

    /// - Parameters:
    /// - calls: How many calls the two runs make.
    /// - profiles: The folder for callgrind's files; nil if they are not needed.
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
        try Self.strip(executable, to: folder + "/server")
    }

    deinit { Tool.removeFolder(folder) }

    /// The instructions of one more of `counts`, or of the calls of both runs.
    ///
    /// - Parameters:
    ///   - arguments: Gives the arguments that start the server, before each run.
    ///   - work: Makes calls: the given number of the counted ones, and always the same others.
    func slope(
        _ name: String, _ counts: (Int, Int)? = nil, serving arguments: () throws -> [String],
        _ work: (_ port: UInt16, _ count: Int) throws -> Void
    ) throws -> Double {
        let counts = counts ?? calls
        let fewer = try total(name, counts.0, try arguments(), work)
        let more = try total(name, counts.1, try arguments(), work)
        return Double(more - fewer) / Double(counts.1 - counts.0)
    }

    private func total(
        _ name: String, _ count: Int, _ arguments: [String],
        _ work: (_ port: UInt16, _ count: Int) throws -> Void
    ) throws -> Int {
        let output = "\(profiles)/callgrind.\(name).\(count)"
        let words = Self.command(output) + [folder + "/server"] + arguments
        let server = try ServerProcess(serving: words[0], Array(words.dropFirst()))
        try work(server.port, count)
        try server.stop(seconds: BenchLimits.startSeconds)
        return try Self.total(of: output)
    }

    /// The instructions of all threads that have left a file with that name and their number.
    ///
    /// The engine's own threads are left out, because they work at any time, for writes of long
    /// ago.
    static func total(of output: String) throws(FloodError) -> Int {
        var sum: Int?
        for number in 1...BenchLimits.countedThreads {
            let digits = (number < 10 ? "0" : "") + "\(number)"
            guard let text = readText("\(output)-\(digits)"), !text.contains(engineThread),
                let total = Self.number(of: "totals:", in: text)
            else { continue }
            sum = (sum ?? 0) + total
        }
        guard let sum else { throw FloodError("no file of \(output) has a line with the totals") }
        return sum
    }

    /// The last number of the last line that begins with `name`.
    static func number(of name: String, in text: String) -> Int? {
        text.split(separator: "\n").last { $0.hasPrefix(name) }?.split(separator: " ").last
            .flatMap { Int($0) }
    }

    /// The function that each thread of the engine runs.
    private static let engineThread = "rocksdb::ThreadPoolImpl::Impl::BGThread"
}
