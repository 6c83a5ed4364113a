/// The script that completes words in fish: the one that the parser writes, in which options are
/// taken as the program itself takes them.
///
/// The parser's script parses the line for each of a thousand rules. It knows no option before the
/// name of a command, no usual command, no value behind an equals sign, and nothing after `help`.
struct FishScript {
    let text: String

    /// A command, with the names of the commands below it.
    typealias Command = (name: String, inner: [String])

    /// - Parameters:
    ///   - script: The parser's script; another text stays as it is.
    ///   - commands: The names of the commands, each with those of the commands below it.
    ///   - calls: The names of the calls.
    init(_ script: String, commands: [Command], calls: [String]) {
        guard script.hasPrefix("function __relationctl_should_offer") else {
            text = script
            return
        }
        let parts = script.split(separator: "\n", omittingEmptySubsequences: false)
        let offer = "function __relationctl_should_offer_completions_for_"
        var lines: [String] = []
        // Whether the lines are those of the usual command's group.
        var isUsual = false
        for (index, part) in parts.enumerated() {
            if part == Self.usualGroup { isUsual = true }
            if isUsual, part == Self.endOfGroup {
                lines.append(Self.usual(parts))
                isUsual = false
            }
            let next = index + 1 < parts.count ? parts[index + 1] : ""
            let isGroup = part.contains(Self.parse) && next.hasSuffix("switch $unparsed_tokens[1]")
            lines.append(isGroup ? Self.inGroup(part) : String(part))
            if part.hasPrefix(offer) { lines.append(Self.known) }
            if part == "    __relationctl_parse_tokens" { lines.append(Self.kept) }
            if part == Self.tokens { lines.append(Self.begin(Self.options(of: parts))) }
            if part.hasPrefix(Self.arguments) { lines.append(Self.onFailure) }
        }
        let spelling = Self.spelling.replacing("CALLS", with: calls.joined(separator: " "))
        let groups = commands.filter { !$0.inner.isEmpty }
        text =
            lines.joined(separator: "\n") + "\n" + Self.help(commands) + spelling
            + Self.rules(groups.map(\.name), by: parts)
    }

    private static let parse = "__relationctl_parse_subcommand 0 "
    private static let tokens = "    set -l unparsed_tokens (__relationctl_tokens -pc)"
    private static let arguments = "        argparse -sn "
    private static let usualGroup = "        case 'explain'"
    private static let usualCommand = "            case 'code'"
    private static let endOfGroup = "            end"

    /// The commands of a line are parsed once: a rule of other commands offers nothing.
    private static let known = #"""
            set -l line (commandline -cp)
            if test "$line" = "$__relationctl_line" -a "$__relationctl_commands" != "$argv[1]"
                return 1
            end
        """#
    private static let kept = #"""
            set -g __relationctl_line $line
            set -g __relationctl_commands "$commands"
        """#
    /// No command comes behind an option whose value is not typed yet.
    private static let onFailure = #"""
                if test $status -ne 0
                    set positional_index -99
                    break
                end
        """#

    /// An option whose value is typed behind an equals sign is not given yet.
    private static func begin(_ options: [String]) -> String {
        #"""
            set -l options \#(options.map { "'\($0)'" }.joined(separator: " "))
            set -l typed (commandline -ct)
            if string match -q -- '--*=*' "$typed"; and test "$unparsed_tokens[-1]" = "$typed"
                set -e unparsed_tokens[-1]
            end
        """#
    }

    /// The options of all commands as fish's parser of arguments takes them, each once.
    private static func options(of lines: [Substring]) -> [String] {
        var found: [String: String] = [:]
        for line in lines where line.contains("__relationctl_parse_subcommand ") {
            for word in line.split(separator: " ") where word.hasPrefix("'") {
                let option = word.dropFirst().dropLast()
                let name = option.prefix { $0 != "=" }
                // One that may be given again is taken as such.
                if found[String(name)]?.hasSuffix("+") != true {
                    found[String(name)] = String(option)
                }
            }
        }
        return found.values.sorted()
    }

    /// The line that parses the options before the name of a command of a group: those of any.
    private static func inGroup(_ line: Substring) -> String {
        line.prefix { $0 == " " } + parse + "$options"
    }

    /// A word that is not a command of the group stands for the usual one, as in `explain 30525`.
    private static func usual(_ lines: [Substring]) -> String {
        let line = lines.drop { $0 != usualCommand }.dropFirst().first ?? ""
        return #"""
                        case '*'
                            if string match -qr '^[^-]' -- "$unparsed_tokens[1]"
                                set -p unparsed_tokens code
                \#(line)
                            end
            """#
    }

    /// The function that prints the commands after `help`.
    private static func help(_ commands: [Command]) -> String {
        let cases = commands.filter { !$0.inner.isEmpty }.map { group in
            """
                case '\(group.name)'
                    string split ' ' '\(group.inner.joined(separator: " "))'
            """
        }
        return #"""
            function __relationctl_help
                set -l tokens (__relationctl_tokens -pc)
                set -e tokens[1..(contains -i -- help $tokens)]
                switch "$tokens"
                case ''
                    string split ' ' '\#(commands.map(\.name).joined(separator: " "))'
            \#(cases.joined(separator: "\n"))
                end
            end


            """#
    }

    /// The function that prints the names of calls with the signs between their words that are
    /// typed, as the program takes them too: `check-friends`.
    private static let spelling = #"""
        function __relationctl_spell
            set -l sign (string match -r '[-_]' -- (commandline -ct)); or return
            string split ' ' 'CALLS' |
                string replace -ra '([a-z])([A-Z])' "\$1$sign\$2" | string lower
        end


        """#

    /// The rules that the parser lacks: what comes after `help`, and the values of options before
    /// the name of a command.
    private static func rules(_ groups: [String], by lines: [Substring]) -> String {
        let offers = "complete -c 'relationctl' -n '__relationctl_should_offer_completions_for_"
        let paths = ["relationctl"] + groups.map { "relationctl " + $0 }
        let own = lines.filter { line in
            line.hasPrefix("\(offers)flags_or_options \"relationctl call\" ")
                && ["app", "profile"].contains { line.contains(" -l '\($0)' ") }
        }
        let rules = paths.flatMap { path -> [String] in
            let form = "\(offers)flags_or_options \"\(path)\" o output' -s 'o' -l 'output'"
            // The group of all has them.
            let taken = own.map { rule in
                rule.replacing("\"relationctl call\"", with: "\"\(path)\"")
            }
            // The group of all has them.
            let others = path == paths[0] ? [] : taken.map { String($0) }
            return [form + " -d 'The form.' -rfka 'json pretty table yaml'"] + others
        }
        let help = "\(offers)positional \"relationctl help\" -ge 0' -fa '(__relationctl_help)'"
        let calls = ["call", "describe"].map { command in
            "\(offers)positional \"relationctl \(command)\" -eq 1' -fa '(__relationctl_spell)'"
        }
        return (rules + [help] + calls).joined(separator: "\n")
    }
}
