import ArgumentParser

/// The calls of a history that a command is about, by their caller, request id and time.
struct HistoryWindow: ParsableArguments {
    @Option(help: "The user that acted; any if absent.")
    var by = ""

    @Option(help: "The request id of the calls; any if absent.")
    var request = ""

    @Option(
        help: """
            Only calls of this time and later, as in 2026-11-29T18:00:00Z or in milliseconds since \
            1970.
            """)
    var since: String?

    @Option(help: "Only calls from before this time.")
    var until: String?

    var sinceMs: Int64 { Self.milliseconds(since) }
    var untilMs: Int64 { Self.milliseconds(until) }

    private static func milliseconds(_ text: String?) -> Int64 {
        text.flatMap { Moment(argument: $0)?.milliseconds } ?? 0
    }

    func validate() throws {
        for (text, name) in [(since, "--since"), (until, "--until")] {
            guard let text, Moment(argument: text) == nil else { continue }
            throw ValidationError(
                "\(name) takes a time as in 2026-11-29T18:00:00Z or in milliseconds since 1970")
        }
    }
}
