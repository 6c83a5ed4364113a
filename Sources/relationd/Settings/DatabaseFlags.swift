import ArgumentParser
import Logging
import StoragePostgres

/// The flags of commands that work on a database: which one it is.
struct DatabaseFlags: ParsableArguments {
    @Option(.config) var config: String?
    @Option(.store) var store: String?

    /// Reads the settings, and begins the log as they say.
    ///
    /// - Parameter refusal: The error of the command for a store in a folder.
    /// - Throws: `ExitCode` if the settings are wrong; ``FatalError`` if they name a folder.
    func configuration(
        orElse refusal: (Configuration) -> String
    ) throws -> (Configuration, Logger) {
        let sources = ConfigurationSources(flags: [(.config, config), (.store, store)])
        let configuration = try sources.readOrExit(.store)
        FileModes.close()
        let logger = LogOutput.begin(configuration)
        guard case .database = configuration.store else {
            throw FatalError(refusal(configuration))
        }
        return (configuration, logger)
    }

    /// The directory of a fleet, which the database has.
    ///
    /// - Throws: `ExitCode` if the settings are wrong; ``FatalError`` if they name a folder.
    func directory() throws -> (AppDirectory, Logger) {
        let (configuration, logger) = try configuration {
            "a directory needs a database, and \($0.store) is none"
        }
        return (AppDirectory(configuration.database), logger)
    }
}
