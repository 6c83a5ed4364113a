import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage

extension FriendHandlers {
    static func listFriends(
        _ request: ListFriendsRequest, _ call: Call, _ faults: inout Violations
    ) -> Reading<ListFriendsResponse> {
        faults.known(request.order, "order")
        let fields = FriendField.named(in: request.readMask, "read_mask", &faults)
        let byTime = request.order == .addTime
        let scanOrder = request.descending ? ScanOrder.descending : .ascending
        let query = "ListFriends \(call.app.id) \(call.user) \(byTime) \(request.descending)"
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
            response.friends = try rows.finished()
            if let fields { response.friends = try response.friends.masked(fields, call.arena) }
            response.nextPageToken = rows.nextToken(of: query)
            return response
        }
    }
}

/// What a request asks of a list: how many rows, and after which.
struct Page {
    let rows: Int
    let position: TimedUser?

    init(_ size: Int32, _ token: String, of query: String, _ faults: inout Violations) {
        if !(0...Limits.maxPageRows).contains(Int(size)) {
            faults.add("page_size", "is \(size); 1 to \(Limits.maxPageRows) may be asked for")
        }
        rows = size == 0 ? Limits.defaultPageRows : min(max(1, Int(size)), Limits.maxPageRows)
        let parsed = token.isEmpty ? nil : PageToken(token, of: query)
        if parsed == nil && !token.isEmpty {
            faults.add(
                "page_token", "is no token of this list in this order", reason: .invalidPageToken)
        }
        position = parsed?.position
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

/// The fields of a friend that a read mask can name.
enum FriendField: String, CaseIterable {
    case userID = "user_id"
    case remark
    case groups
    case addSource = "add_source"
    case addWording = "add_wording"
    case addTime = "add_time_ms"
    case remarkTime = "remark_time_ms"
    case sequence

    /// The fields that `mask` names, or nil if it names none: then all are answered.
    static func named(
        in mask: FieldMask?, _ field: String, _ faults: inout Violations
    ) -> Set<FriendField>? {
        guard let paths = mask?.paths, !paths.isEmpty else { return nil }
        if paths.count > Limits.maskPaths {
            faults.add(
                field, "names \(paths.count) paths; at most \(Limits.maskPaths) may be named")
        }
        var fields: Set<FriendField> = []
        for path in paths {
            if let named = FriendField(rawValue: path) {
                fields.insert(named)
            } else {
                faults.add(field, "a friend has no field \"\(path.echoed(atMost: 64))\"")
            }
        }
        return fields
    }
}

extension Friend {
    /// The record as the contract shows it; the id is always there, to tell rows apart.
    init(_ record: FriendRecord, _ fields: Set<FriendField>?) {
        self.init()
        func has(_ field: FriendField) -> Bool { fields?.contains(field) ?? true }
        userID = record.userID
        if has(.remark) { remark = record.remark }
        if has(.groups) { groups = record.groups }
        if has(.addSource) { addSource = record.addSource }
        if has(.addWording) { addWording = record.addWording }
        if has(.addTime) { addTimeMs = record.addTimeMs }
        if has(.remarkTime) { remarkTimeMs = record.remarkTimeMs }
        if has(.sequence) { sequence = record.sequence }
    }
}

extension [Encoded<Friend>] {
    /// The same rows with only `fields`: the only pages whose rows are decoded.
    fileprivate func masked(
        _ fields: Set<FriendField>, _ arena: Arena
    ) throws(StorageError) -> [Encoded<Friend>] {
        let coder = Coder(Friend.self)
        var rows: [Encoded<Friend>] = []
        for row in self {
            let record = row.withBytes { Tables.friends.decode($0, in: arena) }
            guard let record else {
                throw StorageError(.corrupted, "a friend's row does not decode")
            }
            do throws(CodecError) {
                rows.append(try arena.encoded(try coder.bytes(Friend(record, fields), arena)))
            } catch {
                throw StorageError(.failed, "a friend's row does not encode: \(error)")
            }
        }
        return rows
    }
}
