/// The content of an answer, with its status.
package struct AdminAnswer: Sendable, Equatable {
    /// The kinds of content that answers have.
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
    /// Whether the content is compressed by gzip, and goes so to clients that accept it.
    package let isCompressed: Bool

    package init(
        status: Int = 200, _ kind: Kind, content: [UInt8], policy: String? = nil,
        isCompressed: Bool = false
    ) {
        self.status = status
        self.kind = kind
        self.content = content
        self.policy = policy
        self.isCompressed = isCompressed
    }

    package init(status: Int = 200, _ kind: Kind, _ text: String) {
        self.init(status: status, kind, content: Array(text.utf8))
    }

    /// Makes an answer of plain text.
    package init(status: Int = 200, _ text: String) {
        self.init(status: status, .text, text)
    }
}
