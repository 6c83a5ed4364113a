import RelationAPI
import RelationClient

/// Rows of an import that come from a file, in the order of its lines.
///
/// The file is read anew each time. So no row is kept, and memory does not grow with the file.
protocol RowFile<Row>: Sendable {
    associatedtype Row: Sendable

    /// Reads the rows one after another.
    ///
    /// - Parameter broken: Gets the place of a line that is no row, and why it is none.
    /// - Throws: ``Failure`` if the file cannot be read.
    func forEach(
        _ body: (Row) async throws -> Void, broken: (String) throws -> Void
    ) async throws
}

/// The friendships of a file: two users a line, with a space between them.
struct FriendshipFile: RowFile {
    let path: String

    func forEach(
        _ body: (FriendRow) async throws -> Void, broken: (String) throws -> Void
    ) async throws {
        var lines = try LineReader(path)
        while let line = try lines.next() {
            let ids = line.text.split(separator: " ", omittingEmptySubsequences: true)
            guard ids.count == 2 else {
                try broken("\(line.location): must be two users with a space between them")
                continue
            }
            var row = FriendRow()
            row.userID = String(ids[0])
            row.friendUserID = String(ids[1])
            row.bothWays = true
            try await body(row)
        }
    }
}

/// The users of a file of friendships, each when it is named first.
struct UserFile: RowFile {
    let friendships: FriendshipFile

    func forEach(
        _ body: (AccountRow) async throws -> Void, broken: (String) throws -> Void
    ) async throws {
        var seen = SeenUsers()
        try await friendships.forEach(
            { friendship in
                for user in [friendship.userID, friendship.friendUserID] where seen.isNew(user) {
                    var row = AccountRow()
                    row.userID = user
                    try await body(row)
                }
            }, broken: broken)
    }
}

/// The circles of a file: `OWNER <tab> NAME <tab> MEMBER MEMBER …` a line.
///
/// A row names all circles of one member. So the lines of one owner stand together, and only they
/// are kept.
struct CircleFile: RowFile {
    let path: String

    func forEach(
        _ body: (FriendRow) async throws -> Void, broken: (String) throws -> Void
    ) async throws {
        var lines = try LineReader(path)
        var circles = OwnerCircles(owner: "")
        var owners: Set<String> = []
        while let line = try lines.next() {
            let parts = line.text.split(separator: "\t", omittingEmptySubsequences: false)
            guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else {
                try broken("\(line.location): must be an owner, a circle and its members")
                continue
            }
            let owner = String(parts[0])
            if owner != circles.owner {
                guard owners.insert(owner).inserted else {
                    try broken("\(line.location): must stand with the other lines of \(owner)")
                    continue
                }
                for row in circles.rows { try await body(row) }
                circles = OwnerCircles(owner: owner)
            }
            circles.add(String(parts[1]), of: parts[2].split(separator: " ").map(String.init))
        }
        for row in circles.rows { try await body(row) }
    }
}

/// The circles of one owner: a row for each member, in the order in which they are named first.
private struct OwnerCircles {
    let owner: String
    private(set) var rows: [FriendRow] = []
    private var places: [String: Int] = [:]

    init(owner: String) {
        self.owner = owner
    }

    mutating func add(_ circle: String, of members: [String]) {
        for member in members {
            if let place = places[member] {
                rows[place].groups?.values.append(circle)
                continue
            }
            places[member] = rows.count
            var row = FriendRow()
            row.userID = owner
            row.friendUserID = member
            row.groups = StringList()
            row.groups?.values = [circle]
            rows.append(row)
        }
    }
}

/// Tells which users of a long list were not named before, in memory with a bound.
///
/// A user that was named long before may be told as new again: to import it twice changes nothing.
struct SeenUsers {
    /// The users after which it begins anew, at 16 bytes each.
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
