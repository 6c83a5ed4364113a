import Protobuf
package import RelationCore
import RelationModel

/// The page of a list that a request asks for: how many rows, and after which position.
package struct Page {
    package let rows: Int
    package let position: TimedUser?

    package init(
        _ size: Int32, _ token: String, of query: String, _ violations: inout Violations,
        atMost limit: Int = Limits.maxPageRows
    ) {
        rows = Page.rows(size, &violations, atMost: limit)
        let parsed = token.isEmpty ? nil : PageToken(token, of: query)
        if parsed == nil && !token.isEmpty { violations.pageToken() }
        position = parsed?.position
    }

    /// The number of rows of a page of `size`: the usual number if `size` is 0, and the limit if
    /// `size` is above it.
    package static func rows(
        _ size: Int32, _ violations: inout Violations, atMost limit: Int = Limits.maxPageRows
    ) -> Int {
        if size < 0 {
            violations.add("page_size", "is \(size); it must not be negative")
        }
        return size <= 0 ? min(Limits.defaultPageRows, limit) : min(Int(size), limit)
    }
}

extension Violations {
    /// Adds the violation of a page token that was made for another list, or for none.
    package mutating func pageToken() {
        add(
            "page_token", "is not a token of this list in this order", reason: .invalidPageToken)
    }
}
