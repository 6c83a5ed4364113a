import RelationModel

/// The page of a short list whose rows are sorted by the bytes of a key, such as their names.
///
/// Such a list is read as a whole, so the page is cut out of all its rows.
package struct KeyedPage {
    private let rows: Int
    /// The key of the last row of the page before; nil for the first page.
    private let last: [UInt8]?
    private let query: String

    package init(
        _ size: Int32, _ token: String, of query: String, _ violations: inout Violations,
        atMost limit: Int = Limits.maxPageRows
    ) {
        self.query = query
        rows = Page.rows(size, &violations, atMost: limit)
        let cursor = token.isEmpty ? nil : PageToken.cursor(token, of: query)
        if cursor == nil && !token.isEmpty { violations.pageToken() }
        last = cursor.map { Array($0) }
    }

    /// The rows of the page, and the token of the next one; it is empty after the last page.
    ///
    /// - Parameters:
    ///   - all: The rows of the list, in the order of the bytes of their keys.
    ///   - key: The key of a row; no two rows have the same one, and it is never empty.
    package func cut<Row>(
        _ all: [Row], by key: (Row) -> [UInt8]
    ) -> (rows: ArraySlice<Row>, nextToken: String) {
        let rest = all.drop { row in
            last.map { !$0.lexicographicallyPrecedes(key(row)) } ?? false
        }
        let page = rest.prefix(rows)
        guard page.count < rest.count, let end = page.last else { return (page, "") }
        return (page, PageToken.text(key(end), of: query))
    }

    /// The rows of the page of a list that is sorted by the bytes of texts.
    package func cut<Row>(
        _ all: [Row], by text: (Row) -> String
    ) -> (rows: ArraySlice<Row>, nextToken: String) {
        cut(all) { Array(text($0).utf8) }
    }
}
