import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage

extension FriendHandlers {
    /// A page of stored rows: no name is looked at.
    static func listFriends(
        _ request: ListFriendsRequest, _ call: Call, _ faults: inout Violations
    ) -> Reading<ListFriendsResponse> {
        request.checkJoin(&faults)
        let mask = FriendMask(request.readMask, "read_mask", call, &faults)
        let byTime = request.order == .addTime
        let scanOrder = request.descending ? ScanOrder.descending : .ascending
        let query = request.query(call)
        let page = Page(request.pageSize, request.pageToken, of: query, &faults)
        let owner = call.user
        let app = call.app
        return reading(call) { (head, transaction) throws(StorageError) in
            var response = ListFriendsResponse()
            response.totalSize = Int32(head.friendCount)
            response.sequence = head.friendsSequence
            var rows = PageRows<Friend>(page, call.arena)
            if byTime {
                try FriendList.scanByTime(
                    of: owner, after: page.position, scanOrder, limit: page.rows + 1, app: app,
                    in: transaction
                ) { place, bytes in rows.add(bytes, at: place) }
            } else {
                try FriendList.scanByID(
                    of: owner, after: page.position?.user, scanOrder, limit: page.rows + 1,
                    app: app, in: transaction
                ) { user, bytes in rows.add(bytes, at: TimedUser(timeMs: 0, user: user)) }
            }
            response.friends = try mask.apply(to: rows.finished(), call.arena)
            response.nextPageToken = rows.nextToken(of: query)
            return response
        }
    }
}

/// What a request asks of a list: how many rows, and after which.
struct Page {
    let rows: Int
    let position: TimedUser?

    init(
        _ size: Int32, _ token: String, of query: String, _ faults: inout Violations,
        atMost limit: Int = Limits.maxPageRows
    ) {
        rows = Page.rows(size, &faults, atMost: limit)
        let parsed = token.isEmpty ? nil : PageToken(token, of: query)
        if parsed == nil && !token.isEmpty {
            faults.add(
                "page_token", "is no token of this list in this order", reason: .invalidPageToken)
        }
        position = parsed?.position
    }

    /// How many rows a page of `size` has: the usual number if it is 0.
    static func rows(
        _ size: Int32, _ faults: inout Violations, atMost limit: Int = Limits.maxPageRows
    ) -> Int {
        if !(0...limit).contains(Int(size)) {
            faults.add("page_size", "is \(size); 1 to \(limit) may be asked for")
        }
        return size == 0 ? Limits.defaultPageRows : min(max(1, Int(size)), limit)
    }
}

/// The rows of a page as their stored bytes, up to its rows or its bytes.
struct PageRows<Row: Message> {
    private let page: Page
    private let arena: Arena
    private var rows: [Encoded<Row>] = []
    private var bytes = 0
    private var last: TimedUser?
    private var hasMore = false
    private var isOutOfMemory = false

    init(_ page: Page, _ arena: Arena) {
        self.page = page
        self.arena = arena
    }

    /// Takes a row, or ends the page before it: an end by bytes never leaves a page empty.
    mutating func add(_ row: UnsafeRawBufferPointer, at place: TimedUser) -> ScanStep {
        guard rows.count < page.rows, rows.isEmpty || bytes + row.count <= Limits.pageBytes else {
            hasMore = true
            return .stop
        }
        guard let copy = arena.copy(row) else {
            isOutOfMemory = true
            return .stop
        }
        rows.append(Encoded(borrowing: copy))
        bytes += row.count
        last = place
        return .more
    }

    func finished() throws(StorageError) -> [Encoded<Row>] {
        guard !isOutOfMemory else {
            throw StorageError(.failed, "a page does not fit into the memory of its call")
        }
        return rows
    }

    func nextToken(of query: String) -> String {
        guard hasMore, let last else { return "" }
        return PageToken(last).text(of: query)
    }
}
