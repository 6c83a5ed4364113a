import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import Support

extension FriendHandlers {
    static func syncFriends(
        _ request: SyncFriendsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<SyncFriendsResponseView> {
        if request.sinceSequence < 0 { violations.add("since_sequence", "is negative") }
        let rows = Page.rows(request.pageSize, &violations)
        let query = "SyncFriends \(mark: call.app) \(call.user) \(request.sinceSequence)"
        var token: SyncToken?
        if !request.pageToken.isEmpty {
            token = SyncToken(request.pageToken, of: query)
            if token == nil {
                violations.add(
                    "page_token", "is not a token of this list since this sequence",
                    reason: .invalidPageToken)
            }
        }
        let since = request.sinceSequence
        let mask = FriendMask(call)
        return reading(call) { [token] (userRecord, transaction) throws(StorageError) in
            var response = SyncFriendsResponseView()
            let (point, isWhole) = FriendSync.next(since: since, after: token?.point, userRecord)
            response.resync = isWhole
            let entries = try FriendSync.entries(
                of: call.user, after: point, limit: rows + 1, app: call.app, in: transaction)
            let added = try response.append(entries.prefix(rows), call, transaction)
            response.friends = try mask.apply(to: response.friends, call.arena)
            if added < entries.count {
                let next = FriendSync.Point(base: point.base, position: entries[added - 1].key)
                response.nextPageToken = SyncToken(next).text(of: query)
            }
            response.totalSize = Int32(userRecord.friendCount)
            response.sequence = userRecord.friendsSequence
            return response
        }
    }
}

extension SyncFriendsResponseView {
    /// Takes the rows of `entries` and the ids of removed friends until the page has its bytes.
    ///
    /// Returns the number of entries that it took.
    fileprivate mutating func append(
        _ entries: ArraySlice<FriendSync.Entry>, _ call: Call, _ transaction: any ReadTransaction
    ) throws(StorageError) -> Int {
        let rowsPerRead = RowSizes(call.app.settings).friendsPerRead
        var rest = entries
        var added = 0
        var bytes = 0
        while !rest.isEmpty {
            let part = rest.prefix(rowsPerRead)
            rest = rest.dropFirst(part.count)
            let taken = try append(whole: part, &bytes, call, transaction)
            added += taken
            if taken < part.count { break }
        }
        return added
    }

    /// Takes entries whose rows are read at once; `bytes` is the size of the page so far.
    private mutating func append(
        whole entries: ArraySlice<FriendSync.Entry>, _ bytes: inout Int, _ call: Call,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> Int {
        var keys = FriendRowKeys(of: call.user, app: call.app, count: entries.count)
        for entry in entries where !entry.isRemoved { keys.add(entry.key.user) }
        var rows: [Encoded<Friend>?] = []
        try keys.read(in: transaction) { bytes in
            rows.append(bytes.flatMap { call.arena.copy($0) }.map { Encoded(borrowing: $0) })
        }
        var added = 0
        var next = rows.makeIterator()
        for entry in entries {
            if entry.isRemoved {
                bytes += entry.key.user.text.utf8.count
                removedUserIDs.append(entry.key.user.text)
            } else {
                guard let row = next.next() ?? nil else {
                    throw StorageError.damaged(
                        "the index by sequence names a row that does not exist")
                }
                bytes += row.count
                // A row that is larger than a page still fits into an empty page.
                let isFirst = friends.isEmpty && removedUserIDs.isEmpty
                guard isFirst || bytes <= Limits.pageBytes else { return added }
                friends.append(row)
            }
            added += 1
        }
        return added
    }
}

/// The position after which a page of changes begins, as a text that the caller sends back.
///
/// Like ``PageToken`` it holds a digest of the query and of the position. A token of another
/// sequence is refused, and so is a token that lost its end on the way.
struct SyncToken: Equatable {
    /// The version of the format: a token of another version is refused.
    private static let version: UInt8 = 2

    let point: FriendSync.Point

    init(_ point: FriendSync.Point) {
        self.point = point
    }

    init?(_ text: String, of query: String) {
        guard text.utf8.count <= Limits.pageTokenBytes, let bytes = [UInt8](hexadecimal: text),
            bytes.count > 25, bytes[0] == Self.version,
            bytes[1..<9] == Self.mark(of: query, bytes[9...]),
            let user = UserID(String(decoding: bytes[25...], as: UTF8.self))
        else { return nil }
        point = FriendSync.Point(
            base: Int64(bigEndian: bytes[9..<17]),
            position: SequencedUser(sequence: Int64(bigEndian: bytes[17..<25]), user: user))
    }

    func text(of query: String) -> String {
        var cursor: [UInt8] = []
        cursor.append(bigEndian: UInt64(bitPattern: point.base))
        cursor.append(bigEndian: UInt64(bitPattern: point.position.sequence))
        cursor.append(contentsOf: point.position.user.text.utf8)
        return String(hexadecimal: [Self.version] + Self.mark(of: query, cursor[...]) + cursor)
    }

    private static func mark(of query: String, _ cursor: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        Digest.of(Array(query.utf8) + [0] + cursor)[..<8]
    }
}

extension Int64 {
    fileprivate init(bigEndian bytes: ArraySlice<UInt8>) {
        self.init(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
