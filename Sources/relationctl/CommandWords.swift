import ArgumentParser

/// The words of a command line that name commands.
enum CommandWords {
    /// The command of the arguments; its options may stand before its name too.
    static func command(of arguments: [String]) async throws -> any ParsableCommand {
        do {
            return try await Relationctl.asyncParseAsRoot(arguments)
        } catch {
            // Help, the version and completions come as errors too.
            guard Relationctl.exitCode(for: error) == .validationFailure else { throw error }
            var told = error
            for (number, order) in orders(of: arguments, Relationctl.self).enumerated()
            where order != arguments {
                do {
                    return try await Relationctl.asyncParseAsRoot(order)
                } catch {
                    if number == 0 { told = error }
                }
            }
            throw told
        }
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

    /// The error of a word that stands for a command and is none, with the commands that were
    /// perhaps meant; nil if the message tells of something else.
    static func usageError(about arguments: [String], _ message: String) -> PlainText? {
        guard message.lowercased().contains("unexpected argument") else { return nil }
        var command: any ParsableCommand.Type = Relationctl.self
        var line = "relationctl"
        for argument in arguments where !argument.hasPrefix("-") {
            let names = command.configuration.subcommands.map { $0._commandName }
            guard !names.isEmpty else { return nil }
            if let next = subcommand(argument, of: command) {
                command = next
                line += " " + argument
            } else if message.contains("'\(argument)'") {
                let wanted = NearNames.plain(argument)
                let call = CallName.all.first { NearNames.plain($0) == wanted }
                if let call, line == "relationctl" {
                    return "no command \(argument): it is a call: 'relationctl call \(call)'"
                }
                let words =
                    NearNames.question(for: wanted, among: names) ?? "'\(line) --help' lists them"
                return "no command \(argument): \(words)"
            }
        }
        return nil
    }
}
