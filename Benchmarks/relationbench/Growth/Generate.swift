import ArgumentParser
import Glibc

/// Writes a graph of any size.
struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a friendship graph of any size, with the degrees of a real one.",
        discussion: """
            The graph consists of copies of the sample graph. Most friendships stay within their \
            copy, and the others lead to another one. Each user has as many friends as its \
            model in the sample. The file has one "A B" a line, and `relationctl import` reads it. \
            The seed makes the graph: the same one makes the same file.
            """)

    @Option(help: "About how many friendships; may end with k or M.")
    var friendships: GraphSize

    @Option(help: "The file to write.")
    var out: String

    @Option(help: "The seed for the friendships that lead to another copy.")
    var seed: UInt64 = 1

    @Option(help: "The order of the lines: one copy after another, or mixed.")
    var order = LineOrder.copies

    @Option(help: "The file of friendships that is copied, one pair a line.")
    var graph = "Tests/Data/facebook_edges.txt"

    func run() throws {
        let graph = LiftedGraph(
            try SampleGraph(path: graph), friendships: friendships.count, seed: seed)
        print("\(graph.userCount) users, \(graph.friendshipCount) friendships")
        fflush(nil)
        try DiskSpace.require(
            DiskSpace.file(friendships: graph.friendshipCount), at: out, print: Note.print)
        try graph.write(to: out, isMixed: order == .mixed) { count in
            Note.print("\(count) of \(graph.friendshipCount)")
        }
    }
}

/// The order of the lines of a graph's file.
enum LineOrder: String, ExpressibleByArgument, CaseIterable {
    case copies, mixed
}

/// A number of friendships as it is asked for: `88234`, `5k`, `20M`.
struct GraphSize: ExpressibleByArgument, Equatable {
    let count: Int

    init?(argument: String) {
        let (digits, unit) =
            argument.last.flatMap { Self.units[$0] }.map { (argument.dropLast(), $0) }
            ?? (argument[...], 1)
        guard let number = Int(digits), (1...GrowthLimits.mostFriendships / unit).contains(number)
        else { return nil }
        count = number * unit
    }

    private static let units: [Character: Int] = ["k": 1_000, "M": 1_000_000]

    /// A count as a reader writes it.
    static func text(_ count: Int) -> String {
        let (value, unit) =
            count < 1_000
            ? (Double(count), "")
            : count < 1_000_000 ? (Double(count) / 1e3, " k") : (Double(count) / 1e6, " M")
        let tenths = (value * 10).rounded() / 10
        return (tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)") + unit
    }
}

/// Says what is being done.
enum Note {
    /// Writes a line to standard error.
    static func print(_ line: String) {
        let text = [UInt8]("\(line)\n".utf8)
        // If this cannot be written, the figures still can.
        _ = write(STDERR_FILENO, text, text.count)
    }
}
