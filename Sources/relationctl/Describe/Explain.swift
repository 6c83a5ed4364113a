import ArgumentParser

struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Explain a code or a reason, or why a server shows a field or sends an event.",
        discussion: """
            A code is its number or its name: that of an item, of a call as a whole, or of TIM's \
            server and its client. It needs no server.

            relationctl explain 30525
            relationctl explain THROTTLED
            relationctl explain UNAVAILABLE
            relationctl explain 70009
            relationctl explain profile alice bob
            relationctl explain event alice bob --sequence 12
            relationctl explain update alice
            """,
        subcommands: [
            ExplainCode.self, ExplainProfileCommand.self, ExplainEventCommand.self,
            ExplainUpdateCommand.self,
        ],
        defaultSubcommand: ExplainCode.self)
}
