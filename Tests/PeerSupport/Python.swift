import Dispatch
package import Foundation
import Glibc

/// Runs the scripts of the foreign clients and servers in tests.
package enum Python {
    /// The reason why a script could not be run, or the text that it printed when it failed.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// The interpreter: `RELATION_PYTHON`, or the one that `make` prepares.
    package static var interpreter: String {
        ProcessInfo.processInfo.environment["RELATION_PYTHON"] ?? ".build-python/bin/python"
    }

    /// Runs a script to its end.
    ///
    /// - Returns: The text that it printed.
    /// - Throws: ``Failure`` if there is no interpreter, or the script ended with a failure.
    package static func run(_ script: URL, _ arguments: [String] = []) async throws -> String {
        try await finish(try start([script.path] + arguments), script.lastPathComponent)
    }

    /// Runs a module, as `python -m` does, to its end.
    package static func module(_ name: String, _ arguments: [String]) async throws -> String {
        try await finish(try start(["-m", name] + arguments), name)
    }

    private static func finish(_ running: Running, _ name: String) async throws -> String {
        let text = await running.readToEnd()
        guard await running.waitForExit() == 0 else {
            throw Failure(description: "\(name) failed:\n\(text)")
        }
        return text
    }

    /// Starts a script that goes on until it is stopped, or its input is closed.
    package static func start(_ script: URL, _ arguments: [String] = []) throws -> Running {
        try start([script.path] + arguments)
    }

    private static func start(_ arguments: [String]) throws -> Running {
        guard FileManager.default.isExecutableFile(atPath: interpreter) else {
            throw Failure(
                description:
                    "\(interpreter) is missing: run \"make python\", or set RELATION_PYTHON")
        }
        return try Running(interpreter, arguments)
    }

    /// A running script.
    package final class Running: Sendable {
        private let process: Process
        private let output = Pipe()
        private let input = Pipe()

        fileprivate init(_ executable: String, _ arguments: [String]) throws {
            process = Process()
            process.executableURL = URL(fileURLWithPath: executable)
            process.arguments = arguments
            process.standardOutput = output
            process.standardError = output
            process.standardInput = input
            try process.run()
        }

        /// The first line that the script prints.
        package func readLine() async -> String {
            await Self.blocking { [output] in
                var line: [UInt8] = []
                while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first,
                    byte != UInt8(ascii: "\n")
                {
                    line.append(byte)
                }
                return String(decoding: line, as: UTF8.self)
            }
        }

        package func readToEnd() async -> String {
            await Self.blocking { [output] in
                let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
                return String(decoding: data, as: UTF8.self)
            }
        }

        package func waitForExit() async -> Int32 {
            await Self.blocking { [process] in
                process.waitUntilExit()
                return process.terminationStatus
            }
        }

        /// Runs a body that waits on a thread that may wait, and not on one of the few that tasks
        /// share.
        private static func blocking<Value: Sendable>(
            _ body: @escaping @Sendable () -> Value
        ) async -> Value {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: body()) }
            }
        }

        /// Ends the script: it exits when its input ends, so that no script outlives a test that
        /// crashed.
        package func stop() async {
            try? input.fileHandleForWriting.close()
            // Threads of a test may have blocked other signals, which children inherit.
            kill(process.processIdentifier, SIGKILL)
            _ = await waitForExit()
        }
    }
}
