import ArgumentParser

/// The benchmark of the server.
///
/// It is not an asynchronous command. The main thread of such a program ends when it begins to
/// wait, and valgrind, which counts the server's instructions, does not survive that.
@main
struct Relationbench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relationbench",
        abstract: "Measures the relation-chain service on this machine.",
        subcommands: [
            Run.self, Peers.self, Shared.self, Growth.self, Generate.self, Count.self,
            ServeCommand.self,
            RepeatedCall.self,
        ],
        defaultSubcommand: Run.self)
}
