/// The page `docs/settings.md`, made from the table of settings.
enum SettingsPage {
    static var text: String {
        """
        # Settings

        `relationd config page` wrote this page: change `Setting+All.swift`, and run `make docs`.

        Each setting has one name. It is given as a flag (`--app-rate 500`), as a variable
        (`RELATIOND_APP_RATE=500`) or in a file of YAML (`app-rate: 500`), which `--config` or
        `RELATIOND_CONFIG` names. A flag stands over a variable, a variable over the file, and the
        file over the default. A flag that is on or off has no value: `--insecure` is on,
        `--no-insecure` is off.

        A name that there is not, or a value that is out of bounds, is refused with its line, and
        nothing starts. `relationd config check FILE` looks at a file. `relationd config show`, with
        the flags of `serve`, shows what is in force and where each value came from.

        SIGHUP reads the file again and changes the settings that say so below. The log says what
        changed and what needs a restart. If anything is wrong, nothing changes.

        | setting | values | default | SIGHUP |
        |---|---|---|---|

        """ + Setting.all.filter { !$0.isHidden }.map(row).joined() + "\n"
            + Setting.all.filter { !$0.isHidden }.map(section).joined(separator: "\n")
    }

    private static func row(_ setting: Setting) -> String {
        let effect = setting.changesAtOnce ? "changes it" : ""
        return "| [`\(setting.name)`](#\(setting.name)) | \(setting.rule) "
            + "| \(usual(setting)) | \(effect) |\n"
    }

    private static func usual(_ setting: Setting) -> String {
        switch setting.usual {
        case .value(let text): "`\(text)`"
        case .nothing(let words): words
        }
    }

    private static func section(_ setting: Setting) -> String {
        var text = "## \(setting.name)\n\n\(setting.help)\n\nWhy so: \(setting.reason)\n"
        if setting.sources != .all {
            let scope = setting.origins.prefix(1).uppercased() + setting.origins.dropFirst()
            text += "\n\(scope) only.\n"
        }
        if setting.isSecret { text += "\nIt is a secret: no list, message or log repeats it.\n" }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(wrapped)
            .joined(separator: "\n")
    }

    /// The line in lines of a hundred columns.
    private static func wrapped(_ line: Substring) -> String {
        var lines = [""]
        for word in line.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + 1 + word.count <= 100 {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n")
    }
}
