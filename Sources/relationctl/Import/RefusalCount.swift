import RelationModel

/// How many rows were refused for each reason, and all of it in one line.
struct RefusalCount {
    private static let words: [Int32: String] = [
        FriendStatus.invalidParameter.rawValue: "a field is malformed, or a user is its own friend",
        FriendStatus.accountNotFound.rawValue: "a user is unknown",
        FriendStatus.sensitiveText.rawValue: "a text holds a forbidden word",
        FriendStatus.selfFriendFull.rawValue: "the user's list of friends is full",
        FriendStatus.theirFriendFull.rawValue: "the friend's list of friends is full",
        FriendStatus.groupLimit.rawValue: "the user would have more groups than the app allows",
        FriendStatus.tagNotFound.rawValue: "a custom field is unknown",
        FriendStatus.blacklistFull.rawValue: "the user's blacklist is full",
        FollowStatus.followingFull.rawValue: "the user follows as many as the app allows",
        FollowStatus.followersFull.rawValue: "the followed user has as many followers as allowed",
        FollowStatus.selfMutualFull.rawValue: "the user has as many mutual follows as allowed",
        FollowStatus.theirMutualFull.rawValue:
            "the followed user has as many mutual follows as allowed",
        ProfileStatus.accountNotFound.rawValue: "a user is unknown",
    ]
    private static let other: Int32 = -1

    private var counts: [Int32: Int] = [:]

    mutating func add(_ number: Int32) {
        counts[Self.words[number] == nil ? Self.other : number, default: 0] += 1
    }

    /// The reasons, the most frequent first: `77 because a user is unknown (30003)`.
    var text: String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { number, count in
            guard let words = Self.words[number] else { return "\(count) for other reasons" }
            return "\(count) because \(words) (\(number))"
        }.joined(separator: ", ")
    }

    var isEmpty: Bool { counts.isEmpty }
}
