import Protobuf
import RelationAPI

/// The users of a file of friendships, each when it is named first.
struct UserFile: RowFile {
    let friendships: FriendshipFile

    func open() throws -> any RowReader<AccountRow> {
        UserReader(try friendships.open())
    }
}

private final class UserReader: RowReader {
    private let friendships: any RowReader<FriendRow>
    private var seen = SeenUsers()
    /// The second user of the friendship that was read last, if it is new.
    private var other: AccountRow?

    init(_ friendships: any RowReader<FriendRow>) {
        self.friendships = friendships
    }

    func next() throws -> FileRow<AccountRow>? {
        if let row = other {
            other = nil
            return .row(row)
        }
        while let next = try friendships.next() {
            let friendship: FriendRow
            switch next {
            case .row(let row): friendship = row
            case .broken(let line): return .broken(line)
            }
            let first = new(friendship.userID)
            other = new(friendship.friendUserID)
            if let first { return .row(first) }
            guard let row = other else { continue }
            other = nil
            return .row(row)
        }
        return nil
    }

    private func new(_ user: String) -> AccountRow? {
        seen.isNew(user) ? AccountRow.with { $0.userID = user } : nil
    }
}

/// Says which users of a long list were not named before, in memory with a bound.
///
/// A user that was named long before may be reported as new again: to import it twice changes
/// nothing.
struct SeenUsers {
    /// The users after which it starts over, at 16 bytes each.
    static let most = 1 << 20

    /// Hashes of the users, with a seed of this process.
    ///
    /// Two of a million users share one with a chance of one in thirty million. Then the server
    /// refuses the friendships of one of them, and another import brings them.
    private var hashes: Set<Int> = []

    mutating func isNew(_ user: String) -> Bool {
        guard hashes.insert(user.hashValue).inserted else { return false }
        if hashes.count == Self.most { hashes.removeAll(keepingCapacity: true) }
        return true
    }
}
