/// The pages of a server by their paths, with those that were made just now.
///
/// It belongs to the loop of the pages.
final class PageTable {
    private let pages: [String: Page]
    private let list: String
    private let clock: @Sendable () -> UInt64
    private var kept: [String: (answer: PageAnswer, made: UInt64)] = [:]

    /// - Parameter clock: Nanoseconds that only rise.
    init(_ pages: [Page], clock: @escaping @Sendable () -> UInt64) {
        self.pages = Dictionary(pages.map { ($0.path, $0) }) { first, _ in first }
        self.clock = clock
        list = pages.filter(\.isListed).map { "\($0.path)\n" }.joined()
    }

    /// Whether the page of that path may be shown whatever host a client names.
    func isProbe(_ path: String) -> Bool { pages[path]?.isProbe ?? false }

    /// Gives `body` the page of that path, now or later on another thread.
    func answer(_ path: String, _ body: @escaping @Sendable (PageAnswer) -> Void) {
        guard let page = pages[path], case .later(let make) = page.body else {
            return body(present(path))
        }
        make(body)
    }

    private func present(_ path: String) -> PageAnswer {
        if path == "/", pages[path] == nil { return PageAnswer(list) }
        guard let page = pages[path], case .now(let make) = page.body else {
            return PageAnswer(status: 404, "there is no such page; there are:\n\(list)")
        }
        guard page.isKept else { return make() }
        let now = clock()
        if let kept = kept[path], now - kept.made < PageLimits.pageMilliseconds * 1_000_000 {
            return kept.answer
        }
        let answer = make()
        kept[path] = (answer, now)
        return answer
    }
}
