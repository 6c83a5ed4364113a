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

    /// Moves the main thread, and every thread made from now on, to `core`.
    static func pinMainThread(to core: Int) throws(FloodError) {
        let output = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard output >= 0 else { throw FloodError(system: "/dev/null") }
        defer { close(output) }
        let process = try ServerProcess.spawn(
            tool, ["-p", "-c", "\(core)", "\(getpid())"], output: output)
        let status = ServerProcess.reap(process)
        guard status == 0 else { throw FloodError("\(tool) could not pin to processor \(core)") }
    }
}
