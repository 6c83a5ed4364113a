import ArgumentParser

/// The benchmark of the server.
@main
struct Relationbench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relationbench",
        abstract: "Measures the relation-chain service on this machine.",
        subcommands: [Run.self, Serve.self], defaultSubcommand: Run.self)
}
