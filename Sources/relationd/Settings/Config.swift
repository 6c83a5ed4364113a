import ArgumentParser
import Endings

/// The command that checks settings, and starts nothing.
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a file of settings, or show what is in force.",
        subcommands: [Check.self, Show.self, Page.self])

    func run() throws {
        throw MissingCommand()
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say whether a server would start with the settings of a file.",
            discussion: """
                Names each fault by the file's line. The environment counts too. The files of TLS \
                are read, the addresses and the data folder are looked at, and a database is asked \
                whether it lets the server in. Nothing is changed, and a server may run meanwhile. \
                The flags of serve may follow, such as one that names the data folder.
                """)

        @Argument(help: "The file with settings.")
        var file: String

        @OptionGroup var flags: ServeFlags

        func run() throws {
            let sources = ConfigurationSources(flags: flags.given + [(.config, file)])
            let errors = StartCheck(try sources.readOrExit()).errors
            guard errors.isEmpty else {
                JournalOutput.print(errors.map { "Error: \($0)\n" }.joined(), .error)
                throw ExitCode.failure
            }
            print("\(file) is good")
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show each setting with its value, and where the value comes from.",
            discussion: """
                Takes the flags of serve, and answers what a server with them would have. The \
                output is a file of settings. Secrets are left out.
                """)

        @OptionGroup var flags: ServeFlags

        func run() throws {
            let settings = try ConfigurationSources(flags: flags.given).readOrExit(.checking)
            print(settings.listing, terminator: "")
        }
    }

    struct Page: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print docs/settings.md.", shouldDisplay: false)

        func run() throws {
            print(SettingsPage.text, terminator: "")
        }
    }
}

extension Configuration {
    /// All settings as a file, with the source of each in a comment.
    var listing: String {
        Setting.all.filter { !$0.isHidden || isOn($0) }.map { setting in
            let line = line(of: setting)
            let blanks = String(repeating: " ", count: max(2, Limits.listingColumn - line.count))
            return "\(line)\(blanks)# \(source(of: setting))\n"
        }.joined()
    }

    private func line(of setting: Setting) -> String {
        guard let value = value(setting) else { return "# \(setting.name):" }
        guard !setting.isSecret else { return "# \(setting.name): (secret)" }
        // A setting that a file may not have stays a comment.
        let mark = setting.sources.contains(.file) ? "" : "# "
        return "\(mark)\(setting.name): \(value.quoted)"
    }

    private func source(of setting: Setting) -> String {
        switch origin(setting) {
        case .flag:
            if case .isOn(false)? = value(setting) { "--no-\(setting.name)" } else { setting.flag }
        case .environment: setting.variable
        case .file(let path, let line): "\(path):\(line)"
        case .usual:
            switch setting.usual {
            case .value: "default"
            case .nothing(let words): "default: \(words)"
            }
        }
    }
}

extension SettingValue {
    /// The text in YAML.
    fileprivate var quoted: String {
        guard case .text(let text) = self, !text.allSatisfy({ Self.plain.contains($0) }) else {
            return text
        }
        return "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''") + "'"
    }

    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+")
}
