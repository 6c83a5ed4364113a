/// The script that completes words in zsh: the one that the parser writes, in which options and
/// names of calls are taken as the program itself takes them.
///
/// The parser's script knows no `--name=value`, no option before the name of a command, no case of
/// letters in which a call is not written, and nothing after `help`.
struct ZshScript {
    let text: String

    /// - Parameters:
    ///   - script: The parser's script; another text stays as it is.
    ///   - commands: The names of the commands.
    init(_ script: String, commands: [String]) {
        guard script.hasPrefix("#compdef relationctl") else {
            text = script
            return
        }
        var lines = script.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Self.withEqualsSign(String($0)) }
        if let first = lines.firstIndex(where: { $0.hasSuffix("local -ar arg_specs=(") }) {
            lines.insert(Self.output, at: first + 1)
        }
        text = lines.joined(separator: "\n")
            .replacing("-V '' non_empty_completions -- ", with: Self.inAnyCase)
            .replacing("'*:subcommands:'", with: "'*:command:(\(commands.joined(separator: " ")))'")
            .replacing(Self.explained, with: Self.explained + Self.code)
    }

    /// A specification with the equals sign of an option that takes a value; another line as it is.
    private static func withEqualsSign(_ line: String) -> String {
        guard line.contains("]:"), let end = line.firstIndex(of: "[") else { return line }
        let name = line[..<end]
        let rest = line[end...]
        if name.hasSuffix("'") {
            // Both names of an option stand in braces: `{-o,--output}'`.
            guard let comma = name.lastIndex(of: ","), name.hasSuffix("}'") else { return line }
            return "\(name[..<comma])+\(name[comma...].dropLast(2))=}'\(rest)"
        }
        return name.contains("--") ? "\(name)=\(rest)" : line
    }

    private static let output = """
                '(-o --output)'{-o+,--output=}'[The form.]:output:(json pretty table yaml)'
        """
    /// Letters in any case, and signs between words or none.
    private static let inAnyCase = """
        -V '' non_empty_completions \
        -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]} m:[-_]=' -- \

        """
    /// A word after `explain` that names no command stands for the usual one.
    private static let explained = """
                    "_relationctl_explain_${words[1]}" && ret=0
                    ;;

        """
    private static let code = """
                *)
                    _relationctl_explain_code && ret=0
                    ;;

        """
}
