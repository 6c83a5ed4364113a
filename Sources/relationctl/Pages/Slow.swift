import ArgumentParser

struct Slow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the slowest calls of the last minute, and where their time went.",
        discussion: """
            Times are in milliseconds. Of each call, "loop" is the time on the loop of its \
            connection, before another thread got the call. The wait for that thread is "queue". \
            Then "work" is the time on it, with the sync of a write. Back on the loop, "answer" \
            is the time until the answer was written. A call that never left its loop has all of \
            its time there.
            """)

    @OptionGroup var options: PagesOptions

    @OptionGroup var form: DataOutput

    func run() async throws {
        var pages = try options.found()
        let page = try await pages.text(of: "/slow")
        try form.show(PlainTable(page).text) { $0.rows(page) }
    }
}
