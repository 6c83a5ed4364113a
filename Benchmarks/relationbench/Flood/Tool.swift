import Glibc

/// Runs other programs to their end, and makes and removes folders.
enum Tool {
    /// Runs a program to its end, however long it takes, and drops its output.
    ///
    /// - Throws: ``FloodError`` if it cannot be started or does not end with status 0.
    static func run(_ path: String, _ arguments: [String]) throws(FloodError) {
        _ = try lines(path, arguments, seconds: BenchLimits.longestSeconds)
    }

    /// Runs a program to its end, and returns the lines that it prints.
    ///
    /// - Throws: ``FloodError`` as ``run(_:_:)``, or if it does not end within `seconds`; it is
    ///   killed then.
    static func lines(
        _ path: String, _ arguments: [String], seconds: Double = BenchLimits.toolSeconds
    ) throws(FloodError) -> [String] {
        let pipe = try OutputPipe()
        let process = try ServerProcess.spawn(path, arguments, output: pipe.writeEnd)
        pipe.closeWriteEnd()
        let end = FloodRun.now() + UInt64(seconds * 1e9)
        let lines: [String]
        do throws(FloodError) {
            lines = try pipe.lines(until: end)
            guard FloodRun.now() < end else { throw FloodError("\(path) does not end") }
        } catch {
            kill(process, SIGKILL)
            _ = ServerProcess.reap(process)
            throw error
        }
        guard ServerProcess.reap(process) == 0 else {
            throw FloodError("\(path) \(arguments.joined(separator: " ")) failed")
        }
        return lines
    }

    /// Looks again and again at something of which the kernel reports nothing by itself.
    ///
    /// - Returns: The first result of `look` that is not nil; nil if there is none in `seconds`.
    static func poll<Value>(
        _ seconds: Double, every pause: Double = 0.005,
        _ look: () throws(FloodError) -> Value?
    ) throws(FloodError) -> Value? {
        let end = FloodRun.now() + UInt64(seconds * 1e9)
        while true {
            if let value = try look() { return value }
            guard FloodRun.now() < end else { return nil }
            usleep(UInt32(pause * 1e6))
        }
    }

    /// The processor time of all programs that have run to their ends.
    static func endedSeconds() -> Double {
        var ticks = tms()
        _ = times(&ticks)
        return Double(ticks.tms_cutime + ticks.tms_cstime) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The processor time of this process, and of the programs that it ran to their ends.
    static func loadSeconds() throws(FloodError) -> Double {
        try ProcessUsage(of: getpid()).cpuSeconds + endedSeconds()
    }

    /// A new and empty folder inside `parent`.
    static func makeFolder(in parent: String) throws(FloodError) -> String {
        var template = Array((parent + "/relationbench-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw FloodError(system: parent) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes a folder and its contents.
    ///
    /// If this fails, it says which files are left behind.
    static func removeFolder(_ path: String) {
        do throws(FloodError) {
            try run("/bin/rm", ["-rf", "--", path])
        } catch {
            let text = [UInt8]("\(path) is left behind: \(error)\n".utf8)
            // If this cannot be written, there is no other way to report it.
            _ = write(STDERR_FILENO, text, text.count)
        }
    }

    /// The path of a program in the folder of the one that is running.
    static func beside(_ name: String) throws(FloodError) -> String {
        let own = try ownPath()
        return own.prefix(through: own.lastIndex(of: "/")!) + name
    }

    /// The path of the program that is running.
    static func ownPath() throws(FloodError) -> String {
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = path.withUnsafeMutableBytes { bytes in
            readlink(
                "/proc/self/exe", bytes.assumingMemoryBound(to: CChar.self).baseAddress!,
                bytes.count)
        }
        guard count > 0 else { throw FloodError(system: "/proc/self/exe") }
        return String(decoding: path[..<count], as: UTF8.self)
    }
}
