import ArgumentParser

struct Connections: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the connections of a server, those with the most open calls first.")

    @OptionGroup var options: PagesOptions

    func run() async throws {
        var pages = try options.found()
        let table = PlainTable(try await pages.text(of: "/connections"))
        try StandardOutput.show(table.text)
    }
}
