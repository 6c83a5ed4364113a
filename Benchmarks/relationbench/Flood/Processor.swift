import Glibc

/// Keeps the server and the load on processors of their own.
///
/// It uses the command `taskset` of util-linux, which every Debian has. The C function for it is an
/// extension that Swift's module of the C library leaves out.
enum Processor {
    private static let tool = "/usr/bin/taskset"

    /// The command `words`, made to run on `cores` with all threads that it will make.
    static func command(_ words: [String], on cores: [Int]) -> [String] {
        [tool, "-c", list(cores)] + words
    }

    /// Moves every thread of this process, and all threads that they will make, to `cores`.
    static func pinThisProcess(to cores: Int...) throws(FloodError) {
        try Tool.run(tool, ["--all-tasks", "--pid", "--cpu-list", list(cores), "\(getpid())"])
    }

    private static func list(_ cores: [Int]) -> String {
        cores.map(String.init).joined(separator: ",")
    }
}
