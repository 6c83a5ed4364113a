/// A page for operators: its path, and what it says.
package struct Page: Sendable {
    enum Body: Sendable {
        case now(@Sendable () -> PageAnswer)
        case later(@Sendable (@escaping @Sendable (PageAnswer) -> Void) -> Void)
    }

    package let path: String
    /// Whether the page says something that is true for a while, so that it may be shown again.
    package let isKept: Bool
    /// Whether it is named to those who ask for a page that is not there.
    let isListed: Bool
    /// Whether the page tells nothing but whether the server is well, to whoever asks.
    let isProbe: Bool
    let body: Body

    /// - Parameter make: Makes the page, on the thread of the pages.
    package init(
        _ path: String, isKept: Bool = false, isListed: Bool = true, isProbe: Bool = false,
        _ make: @escaping @Sendable () -> PageAnswer
    ) {
        self.path = path
        self.isKept = isKept
        self.isListed = isListed
        self.isProbe = isProbe
        body = .now(make)
    }

    /// A page that other threads make, and that the thread of the pages does not wait for.
    ///
    /// - Parameter make: Gives the page to the function that it gets, once and on any thread; if it
    ///   never does, the client's time ends.
    package static func later(
        _ path: String,
        _ make: @escaping @Sendable (@escaping @Sendable (PageAnswer) -> Void) -> Void
    ) -> Page {
        Page(path, .later(make))
    }

    private init(_ path: String, _ body: Body) {
        self.path = path
        isKept = false
        isListed = true
        isProbe = false
        self.body = body
    }
}

/// The content of a page, with its status.
package struct PageAnswer: Sendable, Equatable {
    /// The kinds of content that pages have.
    package enum Kind: String, Sendable {
        case text = "text/plain; charset=utf-8"
        case metrics = "text/plain; version=0.0.4; charset=utf-8"
        case json = "application/json"
        /// Columns with tabs between them, and their names in the first line.
        case table = "text/tab-separated-values; charset=utf-8"
        case html = "text/html; charset=utf-8"
        case style = "text/css; charset=utf-8"
        case script = "text/javascript; charset=utf-8"
        case zlib = "application/zlib"
    }

    package let status: Int
    package let kind: Kind
    package let content: [UInt8]
    /// The rights that a browser gives it; nil for content that runs nothing.
    package let policy: String?

    package init(
        status: Int = 200, _ kind: Kind, content: [UInt8], policy: String? = nil
    ) {
        self.status = status
        self.kind = kind
        self.content = content
        self.policy = policy
    }

    package init(status: Int = 200, _ kind: Kind, _ text: String) {
        self.init(status: status, kind, content: Array(text.utf8))
    }

    /// Makes a page of plain text.
    package init(status: Int = 200, _ text: String) {
        self.init(status: status, .text, text)
    }
}
