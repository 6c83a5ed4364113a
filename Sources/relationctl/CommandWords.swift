import ArgumentParser

/// The words of a command line that name commands.
enum CommandWords {
    /// The command of the arguments; its options may stand before its name too.
    ///
    /// - Throws: ``Failure`` for a word after `help` that names no command; else the parser's
    ///   error.
    static func command(of arguments: [String]) async throws -> any ParsableCommand {
        let arguments = withHelp(arguments)
        if let error = helpError(about: arguments) { throw Failure(error, .misuse) }
        do {
            return try await Relationctl.asyncParseAsRoot(arguments)
        } catch {
            // Help, the version and completions come as errors too.
            guard Relationctl.exitCode(for: error) == .validationFailure else { throw error }
            var shown = error
            for (number, order) in orders(of: arguments, Relationctl.self).enumerated()
            where order != arguments {
                do {
                    return try await Relationctl.asyncParseAsRoot(order)
                } catch {
                    if number == 0 { shown = error }
                }
            }
            throw shown
        }
    }

    /// The arguments with `--help` in the place of `help` that follows a command of several, as in
    /// `hooks help`.
    private static func withHelp(_ arguments: [String]) -> [String] {
        guard arguments.count > 1, arguments.last == "help" else { return arguments }
        var command: any ParsableCommand.Type = Relationctl.self
        for argument in arguments.dropLast() {
            guard let next = subcommand(argument, of: command) else { return arguments }
            command = next
        }
        guard !command.configuration.subcommands.isEmpty else { return arguments }
        return arguments.dropLast() + ["--help"]
    }

    /// The arguments with the name of a command before the options that stood before it: once for
    /// each word that may be the name.
    private static func orders(
        of arguments: [String], _ command: any ParsableCommand.Type
    ) -> [[String]] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var found: [[String]] = []
        for index in 0..<end where index == 0 || arguments[0].hasPrefix("-") {
            guard let next = subcommand(arguments[index], of: command) else { continue }
            var rest = arguments
            let name = rest.remove(at: index)
            let inner = orders(of: rest, next)
            found += (inner.isEmpty ? [rest] : inner).map { [name] + $0 }
        }
        return found
    }

    private static func subcommand(
        _ word: String, of command: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first {
            $0._commandName == word || $0.configuration.aliases.contains(word)
        }
    }

    /// The error of a word after `help` that names no command: the parser would show the help of
    /// the command above it, and say nothing.
    private static func helpError(about arguments: [String]) -> PlainText? {
        guard arguments.first == "help" else { return nil }
        var command: any ParsableCommand.Type = Relationctl.self
        var line = "relationctl"
        for argument in arguments.dropFirst() {
            guard !argument.hasPrefix("-"), argument != "help" else { return nil }
            guard let next = subcommand(argument, of: command) else {
                return lack(of: argument, in: command, line)
            }
            command = next
            line += " " + argument
        }
        return nil
    }

    /// The error of a word that is not a command after `line`; nil if no command comes there.
    private static func lack(
        of word: String, in command: any ParsableCommand.Type, _ line: String
    ) -> PlainText? {
        let names = command.configuration.subcommands.map { $0._commandName }
        guard !names.isEmpty else { return nil }
        let wanted = NearNames.plain(word)
        let call = CallName.all.first { NearNames.plain($0) == wanted }
        if let call, line == "relationctl" {
            return "no command \(word): it is a call: 'relationctl call \(call)'"
        }
        let words = NearNames.question(for: wanted, among: names) ?? "'\(line) --help' lists them"
        return "no command \(word): \(words)"
    }

    /// The error of an option that is nearly one that each command has, or that is near none; nil
    /// for another message.
    private static func optionError(_ message: String) -> PlainText? {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0] == "Unknown option ", parts[1].hasPrefix("--") else {
            return nil
        }
        let wanted = NearNames.plain(String(parts[1]))
        if let words = NearNames.question(for: wanted, among: ["--version", "--help"]) {
            return "Unknown option '\(parts[1])': \(words)"
        }
        // The parser offers one of which three letters differ: any short one.
        guard parts.count > 3,
            NearNames.question(for: wanted, among: [String(parts[3])]) == nil
        else { return nil }
        return "Unknown option '\(parts[1])': '--help' lists the options"
    }

    /// The error of a code below 0, which the parser takes for an option; nil for another message.
    private static func signError(about arguments: [String], _ message: String) -> PlainText? {
        guard arguments.contains("explain"),
            let code = arguments.first(where: { Int($0).map { $0 < 0 } ?? false }),
            message.contains("'<code>'") || message.hasPrefix("Unknown option '-")
        else { return nil }
        return "no code or reason \(code): a code has no sign"
    }

    /// The error of an option whose value is a number below 0, which the parser takes for another
    /// option; nil for another message.
    private static func lackError(about arguments: [String], _ message: String) -> PlainText? {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0] == "Missing value for ",
            let name = parts[1].split(separator: " ").first,
            let index = arguments.firstIndex(of: String(name)), index + 1 < arguments.count,
            let number = Double(arguments[index + 1]), number < 0
        else { return nil }
        let value = arguments[index + 1]
        return "The value '\(value)' is invalid for '\(parts[1])': it takes no number below 0"
    }

    /// The error of a value that the parser refuses without a word of what it takes: a time, a
    /// number, or one in the range of its type; nil for another message.
    private static func valueError(_ message: String) -> PlainText? {
        let start = "The value '"
        guard message.hasPrefix(start), message.hasSuffix("'"),
            let begin = message.ranges(of: "is invalid for '").last
        else { return nil }
        let name = message[begin.upperBound...]
        if ["--as-of ", "--since ", "--until "].contains(where: { name.hasPrefix($0) }) {
            return "\(message): \(Moment.form)"
        }
        // It alone may have a fraction.
        if name.hasPrefix("--timeout ") { return "\(message): it takes a number" }
        // Behind the value are the end of its quotes and a blank.
        let value = message[..<begin.lowerBound].dropFirst(start.count).dropLast(2)
        let digits = value.drop { $0 == "-" }
        guard !digits.isEmpty, digits.allSatisfy(\.isNumber) else {
            return "\(message): it takes a whole number"
        }
        let side: PlainText = value.hasPrefix("-") ? "small" : "large"
        return "\(message): it takes a whole number that is not too \(side)"
    }

    /// The error of a word that stands for a command and is none, or of an option, with those that
    /// were perhaps meant; nil if the message tells of something else.
    static func usageError(about arguments: [String], _ message: String) -> PlainText? {
        if let words = optionError(message) ?? signError(about: arguments, message)
            ?? lackError(about: arguments, message) ?? valueError(message)
        {
            return words
        }
        guard message.lowercased().contains("unexpected argument") else { return nil }
        var command: any ParsableCommand.Type = Relationctl.self
        var line = "relationctl"
        for argument in arguments where !argument.hasPrefix("-") {
            let names = command.configuration.subcommands.map { $0._commandName }
            guard !names.isEmpty else { return nil }
            if let next = subcommand(argument, of: command) {
                command = next
                line += " " + argument
            } else if command.configuration.defaultSubcommand != nil {
                // The word went to the command that is usual, whose further words are too many.
                let wanted = NearNames.plain(argument)
                guard NearNames.question(for: wanted, among: names) != nil else { return nil }
                return lack(of: argument, in: command, line)
            } else if message.contains("'\(argument)'") {
                return lack(of: argument, in: command, line)
            }
        }
        return nil
    }
}
