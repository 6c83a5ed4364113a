import ArgumentParser
import RelationClient

/// The options of one call: how long it may take, and what goes with it.
struct CallFlags: ParsableArguments {
    @Option(
        help: "How many seconds the call may take, such as 2.5; a stream has no limit if absent.")
    var timeout: Double?

    @Option(
        help: "Metadata to send with the call, as NAME=VALUE; may be given several times.",
        transform: { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ValidationError("--metadata takes NAME=VALUE")
            }
            return CallMetadata.Entry(name: String(parts[0]), value: String(parts[1]))
        })
    var metadata: [CallMetadata.Entry] = []

    @Option(help: "The id of a write: with the same id it is done once, however often it is sent.")
    var requestID: String?

    func validate() throws {
        let seconds = timeout ?? 1
        guard seconds >= 0.001, seconds <= Double(Limits.timeoutSeconds) else {
            throw ValidationError(
                "--timeout takes a number of seconds from 0.001 to \(Limits.timeoutSeconds)")
        }
    }

    var options: CallOptions {
        var options = CallOptions(timeout: timeout.map { .seconds($0) })
        for entry in metadata { options.metadata.append(entry.name, entry.value) }
        return options
    }
}
