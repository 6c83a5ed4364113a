import Glibc

/// A server started as a child process, for the time of a measurement.
///
/// It is stopped when its owner is gone, but a measurement that succeeds calls ``stop()``.
final class ServerProcess {
    /// The port on which the server says that it listens.
    let port: UInt16

    let process: pid_t
    private var isRunning = true
    /// Keeps the server's standard output open; otherwise its next line would end it.
    private let outputPipe: OutputPipe

    /// Starts `executable` on some processors (none: on any), and waits until it says where it
    /// listens.
    ///
    /// The server does so on standard output, with a line that begins `listening on ADDRESS:PORT`.
    /// It shares our standard error, and gets the environment with which this process was started.
    ///
    /// - Throws: ``FloodError`` if it cannot be started, ends first, or does not say this in
    ///   `seconds`.
    init(
        _ executable: String, _ arguments: [String], cores: [Int] = [], seconds: Double = 30
    ) throws(FloodError) {
        let pipe = try OutputPipe()
        let process = try Self.spawn(executable, arguments, output: pipe.writeEnd, cores: cores)
        do throws(FloodError) {
            pipe.closeWriteEnd()
            port = try Self.awaitPort(pipe, until: FloodRun.now() + UInt64(seconds * 1e9))
        } catch {
            kill(process, SIGKILL)
            _ = Self.reap(process)
            throw error
        }
        self.process = process
        outputPipe = pipe
    }

    deinit {
        guard isRunning else { return }
        kill(process, SIGKILL)
        _ = Self.reap(process)
    }

    /// Starts `program` on the server's processor, as above; `words` are its arguments.
    convenience init(
        serving program: String, _ words: [String], seconds: Double = BenchLimits.startSeconds
    ) throws(FloodError) {
        try self.init(program, words, cores: [BenchLimits.serverProcessor], seconds: seconds)
    }

    /// The server's use of time and memory until now.
    func usage() throws(FloodError) -> ProcessUsage { try ProcessUsage(of: process) }

    /// The server's use of time and memory after it has done all its work: when it has used next to
    /// nothing for some seconds.
    ///
    /// - Throws: ``FloodError`` if it does not come to rest.
    func settledUsage(
        for seconds: Double = FloodLimits.restSeconds, within limit: Double = FloodLimits.rests
    ) throws(FloodError) -> ProcessUsage {
        var known: ProcessUsage?
        let rest = try Tool.poll(limit, every: seconds) {
            () throws(FloodError) -> ProcessUsage? in
            let now = try usage()
            defer { known = now }
            guard let known, now.cpuSeconds - known.cpuSeconds < seconds * FloodLimits.restShare
            else { return nil }
            return now
        }
        guard let rest else { throw FloodError("the server does not come to rest") }
        return rest
    }

    /// Asks the server to stop with SIGTERM and waits until it has.
    ///
    /// - Parameter bySignal: Whether the signal may end it, as it ends a program that does not wait
    ///   for one.
    /// - Throws: ``FloodError`` if it does not end with status 0 in `seconds`; it is killed then.
    func stop(seconds: Double = 15, bySignal: Bool = false) throws(FloodError) {
        precondition(isRunning, "a server is stopped once")
        kill(process, SIGTERM)
        // There is no wait with a time limit that ignores other children.
        let status = try Tool.poll(seconds) { Self.poll(process) }
        isRunning = false
        if status == nil {
            kill(process, SIGKILL)
            _ = Self.reap(process)
        }
        guard let status, status == 0 || (bySignal && status & 0x7F == SIGTERM) else {
            throw FloodError("the server did not stop well: \(Self.describe(status))")
        }
    }

    private static func awaitPort(
        _ pipe: OutputPipe, until end: UInt64
    ) throws(FloodError) -> UInt16 {
        while let line = try pipe.readLine(until: end) {
            if let port = port(in: line) { return port }
        }
        throw FloodError("the server did not say where it listens")
    }

    /// The port in a line that begins `listening on ADDRESS:PORT`.
    static func port(in line: String) -> UInt16? {
        let words = line.split(separator: " ")
        guard words.count >= 3, words[0] == "listening", words[1] == "on",
            let colon = words[2].lastIndex(of: ":")
        else { return nil }
        return UInt16(words[2][words[2].index(after: colon)...])
    }

    private static func describe(_ status: Int32?) -> String {
        guard let status else { return "it had to be killed" }
        return status & 0x7F == 0
            ? "exit status \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)"
    }

    /// The status of a child that has ended, or nil while it runs.
    private static func poll(_ process: pid_t) -> Int32? {
        var status: Int32 = 0
        return waitpid(process, &status, WNOHANG) == process ? status : nil
    }

    static func reap(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }
}

// MARK: - Starting

extension ServerProcess {
    static func spawn(
        _ executable: String, _ arguments: [String], output: Int32, cores: [Int] = []
    ) throws(FloodError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        // A child that also has this process's sockets would keep their ports taken and their peers
        // waiting.
        for descriptor in STDERR_FILENO + 1..<descriptorsEnd() {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        // A thread of a pool may block every signal, and its children would then never see SIGTERM.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        // If the program does not exist, `taskset` reports only its own status.
        guard access(executable, X_OK) == 0 else { throw FloodError(system: executable) }
        var words = [executable] + arguments
        if !cores.isEmpty { words = Processor.command(words, on: cores) }
        var process: pid_t = 0
        let result = withCStrings(words) { arguments in
            withCStrings(environment()) { environment in
                posix_spawn(&process, words[0], &actions, &attributes, arguments, environment)
            }
        }
        guard result == 0 else { throw FloodError(system: words[0], code: result) }
        return process
    }

    /// A number above all descriptors of this process, and above a few that other threads may open
    /// meanwhile.
    ///
    /// It is not an error to close a descriptor that is not open.
    private static func descriptorsEnd() -> Int32 {
        let open = names(in: "/proc/self/fd").compactMap { Int32($0) }
        return (open.max() ?? STDERR_FILENO) + BenchLimits.descriptorsOpenedMeanwhile
    }

    /// The environment with which this process was started.
    ///
    /// The C variable of that name cannot be read safely in a program with threads.
    private static func environment() -> [String] {
        (readText("/proc/self/environ") ?? "").split(separator: "\0").map(String.init)
    }

    /// Lends `strings` in C's form: pointers to copies that end with NUL, and a nil at the end.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
