import Glibc

/// Keeps the server and the load on processors of their own.
///
/// By the command `taskset` of util-linux, which every Debian has: the C function for it is an
/// extension that Swift's module of the C library leaves out.
enum Processor {
    private static let tool = "/usr/bin/taskset"

    /// `words`, a command, so that it runs on `core` with all the threads it will make.
    static func command(_ words: [String], on core: Int) -> [String] {
        [tool, "-c", "\(core)"] + words
    }

    /// Moves every thread of this process to `core`, and with them those that they will make.
    static func pinThisProcess(to core: Int) throws(FloodError) {
        try Tool.run(tool, ["--all-tasks", "--pid", "--cpu-list", "\(core)", "\(getpid())"])
    }
}
