import ArgumentParser
import Endings
import Glibc
import Invocation
import Release

/// The entry of the program.
@main
enum RelationdProgram {
    static func main() async {
        StandardStreams.fill()
        FatalSignals.handle()
        do {
            var command = try Relationd.parseAsRoot(Arguments.all)
            do {
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            } catch is MissingCommand {
                endWithHelp(of: type(of: command))
            }
        } catch {
            end(with: error)
        }
    }

    /// Shows the help of a command that does nothing without another one after it.
    private static func endWithHelp(of command: any ParsableCommand.Type) -> Never {
        let help = Relationd.helpMessage(for: command)
        JournalOutput.print("Error: a command is missing\n\n\(help)\n", .error)
        Relationd.exit(withError: ExitCode.validationFailure)
    }

    /// Ends the program as the error says, with its words on standard error.
    private static func end(with error: any Error) -> Never {
        let code = Relationd.exitCode(for: error)
        // An error that was printed already has no words.
        let words = Relationd.fullMessage(for: error)
        guard !code.isSuccess, !words.isEmpty else { Relationd.exit(withError: error) }
        JournalOutput.print(words + "\n", .error)
        exit(code.rawValue)
    }
}

/// The command of the server.
struct Relationd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relationd",
        abstract: "The relation-chain service: friends, applications, blacklists, profiles.",
        discussion: """
            Speaks gRPC; the contract is in proto/relation/v1, and the server describes itself by \
            reflection. Try:

              relationd demo

            which keeps nothing, or a server that does:

              relationd serve --listen 127.0.0.1:7450 --data ./data --insecure

            or, with credentials, which the operator's key makes:

              relationd init --data ./data
              relationd serve --listen 127.0.0.1:7450 --data ./data

            Each setting may stand in a file, in the environment or among the flags.
            """,
        version: "relationd \(Version.text)",
        subcommands: [
            Serve.self, Demo.self, Init.self, Databases.self, Copy.self, MoveApp.self, Restore.self,
            Verify.self,
            Config.self,
        ])

    /// A command line without a command, which starts nothing: no script may take it for a success.
    func run() throws {
        throw MissingCommand()
    }
}
