import ArgumentParser
import Logging
import StoragePostgres

/// The flags of commands about a directory: where its home is.
struct HomeFlags: ParsableArguments {
    @Option(.config) var config: String?
    @Option(.store) var store: String?

    /// The directory of the database that the settings name.
    ///
    /// - Throws: `ExitCode` if the settings are wrong; ``FatalError`` if they name a folder.
    func directory() throws -> (AppDirectory, Logger) {
        let given: [(Setting, String?)] = [(.config, config), (.store, store)]
        let sources = ConfigurationSources(
            flags: given.compactMap { setting, text in text.map { (setting, $0) } })
        let settings = try sources.readOrExit(.store)
        FileModes.close()
        let logger = LogOutput.begin(settings)
        guard case .database = settings.store else {
            throw FatalError("a directory needs a database, and \(settings.store) is none")
        }
        return (AppDirectory(settings.database), logger)
    }
}
