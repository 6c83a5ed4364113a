import ArgumentParser
import Endings
import Glibc
import Protobuf

/// The three sources of settings, as they were given at the start.
///
/// Flags and variables stay as they were; the file is read again each time.
struct ConfigurationSources: Sendable {
    private let flags: [GivenSetting]
    private let environment: [GivenSetting]
    private let unknownVariables: [String]
    /// The file with settings; nil for none.
    let path: String?

    /// - Parameter flags: The flags of the command; nil for one that is not given.
    init(flags: [(Setting, String?)], environment: EnvironmentSettings = EnvironmentSettings()) {
        self.flags = flags.compactMap { setting, text in
            text.map { GivenSetting(setting, $0, .flag) }
        }
        self.environment = environment.given
        unknownVariables = environment.unknown
        let all = self.environment + self.flags
        path = all.last { $0.setting.name == Setting.config.name }?.text
    }

    /// Reads the sources.
    ///
    /// - Throws: ``ConfigurationErrors`` with everything that is wrong.
    func read(_ needs: Configuration.Needs = .serving) throws(ConfigurationErrors) -> Configuration
    {
        var errors = unknownVariables.map { "there is no setting \($0)" }
        var given: [GivenSetting] = []
        if let path, !path.isEmpty {
            let file = ConfigurationFile.read(path)
            given = file.given
            errors += file.errors
        }
        let (configuration, wrong) = Configuration.reading(given + environment + flags)
        errors += wrong
        // Settings that do not fit together are reported when each is right by itself.
        if errors.isEmpty { errors = configuration.errors(needs) }
        guard errors.isEmpty else { throw ConfigurationErrors(lines: errors) }
        return configuration
    }
}

extension ConfigurationSources {
    /// Reads the sources for a command that cannot go on without them.
    ///
    /// - Throws: `ExitCode`, after each error was printed in a line.
    func readOrExit(_ needs: Configuration.Needs = .serving) throws -> Configuration {
        do throws(ConfigurationErrors) {
            return try read(needs)
        } catch {
            JournalOutput.print(
                error.lines.map { "Error: \(JSONQuote.plain($0))\n" }.joined(), .error)
            throw ExitCode.validationFailure
        }
    }
}

/// Everything that is wrong with settings, a line each.
struct ConfigurationErrors: Error {
    let lines: [String]
}
