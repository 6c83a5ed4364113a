import ArgumentParser

struct Connections: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the connections of a server, those with the most open calls first.")

    @OptionGroup var options: PagesOptions

    @OptionGroup var form: DataOutput

    func run() async throws {
        var pages = try options.found()
        let page = try await pages.text(of: "/connections")
        try form.show(PlainTable(page).text) { $0.rows(page) }
    }
}
