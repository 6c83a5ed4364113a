import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// A friend of an answer, with the fields that the answer adds to its row.
struct NamedFriend {
    let user: UserID
    var displayName = ""
    var section = ""
    /// The stored row, if it has been read already.
    var row: Encoded<Friend>?
    /// When the row was made, in a list that is in the order of these times.
    var timeMs: Int64 = 0
}

/// The maker of a page of friends: stored rows, cut to the request's mask, each followed by fields
/// that no row stores.
struct FriendPage {
    let call: Call
    let mask: FriendMask
    /// The mask of the profiles; nil if the request asked for none.
    let profiles: ProfileMask?
    let stored: StoredProfiles
    /// The read version of ``stored`` before the view of the store was taken.
    let readVersion: ReadVersion

    init(
        _ call: Call, _ mask: FriendMask, _ profiles: ProfileMask?, _ stored: StoredProfiles
    ) {
        self.call = call
        self.mask = mask
        self.profiles = profiles
        self.stored = stored
        readVersion = stored.clock.readVersion()
    }

    /// The rows of the first of `friends`.
    ///
    /// It returns the rows of all of them, unless the bytes of the page are full before. A page
    /// always has one row.
    func rows(
        of friends: ArraySlice<NamedFriend>, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Encoded<Friend>] {
        var page: [Encoded<Friend>] = []
        page.reserveCapacity(friends.count)
        var bytes = 0
        var rest = friends
        // Small reads, so that a page that ends by its bytes has read only a few rows too many.
        let rowsPerRead = RowSizes(call.app.settings).friendsPerRead
        while !rest.isEmpty {
            let part = rest.prefix(rowsPerRead)
            rest = rest.dropFirst(rowsPerRead)
            let rows = try storedRows(of: part, in: transaction)
            let profiles = try profiles(of: part, in: transaction)
            for number in rows.indices {
                let profile = profiles.isEmpty ? nil : profiles[number]
                let row = try join(rows[number], part[part.startIndex + number], profile)
                bytes += row.count
                guard page.isEmpty || bytes <= Limits.pageBytes else { return page }
                page.append(row)
            }
        }
        return page
    }

    private func storedRows(
        of friends: ArraySlice<NamedFriend>, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Encoded<Friend>] {
        var rows: [Encoded<Friend>] = []
        rows.reserveCapacity(friends.count)
        for friend in friends { if let row = friend.row { rows.append(row) } }
        // A scan has read all rows, a list that is sorted by names none.
        if rows.isEmpty {
            var keys = FriendRowKeys(of: call.user, app: call.app, count: friends.count)
            for friend in friends { keys.add(friend.user) }
            var isOutOfMemory = false
            try keys.read(in: transaction) { bytes in
                guard let bytes else { return }
                guard let copy = call.arena.copy(bytes) else { return isOutOfMemory = true }
                rows.append(Encoded(borrowing: copy))
            }
            if isOutOfMemory { throw Self.outOfMemory }
        }
        guard rows.count == friends.count else {
            throw StorageError.damaged("an index names a friend that has no row")
        }
        return try mask.apply(to: rows, call.arena)
    }

    /// The profiles of `friends`; empty if the answer has none at all.
    private func profiles(
        of friends: ArraySlice<NamedFriend>, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Encoded<Profile>?] {
        guard let profiles, mask.contains(.profile) else { return [] }
        let splicer = ProfileSplicer(profiles, call.app, on: CalendarDay(of: call.now), call.arena)
        let users = friends.map(\.user)
        var encoded: [Encoded<Profile>?] = []
        encoded.reserveCapacity(users.count)
        // As the owner sees them, whichever caller asks: the list is sorted by those names.
        try stored.readVisible(
            users, by: call.user, isAdmin: false, app: call.app, at: readVersion, in: transaction
        ) { (index, seen) throws(StorageError) in
            guard let seen else { return encoded.append(nil) }
            do throws(CodecError) {
                encoded.append(
                    try splicer.profile(of: users[index], seen, splicer.age(of: seen)))
            } catch {
                throw Self.outOfMemory
            }
        }
        return encoded
    }

    private func join(
        _ row: Encoded<Friend>, _ friend: NamedFriend, _ profile: Encoded<Profile>?
    ) throws(StorageError) -> Encoded<Friend> {
        let name = mask.contains(.displayName) ? friend.displayName : ""
        let section = mask.contains(.section) ? friend.section : ""
        guard profile != nil || !name.isEmpty || !section.isEmpty else { return row }
        let room =
            row.count + 3 * Splice.prefixBytes + name.utf8.count + section.utf8.count
            + (profile?.count ?? 0)
        do throws(CodecError) {
            var splice = try Splice(room: room, in: call.arena)
            row.withBytes { splice.append($0) }
            if !name.isEmpty { splice.append(Self.displayName, name) }
            if !section.isEmpty { splice.append(Self.section, section) }
            profile?.withBytes { splice.append(Self.profile, $0) }
            return splice.finished()
        } catch {
            throw Self.outOfMemory
        }
    }

    private static let displayName = SplicedField(Friend.schema, "display_name")
    private static let section = SplicedField(Friend.schema, "section")
    private static let profile = SplicedField(Friend.schema, "profile")

    static var outOfMemory: StorageError {
        StorageError.unanswerable("a page does not fit into the memory of its call")
    }
}
