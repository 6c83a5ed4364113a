import Glibc

/// The import of a graph by the operator's command line.
struct ImportFigures {
    var seconds = 0.0
    /// The most memory that the command line had.
    var clientBytes = 0
    /// The server's processor time, and what it wrote until the command line ended.
    var serverSeconds = 0.0
    var writtenBytes = 0
}

/// Imports a file of friendships by the operator's command line, on the load's processor.
struct Importer {
    /// The program of the command line.
    let program: String

    /// Imports all of `graph` from the file at `path`.
    ///
    /// - Parameters:
    ///   - log: The path of a file for the command line's standard error.
    ///   - note: Gets the progress now and then.
    /// - Throws: ``FloodError`` if the command line fails, or not all rows are accepted.
    func run(
        _ path: String, of graph: LiftedGraph, into server: ServerProcess, log: String,
        _ note: (String) -> Void
    ) throws(FloodError) -> ImportFigures {
        guard access(program, X_OK) == 0 else { throw FloodError(system: program) }
        let before = try ProcessTree(of: server.process)
        let begin = FloodRun.now()
        let pipe = try OutputPipe()
        let process = try ServerProcess.spawn(
            "/bin/sh",
            [
                "-c", "exec \"$@\" 2> \"$0\"", log, program, "--server",
                "127.0.0.1:\(server.port)", "import", path,
            ], output: pipe.writeEnd)
        pipe.closeWriteEnd()
        var figures = ImportFigures()
        figures.clientBytes = try Self.wait(for: process, log: log, note)
        figures.seconds = Double(FloodRun.now() - begin) / 1e9
        let after = try ProcessTree(of: server.process)
        figures.serverSeconds = after.cpuSeconds - before.cpuSeconds
        figures.writtenBytes = after.writtenBytes - before.writtenBytes
        let lines = try pipe.lines(until: FloodRun.now() + 1_000_000_000)
        for (name, count) in [("users", graph.userCount), ("friendships", graph.friendshipCount)] {
            guard lines.contains("\(name): \(count) accepted, 0 refused") else {
                throw FloodError(
                    "the import should take \(count) \(name): \(lines.joined(separator: ", "))")
            }
        }
        return figures
    }

    /// Waits until the command line has ended well, and returns the most memory that it had.
    private static func wait(
        for process: pid_t, log: String, _ note: (String) -> Void
    ) throws(FloodError) -> Int {
        var shown = FloodRun.now()
        var usage = rusage()
        // There is no wait with a time limit that ignores other children.
        let status = try Tool.poll(GrowthLimits.importSeconds) { () -> Int32? in
            var status: Int32 = 0
            if wait4(process, &status, WNOHANG, &usage) == process { return status }
            if Double(FloodRun.now() - shown) > GrowthLimits.progressSeconds * 1e9 {
                shown = FloodRun.now()
                if let line = lastLine(of: log) { note(line) }
            }
            return nil
        }
        guard let status else {
            kill(process, SIGKILL)
            _ = ServerProcess.reap(process)
            throw FloodError("the import does not end")
        }
        guard status == 0 else {
            throw FloodError("the import failed: \(lastLine(of: log) ?? "it said nothing")")
        }
        return Int(usage.ru_maxrss) * 1_024
    }

    /// The last line of a file.
    private static func lastLine(of path: String) -> String? {
        readText(path)?.split(separator: "\n").last.map(String.init)
    }
}
