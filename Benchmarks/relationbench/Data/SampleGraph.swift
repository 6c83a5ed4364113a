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

    /// - Throws: ``FloodError`` if the file cannot be read, if a line is not two users with a space
    ///   between them, or if a friendship stands there twice.
    init(path: String) throws(FloodError) {
        guard let text = readText(path) else { throw FloodError(system: path) }
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let ids = line.split(separator: " ").compactMap { UserID(String($0)) }
            guard ids.count == 2, ids[0] != ids[1] else {
                throw FloodError("\(path):\(number): must be two users with a space between them")
            }
            let (one, other) = (index(of: ids[0]), index(of: ids[1]))
            guard pairs.insert(Self.pair(one, other)).inserted else {
                throw FloodError("\(path):\(number): this friendship stands in an earlier line")
            }
            friendships.append((one, other))
            friends[one].append(other)
            friends[other].append(one)
        }
        guard users.count > 1 else { throw FloodError("\(path): there are no friendships") }
    }

    func areFriends(_ one: Int, _ other: Int) -> Bool {
        pairs.contains(Self.pair(one, other))
    }

    private mutating func index(of user: UserID) -> Int {
        if let index = indices[user] { return index }
        indices[user] = users.count
        users.append(user)
        friends.append([])
        return users.count - 1
    }

    private static func pair(_ one: Int, _ other: Int) -> UInt64 {
        UInt64(min(one, other)) << 32 | UInt64(max(one, other))
    }
}
