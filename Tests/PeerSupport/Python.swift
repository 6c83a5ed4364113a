package import Foundation

/// Runs the scripts by which foreign clients and servers take part in tests.
package enum Python {
    /// Why a script could not be run, or what it said when it failed.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The interpreter: `RELATION_PYTHON`, or the one that `make` prepares.
    package static var interpreter: String {
        ProcessInfo.processInfo.environment["RELATION_PYTHON"] ?? ".build-python/bin/python"
    }

    /// Runs a script to its end.
    ///
    /// - Returns: What it printed.
    /// - Throws: ``Failure`` if there is no interpreter, or the script ended with a failure.
    package static func run(_ script: URL, _ arguments: [String] = []) async throws -> String {
        let running = try start(script, arguments)
        let text = await running.readToEnd()
        guard await running.waitForExit() == 0 else {
            throw Failure(description: "\(script.lastPathComponent) failed:\n\(text)")
        }
        return text
    }

    /// Starts a script that goes on until it is stopped, or its input is closed.
    package static func start(_ script: URL, _ arguments: [String] = []) throws -> Running {
        guard FileManager.default.isExecutableFile(atPath: interpreter) else {
            throw Failure(
                description: "\(interpreter) is missing: run \"make python\", or set RELATION_PYTHON")
        }
        return try Running(interpreter, [script.path] + arguments)
    }

    /// A script that runs.
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
            var line: [UInt8] = []
            while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first,
                byte != UInt8(ascii: "\n")
            {
                line.append(byte)
            }
            return String(decoding: line, as: UTF8.self)
        }

        package func readToEnd() async -> String {
            let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
            return String(decoding: data, as: UTF8.self)
        }

        package func waitForExit() async -> Int32 {
            process.waitUntilExit()
            return process.terminationStatus
        }

        package func stop() {
            process.terminate()
            process.waitUntilExit()
        }
    }
}
