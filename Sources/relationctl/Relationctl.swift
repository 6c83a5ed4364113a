import ArgumentParser
import Endings
import Glibc
import Invocation
import Release

/// The entry of the program.
@main
enum RelationctlProgram {
    static func main() async {
        StandardStreams.fill()
        FatalSignals.handle()
        // A write to a reader that is gone returns an error then, and the command decides.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try await CommandWords.command(of: Arguments.all)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    private static let scriptOption = "--generate-completion-script"

    /// Says why a command ended, and ends the program.
    private static func end(with error: any Error) -> Never {
        if let failure = error as? Failure {
            StandardError.print("Error: \(failure)")
            exit(failure.outcome.rawValue)
        }
        let code = Relationctl.exitCode(for: error)
        // Help, the version and scripts for shells come as errors too.
        if code == .success, Arguments.all.contains(where: { $0.hasPrefix(scriptOption) }) {
            let commands = Relationctl.configuration.subcommands.map { command in
                (command._commandName, command.configuration.subcommands.map { $0._commandName })
            }
            let bash = BashScript(Relationctl.fullMessage(for: error)).text
            let zsh = ZshScript(bash, commands: commands.map(\.0)).text
            let script = FishScript(zsh, commands: commands, calls: CallName.all)
            _ = Bytes.write(script.text + "\n", to: STDOUT_FILENO)
            exit(code.rawValue)
        }
        if code == .success || error is ExitCode { Relationctl.exit(withError: error) }
        let message = Relationctl.message(for: error)
        let words = CommandWords.usageError(about: Arguments.all, message)
        StandardError.print("Error: " + (words ?? PlainText(lines: message)))
        exit(code.rawValue)
    }
}

/// The commands of the service's clients.
struct Relationctl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relationctl",
        abstract: "Talk to a relation-chain server.",
        discussion: """
            relationctl methods
            relationctl call ListFriends '{"user_id": "alice", "page_size": 10}'
            relationctl status
            relationctl user alice
            relationctl watch alice
            relationctl import friendships.txt --circles circles.tsv
            """,
        version: "relationctl \(Version.text)",
        groupedSubcommands: [
            CommandGroup(
                name: "Calls",
                subcommands: [CallCommand.self, Methods.self, Describe.self, Explain.self]),
            CommandGroup(
                name: "Looks", subcommands: [User.self, Pair.self, Graph.self, Watch.self]),
            CommandGroup(
                name: "App",
                subcommands: [
                    ConsumersCommand.self, HooksCommand.self, SuspensionsCommand.self,
                    ReportsCommand.self, HistoryCommand.self, UndoCommand.self,
                    EraseCommand.self, KeysCommand.self, AuditCommand.self,
                ]),
            CommandGroup(
                name: "Data",
                subcommands: [
                    Import.self, Export.self, ExportUser.self, ImportApp.self,
                    ImportChanges.self, ExportChanges.self, ApplyChanges.self,
                    MigrateCommand.self, CompareCommand.self, ProxyCommand.self,
                ]),
            CommandGroup(
                name: "Server",
                subcommands: [
                    Login.self, StatusCommand.self, Top.self, Connections.self, Slow.self,
                    OperatorKeysCommand.self, BackupCommand.self, BackupsCommand.self,
                ]),
        ])

    @OptionGroup var connection: Connection

    /// A command line without a command.
    func run() throws {
        throw Self.lack(Self.self)
    }

    /// The failure of a command that does nothing without another one after it.
    static func lack(_ command: any ParsableCommand.Type) -> Failure {
        Failure(
            "a command is missing\n\n" + PlainText(lines: helpMessage(for: command)), .misuse)
    }
}
