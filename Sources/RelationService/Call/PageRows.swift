import GRPC
package import Memory
package import Protobuf
import RelationAPI
package import RelationCalls
package import RelationCore
import RelationModel

/// The rows of a page as their stored bytes.
///
/// A page ends when it has all its rows, or when its bytes are full.
package struct PageRows<Row: CodedMessage> {
    private let page: Page
    private let arena: Arena
    private var rows: [Encoded<Row>] = []
    private var bytes = 0
    private var last: TimedUser?
    private var hasMore = false
    private var isOutOfMemory = false

    package init(_ page: Page, _ arena: Arena) {
        self.page = page
        self.arena = arena
    }

    /// Takes a row, or ends the page before it.
    ///
    /// A row that is larger than a page still fits into an empty page.
    package mutating func add(_ row: UnsafeRawBufferPointer, at key: TimedUser) -> ScanStep {
        guard rows.count < page.rows, rows.isEmpty || bytes + row.count <= Limits.pageBytes else {
            hasMore = true
            return .enough
        }
        guard let copy = arena.copy(row) else {
            isOutOfMemory = true
            return .enough
        }
        rows.append(Encoded(borrowing: copy))
        bytes += row.count
        last = key
        return .next
    }

    package func finished() throws(StorageError) -> [Encoded<Row>] {
        guard !isOutOfMemory else {
            throw StorageError.unanswerable("a page does not fit into the memory of its call")
        }
        return rows
    }

    package func nextToken(of query: String) -> String {
        guard hasMore, let last else { return "" }
        return PageToken(last).text(of: query)
    }
}
