import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import Storage

/// A friend of an answer, with the fields that the answer adds to its row.
struct NamedFriend {
    let user: UserID
    var displayName = ""
    var section = ""
}

/// The maker of a page of friends: stored rows, cut to the request's mask, each followed by fields
/// that no row stores.
struct FriendPage {
    let call: Call
    let mask: FriendMask
    /// The mask of the profiles; nil if the request asked for none.
    let profiles: ProfileMask?

    /// The rows of the first of `friends`.
    ///
    /// It returns the rows of all of them, unless the bytes of the page are full before. A page
    /// always has one row.
    func rows(
        of friends: ArraySlice<NamedFriend>, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Encoded<Friend>] {
        var page: [Encoded<Friend>] = []
        var bytes = 0
        var rest = friends
        // Small reads, so that a page that ends by its bytes has read only a few rows too many.
        let rowsPerRead = RowSizes(call.app.settings).friendsPerRead
        while !rest.isEmpty {
            let part = Array(rest.prefix(rowsPerRead))
            rest = rest.dropFirst(rowsPerRead)
            let rows = try storedRows(of: part, in: transaction)
            let profiles = try profiles(of: part, in: transaction)
            for (index, row) in rows.enumerated() {
                let row = try join(row, part[index], profiles[index])
                bytes += row.count
                guard page.isEmpty || bytes <= Limits.pageBytes else { return page }
                page.append(row)
            }
        }
        return page
    }

    private func storedRows(
        of friends: [NamedFriend], in transaction: any ReadTransaction
    ) throws(StorageError) -> [Encoded<Friend>] {
        var keys = KeyList()
        keys.reserve(friends.count)
        let partition = call.app.partition(of: call.user)
        for friend in friends { Tables.friends.add(partition, friend.user, to: &keys) }
        var rows: [Encoded<Friend>] = []
        var isOutOfMemory = false
        try transaction.read(keys) { _, bytes in
            guard let bytes else { return }
            guard let copy = call.arena.copy(bytes) else { return isOutOfMemory = true }
            rows.append(Encoded(borrowing: copy))
        }
        if isOutOfMemory { throw Self.outOfMemory }
        guard rows.count == friends.count else {
            throw StorageError(.corrupted, "an index names a friend that has no row")
        }
        return try mask.apply(to: rows, call.arena)
    }

    private func profiles(
        of friends: [NamedFriend], in transaction: any ReadTransaction
    ) throws(StorageError) -> [Profile?] {
        guard let profiles, mask.contains(.profile) else { return friends.map { _ in nil } }
        let settings = call.app.settings
        let today = CalendarDay(of: call.now)
        // As the owner sees them, whichever caller asks: the list is sorted by those names.
        let seen = try Profiles.seen(
            friends.map(\.user), by: call.user, isAdmin: false, app: call.app, in: transaction)
        return seen.map { $0.map { Profile($0, profiles, settings, on: today) } }
    }

    private func join(
        _ row: Encoded<Friend>, _ friend: NamedFriend, _ profile: Profile?
    ) throws(StorageError) -> Encoded<Friend> {
        var added = Friend()
        if mask.contains(.displayName) { added.displayName = friend.displayName }
        if mask.contains(.section) { added.section = friend.section }
        added.profile = profile
        do throws(CodecError) {
            return try call.arena.joined(row, Coder(Friend.self).bytes(added, call.arena))
        } catch {
            throw Self.outOfMemory
        }
    }

    private static var outOfMemory: StorageError {
        StorageError(.failed, "a page does not fit into the memory of its call")
    }
}

/// The position after which a page sorted by names begins, as a text that the caller sends back.
///
/// Like ``PageToken`` it holds a digest of the query and of the position.
struct NameToken {
    /// The part of the result that the position is in; 0 if the result has no parts.
    let part: UInt8
    let nameKey: NameKey

    init(part: UInt8 = 0, _ nameKey: NameKey) {
        self.part = part
        self.nameKey = nameKey
    }

    /// Reads `text`; nil if it is not a token of `query`.
    init?(_ text: String, of query: String) {
        guard let bytes = PageToken.cursor(text, of: query), bytes.count > 2 else { return nil }
        let key = bytes.dropFirst(2).prefix(Int(bytes[bytes.startIndex + 1]))
        let name = String(decoding: bytes.dropFirst(2 + key.count), as: UTF8.self)
        guard let user = UserID(name) else { return nil }
        self.init(part: bytes[bytes.startIndex], NameKey(key: Array(key), user: user))
    }

    func text(of query: String) -> String {
        let bytes = [part, UInt8(nameKey.key.count)] + nameKey.key + Array(nameKey.user.text.utf8)
        return PageToken.text(bytes, of: query)
    }

    /// The token of a request; nil if it asks for the first page.
    static func read(
        _ text: String, of query: String, _ faults: inout Violations
    ) -> NameToken? {
        guard !text.isEmpty else { return nil }
        if let token = NameToken(text, of: query) { return token }
        faults.add(
            "page_token", "is not a token of this list in this order", reason: .invalidPageToken)
        return nil
    }
}
