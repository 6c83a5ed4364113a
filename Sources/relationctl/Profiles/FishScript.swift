/// The script that completes words in fish: the one that the parser writes, in which options are
/// taken as the program itself takes them.
///
/// The parser's script parses the line for each of a thousand rules. It knows no option before the
/// name of a command, no value behind an equals sign, and nothing after `help`.
struct FishScript {
    let text: String

    /// - Parameters:
    ///   - script: The parser's script; another text stays as it is.
    ///   - commands: The names of the commands.
    init(_ script: String, commands: [String]) {
        guard script.hasPrefix("function __relationctl_should_offer") else {
            text = script
            return
        }
        let offer = "function __relationctl_should_offer_completions_for_"
        let parts = script.split(separator: "\n", omittingEmptySubsequences: false)
        let lines = parts.flatMap { line -> [String] in
            if line.hasPrefix(offer) { return [String(line), Self.known] }
            if line == "    __relationctl_parse_tokens" { return [String(line), Self.kept] }
            if line == Self.tokens { return [String(line), Self.withoutTyped] }
            return [String(line)]
        }
        text =
            lines.joined(separator: "\n")
            .replacing(
                "__relationctl_parse_subcommand 0 'server='",
                with: "__relationctl_parse_subcommand 0 'o/output=' 'server='", maxReplacements: 1)
            + "\n" + Self.rules.replacing("COMMANDS", with: commands.joined(separator: " "))
    }

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
    private static let tokens = "    set -l unparsed_tokens (__relationctl_tokens -pc)"
    /// An option whose value is typed behind an equals sign is not given yet.
    private static let withoutTyped = #"""
            set -l typed (commandline -ct)
            if string match -q -- '--*=*' "$typed"; and test "$unparsed_tokens[-1]" = "$typed"
                set -e unparsed_tokens[-1]
            end
        """#
    private static let rules = #"""
        complete -c 'relationctl' -n '__relationctl_should_offer_completions_for_flags_or_options \#
        "relationctl" o output' -s 'o' -l 'output' -d 'The form.' -rfka 'json pretty table yaml'
        complete -c 'relationctl' -n '__relationctl_should_offer_completions_for_positional \#
        "relationctl help" -ge 0' -fa 'COMMANDS'
        """#
}
