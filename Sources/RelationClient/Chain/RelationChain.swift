public import RelationAPI

/// The relation chain of one user: its friends with their remarks and groups, and its blacklist.
///
/// It is a value, and all of it is as the user's log says at ``sequence``. A write may make several
/// events, such as that of a blacklist and that of a friendship that ends with it; a stream brings
/// them one after the other. A question to the chain makes no call. It knows the user's own lists
/// alone: whether a friend has the user too, `CheckFriends` says.
public struct RelationChain: Sendable, Equatable, CustomReflectable {
    /// The user whose chain it is.
    public let userID: String
    /// How old it was when it was given: the time since the server, or a stream of changes, was
    /// last known to have nothing newer.
    public let age: Duration
    private let rows: ChainRows

    init(_ userID: String, _ rows: ChainRows, age: Duration) {
        self.userID = userID
        self.rows = rows
        self.age = age
    }

    /// The user's sequence: all events of the user's log up to it are in the chain.
    public var sequence: Int64 { rows.sequence }

    /// How many friends the user has.
    public var friendCount: Int { rows.friends.count }

    /// How many users are on the blacklist.
    public var blacklistCount: Int { rows.blacklist.count }

    /// The friends in the order of the bytes of their ids, without profiles.
    public var friends: [Friend] {
        rows.friends.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The friends in a group of the user, in the order of the bytes of their ids.
    public func friends(in group: String) -> [Friend] {
        let group = ByteText(group)
        return friends.filter { $0.groups.contains { ByteText($0) == group } }
    }

    /// The row of a friend, with its remark and its groups; nil if the user is not a friend.
    public func friend(_ userID: String) -> Friend? { rows.friends[ByteText(userID)] }

    /// Whether the user has another one as a friend.
    public func isFriend(_ userID: String) -> Bool { rows.friends[ByteText(userID)] != nil }

    /// The users on the blacklist, in the order of `add_time_ms` and then of the bytes of the id.
    public var blacklist: [BlacklistEntry] {
        rows.blacklist.sorted {
            ($0.value.addTimeMs, $0.key) < ($1.value.addTimeMs, $1.key)
        }.map(\.value)
    }

    /// Whether the user has another one on its blacklist.
    public func isBlacklisted(_ userID: String) -> Bool {
        rows.blacklist[ByteText(userID)] != nil
    }

    /// A mirror that has the counts, and no texts of the user.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "userID": userID, "sequence": sequence, "age": age, "friends": friendCount,
                "blacklist": blacklistCount,
            ] as KeyValuePairs<String, Any>)
    }
}
