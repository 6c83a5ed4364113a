import Glibc
import RelationModel

/// The friendships of a file, each in both directions.
struct SampleGraph {
    /// The users in the order of the file's lines.
    private(set) var users: [UserID] = []
    /// The friends of each user, by their indices in ``users``.
    private(set) var friends: [[Int]] = []
    private(set) var friendships: [(Int, Int)] = []

    private var indices: [UserID: Int] = [:]
    private var pairs: Set<UInt64> = []

    /// - Parameter lines: The most friendships to take.
    /// - Throws: ``FloodError`` if the file cannot be read, if a line is not two users with a space
    ///   between them, or if a friendship stands there twice.
    init(path: String, lines: Int = .max) throws(FloodError) {
        guard let text = readText(path) else { throw FloodError(system: path) }
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false)
        where friendships.count < lines {
            number += 1
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let ids = line.split(separator: " ").compactMap { UserID(String($0)) }
            guard ids.count == 2, ids[0] != ids[1] else {
                throw FloodError("\(path):\(number): must be two users with a space between them")
            }
            guard add(index(of: ids[0]), index(of: ids[1])) else {
                throw FloodError("\(path):\(number): this friendship stands in an earlier line")
            }
        }
        guard users.count > 1 else { throw FloodError("\(path): there are no friendships") }
    }

    /// A graph of `count` users on a ring, each with its nearest users as friends.
    ///
    /// - Parameter friends: The friends of each: an even number below `count`.
    init(ring count: Int, friends: Int) {
        precondition(friends.isMultiple(of: 2) && friends < count, "no ring has such friends")
        // An id of digits is valid.
        for number in 0..<count { _ = index(of: UserID(stored: "\(number)".utf8)) }
        for one in 0..<count {
            for step in 1...friends / 2 { _ = add(one, (one + step) % count) }
        }
    }

    /// Makes two users friends, unless they are.
    private mutating func add(_ one: Int, _ other: Int) -> Bool {
        guard pairs.insert(Self.pair(one, other)).inserted else { return false }
        friendships.append((one, other))
        friends[one].append(other)
        friends[other].append(one)
        return true
    }

    func areFriends(_ one: Int, _ other: Int) -> Bool { pairs.contains(Self.pair(one, other)) }

    private mutating func index(of user: UserID) -> Int {
        if let index = indices[user] { return index }
        indices[user] = users.count
        users.append(user)
        friends.append([])
        return users.count - 1
    }

    /// One number for two users, in either order.
    static func pair(_ one: Int, _ other: Int) -> UInt64 {
        UInt64(min(one, other)) << 32 | UInt64(max(one, other))
    }
}
