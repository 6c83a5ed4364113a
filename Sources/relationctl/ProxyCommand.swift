import ArgumentParser
import Support

/// The commands that stand between a back end and two systems.
struct ProxyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Answer from another system, ask this service the same, and report what differs.",
        discussion: """
            relationctl proxy tim --with http://127.0.0.1:7450 --listen 127.0.0.1:8080 \
            --report differences.jsonl
            """,
        subcommands: [ProxyTIM.self])

    func run() throws {
        throw Relationctl.lack(Self.self)
    }
}
