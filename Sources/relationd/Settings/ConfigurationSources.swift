import ArgumentParser
import Endings
import Glibc
import Invocation
import Protobuf

/// The three sources of settings, as they were given at the start.
///
/// Flags and variables stay as they were; the file is read anew each time.
struct ConfigurationSources: Sendable {
    private let flags: [GivenSetting]
    private let environment: [GivenSetting]
    private let unknownVariables: [String]
    /// The file with settings; nil for none.
    let path: String?

    /// - Parameter flags: The settings that are given as flags.
    init(flags: [(Setting, String)], environment: EnvironmentSettings = EnvironmentSettings()) {
        self.flags = flags.map { GivenSetting($0, $1, .flag) }
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

/// The variables of the process that are settings, or look like them.
struct EnvironmentSettings {
    private(set) var given: [GivenSetting] = []
    /// Variables with the prefix of settings that are none.
    private(set) var unknown: [String] = []

    init(_ lines: [String] = EnvironmentSettings.lines()) {
        for line in lines where line.hasPrefix(Setting.variablePrefix) {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if let setting = Setting.all.first(where: { $0.variable == name }) {
                let value = VariableText.trimmed(String(parts.last ?? ""))
                given.append(GivenSetting(setting, value, .environment))
            } else if !Self.isOfKubernetes(name) {
                unknown.append(name)
            }
        }
    }

    /// Whether it is one of the variables that Kubernetes sets in every container for a service
    /// named `relationd`.
    private static func isOfKubernetes(_ name: String) -> Bool {
        let rest = name.dropFirst(Setting.variablePrefix.count)
        return rest == "PORT" || rest.hasPrefix("PORT_") || rest.hasPrefix("SERVICE_")
    }

    /// The environment with which the process began.
    private static func lines() -> [String] {
        let file = open("/proc/self/environ", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return known() }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Glibc.read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The settings of the environment where the system does not list it.
    private static func known() -> [String] {
        Setting.all.compactMap { setting in
            getenv(setting.variable).map { "\(setting.variable)=\(String(cString: $0))" }
        }
    }
}
