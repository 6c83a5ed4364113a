import ArgumentParser

/// The options that all measurements take.
struct MeasureOptions: ParsableArguments {
    @Option(help: "Rounds of each load.")
    var rounds = 5

    @Option(help: "How long a round that reads takes, in seconds.")
    var seconds: Double?

    @Option(help: "The file of friendships, one pair a line.")
    var graph = "Tests/Data/facebook_edges.txt"

    @Option(
        help: "The folder in which data folders are made and removed; its device is measured too.")
    var folder = ".build"

    @Option(help: "The seed for the choice of users, pairs and graphs.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (1...99).contains(rounds), (0.01...600).contains(seconds ?? 1) else {
            throw ValidationError("--rounds takes 1 to 99, --seconds 0.01 to 600")
        }
    }
}
