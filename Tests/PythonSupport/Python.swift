package import Foundation

/// Runs Python, for the foreign clients, servers and codecs of tests.
package enum Python {
    /// The reason why a script could not be run, or the text that it printed when it failed.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// The interpreter: `RELATION_PYTHON`, or the one that `make venv` prepares.
    package static var interpreter: String {
        ProcessInfo.processInfo.environment["RELATION_PYTHON"] ?? ".build-python/bin/python"
    }

    /// Runs the interpreter to its end, on this thread.
    ///
    /// - Parameters:
    ///   - arguments: The words that follow the interpreter's name on a command line.
    ///   - environment: Variables beside those of the tests.
    /// - Returns: The text that it printed.
    /// - Throws: ``Failure`` if there is no interpreter, or it ended with a failure.
    @discardableResult
    package static func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws -> String {
        let process = try begin(arguments, environment)
        let text = process.waitForText()
        return try checked(text, process.waitForStatus(), arguments)
    }

    /// Runs a script to its end.
    ///
    /// - Returns: The text that it printed.
    /// - Throws: ``Failure`` if there is no interpreter, or the script ended with a failure.
    package static func run(_ script: URL, _ arguments: [String] = []) async throws -> String {
        try await finish([script.path] + arguments)
    }

    /// Runs a module, as `python -m` does, to its end.
    package static func module(_ name: String, _ arguments: [String]) async throws -> String {
        try await finish(["-m", name] + arguments)
    }

    /// Starts a script that goes on until it is stopped, or its input is closed.
    package static func start(_ script: URL, _ arguments: [String] = []) throws -> ChildProcess {
        try begin([script.path] + arguments, [:])
    }

    private static func finish(_ arguments: [String]) async throws -> String {
        let process = try begin(arguments, [:])
        let text = await process.readToEnd()
        return try checked(text, await process.waitForExit(), arguments)
    }

    private static func checked(
        _ text: String, _ status: Int32, _ arguments: [String]
    ) throws -> String {
        guard status == 0 else {
            let name = arguments.prefix(2).joined(separator: " ")
            throw Failure(description: "\(name) ended with status \(status):\n\(text)")
        }
        return text
    }

    private static func begin(
        _ arguments: [String], _ environment: [String: String]
    ) throws -> ChildProcess {
        guard FileManager.default.isExecutableFile(atPath: interpreter) else {
            throw Failure(
                description: "\(interpreter) is missing: run \"make venv\", or set RELATION_PYTHON")
        }
        return try ChildProcess(interpreter, arguments, environment)
    }
}
