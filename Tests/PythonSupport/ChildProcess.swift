import CSpawn
import Dispatch
import Foundation
import Glibc
import Synchronization

/// A program that a test has started.
///
/// Foundation's `Process` looks through all open descriptors before it starts a program. If there
/// are more than about a thousand, it reads beyond the end of a buffer, and has ended a process of
/// tests by that. Here the C library closes them by itself. Without that, a program keeps the
/// sockets of servers that other tests stop, and start again at the same port.
package final class ChildProcess: Sendable {
    private let process: pid_t
    /// The text that the program prints, errors too.
    private let output: Int32
    /// The end of the program's input; nil once it is closed.
    private let input: Mutex<Int32?>
    /// The status with which it ended, once that was asked for.
    private let status = Mutex<Int32?>(nil)

    /// - Parameter environment: Variables beside those of this process.
    init(
        _ executable: String, _ arguments: [String], _ environment: [String: String]
    ) throws {
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (read, written) = (try Self.makePipe(), try Self.makePipe())
        defer { for end in [written[0], read[1]] { close(end) } }
        process = try Self.spawn(
            [executable] + arguments, variables.map { "\($0)=\($1)" }, input: written[0],
            output: read[1])
        output = read[0]
        input = Mutex(written[1])
    }

    deinit {
        close(output)
        if let input = input.withLock(\.self) { close(input) }
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String], input: Int32, output: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        // Threads of a test may have blocked signals, which a child would inherit.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        // The copies live until the program has its own.
        let words = arguments.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for copy in words + variables { free(copy) } }
        var process: pid_t = 0
        let error = posix_spawn(&process, arguments[0], &actions, &attributes, words, variables)
        guard error == 0 else {
            throw Python.Failure(
                description: "\(arguments[0]): \(String(cString: strerror(error)))")
        }
        return process
    }

    /// The two ends of a new pipe: the one to read from, and the one to write to.
    private static func makePipe() throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw Python.Failure(description: "pipe: \(String(cString: strerror(errno)))")
        }
        return ends
    }

    // MARK: - What it prints

    /// The first line that the program prints.
    package func readLine() async -> String {
        await blocking { [self] in
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
            return String(decoding: line, as: UTF8.self)
        }
    }

    /// All that the program prints from now on, until it ends.
    package func readToEnd() async -> String {
        await blocking { [self] in waitForText() }
    }

    func waitForText() -> String {
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(output, &piece, piece.count), count > 0 {
            text += piece[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: - Its end

    /// The status with which the program ended; 128 and more for a signal, as in a shell.
    package func waitForExit() async -> Int32 {
        await blocking { [self] in waitForStatus() }
    }

    func waitForStatus() -> Int32 {
        status.withLock { status in
            if let status { return status }
            var word: Int32 = 0
            while waitpid(process, &word, 0) < 0, errno == EINTR {}
            let ended = word & 0x7F == 0 ? word >> 8 & 0xFF : 128 + word & 0x7F
            status = ended
            return ended
        }
    }

    /// Ends the program: it exits when its input ends, so that none outlives a test that crashed.
    package func stop() async {
        input.withLock { input in
            if let input { close(input) }
            input = nil
        }
        // A number that was waited for may be another program's by now.
        status.withLock { if $0 == nil { _ = kill(process, SIGKILL) } }
        _ = await waitForExit()
    }

    /// Runs a body that waits on a thread that may wait, and not on one of those that tasks share.
    private func blocking<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }
}
