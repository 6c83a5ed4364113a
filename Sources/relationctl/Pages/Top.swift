import ArgumentParser
import Glibc
import Support

struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what a server does, refreshed every few seconds, until q or Ctrl-C.",
        discussion: """
            Calls a second with their times, refusals, commits, streams, memory and disk. The \
            numbers are those of the time since the last page. They come from the admin endpoints \
            for operators, which answer when the server itself takes no more connections.
            """)

    @OptionGroup var options: PagesOptions

    @Option(
        name: [.short, .long],
        help: "The form: table for people; json, pretty or yaml for programs, a document a page.")
    var output = AnswerForm.table

    @Option(help: "Seconds between two pages.")
    var interval = 2

    @Option(help: "Pages to show; without it, until q or Ctrl-C.")
    var count: Int?

    @Option(help: "Methods to list, the busiest first.")
    var methods = 12

    func validate() throws {
        guard (1...3_600).contains(interval) else {
            throw ValidationError("--interval takes a number of seconds from 1 to 3600")
        }
        guard (1...1_000_000).contains(count ?? 1) else {
            throw ValidationError("--count takes a number from 1 to 1000000")
        }
        guard (0...1_000).contains(methods) else {
            throw ValidationError("--methods takes a number from 0 to 1000")
        }
    }

    func run() async throws {
        var pages = try options.found()
        let isTerminal = output == .table && isatty(STDOUT_FILENO) == 1
        if isTerminal { TypedKeys.begin() }
        defer { TypedKeys.end() }
        var before = try await samples(&pages)
        var shown = 0
        while shown < count ?? .max {
            guard try await wait() else { return }
            let now = try await samples(&pages)
            let page = TopPage(now, since: before, at: pages.address)
            guard try show(page, isTerminal) else { return }
            before = now
            shown += 1
        }
    }

    /// Prints a page.
    ///
    /// - Returns: Whether the output is still read.
    private func show(_ page: TopPage, _ isTerminal: Bool) throws -> Bool {
        guard output == .table else {
            return try StandardOutput.print(
                output.documentStart + output.text(of: page.data(methods: methods)))
        }
        let size = isTerminal ? Terminal.size : nil
        let text = page.lines(
            methods: methods, rows: size?.rows, columns: size?.columns ?? Limits.terminalColumns
        ).joined("\n")
        return try StandardOutput.print(isTerminal ? "\u{1B}[H\u{1B}[2J\(text)" : text)
    }

    /// Waits until the next page is due.
    ///
    /// - Returns: Whether it is wanted: `q` ends the command.
    private func wait() async throws -> Bool {
        let end = SystemClock.monotonic.seconds + Double(interval)
        while true {
            while let key = TypedKeys.next() {
                if key == UInt8(ascii: "q") || key == UInt8(ascii: "Q") { return false }
            }
            let left = Int((end - SystemClock.monotonic.seconds) * 1_000)
            guard left > 0 else { return true }
            try await Task.sleep(for: .milliseconds(min(left, Limits.keyMilliseconds)))
        }
    }

    private func samples(_ pages: inout ServerPages) async throws -> Samples {
        let text = try await pages.text(of: "/metrics")
        return Samples(text, at: SystemClock.monotonic.seconds)
    }
}
